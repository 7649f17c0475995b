"""What `python -m benchmarks.trust` found: the curves from evidence to probabilities.

Fitted on simulated processes whose truth is known; docs/results/trust.md names the seeds. The
order is that of the features in `evidence.belief`.
"""

NOISY = (
    0.185,
    1.349,
    -0.06235,
    1.0467,
    0.9134,
    0.53451,
    -0.46914,
    0.64935,
    -0.40429,
    0.28878,
    -0.27514,
    0.07543,
    0.03582,
    0.68669,
    1.8156,
    -1.2866,
    0.39364,
    0.01292,
    -0.64564,
    1.5521,
    0.21931,
)
NOISY_INTERCEPT = 0.097372

NOISE_FREE = (0.70172, -0.10988, 0.3771, -4.2027, -0.48919, -0.84242, 4.2285, -0.98027)
NOISE_FREE_INTERCEPT = 6.5169

DIRECTION = (-0.31779, 0.60796, 0.83811)
DIRECTION_INTERCEPT = -5.3313
