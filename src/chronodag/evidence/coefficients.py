"""What `benchmarks.trust calibrate` found: the curves from evidence to probabilities.

Fitted on simulated processes whose truth is known; docs/results/trust.md names the seeds. The
order is that of the features in `evidence.belief`.
"""

NOISY = (
    0.1817,
    1.1225,
    -0.4322,
    1.33,
    1.0054,
    -1.1353,
    -0.1409,
    -0.7034,
    -0.3578,
    0.8098,
    -0.1205,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
)
NOISY_INTERCEPT = 1.9627

NOISE_FREE = (0.8, 0.8, 0.3)
NOISE_FREE_INTERCEPT = 3.0

DIRECTION = (-0.6, -0.1, 0.0)
DIRECTION_INTERCEPT = 0.0
