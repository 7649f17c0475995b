"""What `python -m benchmarks.trust` found: the curves from evidence to probabilities.

Fitted on simulated processes whose truth is known; docs/results/trust.md names the seeds. The
order is that of the features in `evidence.belief`.
"""

NOISY = (
    0.13131,
    2.0849,
    0.15829,
    1.0429,
    1.2573,
    -1.1049,
    -0.32841,
    0.27056,
    -0.47217,
    0.23934,
    -0.26467,
    0.11655,
    0.08899,
    0.82816,
    1.976,
    -1.6083,
    0.62874,
    0.20383,
)
NOISY_INTERCEPT = 1.7215

NOISE_FREE = (0.70206, -0.10984, 0.38273, -4.2068, -0.49072, -0.84136, 4.2082, -0.98244)
NOISE_FREE_INTERCEPT = 6.5533

DIRECTION = (-0.34495, 0.47822, 0.41158)
DIRECTION_INTERCEPT = -1.8879
