"""The linear process: weights that keep it stable, and its exact covariances."""

import numpy as np
from numpy.typing import NDArray

from chronodag.simulate.common import FloatArray

# The largest modulus of the companion matrix's eigenvalues; below 1 is stable.
LARGEST_RADIUS = 0.9


def stable_weights(
    weights: FloatArray, parents: NDArray[np.int64], shape: tuple[int, ...]
) -> FloatArray:
    """Shrink the lagged weights so that the spectral radius is `LARGEST_RADIUS` at most.

    Multiplying those at lag k by s^k multiplies every eigenvalue by exactly s.
    """
    target, lag, source = parents.T
    coefficients = np.zeros(shape)
    coefficients[lag, source, target] = weights[:, 0]
    transition, _ = companion(coefficients)
    radius = float(np.abs(np.linalg.eigvals(transition)).max())
    factor = min(1.0, LARGEST_RADIUS / max(radius, LARGEST_RADIUS))
    shrunk: FloatArray = weights * factor ** lag[:, None]
    return shrunk


def companion(coefficients: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the one-step transition of the stacked rows (x(t), ..., x(t-K+1)), and A.

    x = B0ᵀx + Σ_k Bkᵀ x(t-k) + z, so x = A (Σ_k Bkᵀ x(t-k) + z) with A = (I - B0ᵀ)⁻¹.
    """
    lags, d = max(len(coefficients) - 1, 1), coefficients.shape[1]
    mixing = np.linalg.inv(np.eye(d) - coefficients[0].T)
    transition = np.zeros((lags * d, lags * d))
    transition[d:, :-d] = np.eye((lags - 1) * d)
    for lag, lagged in enumerate(coefficients[1:], start=1):
        transition[:d, (lag - 1) * d : lag * d] = mixing @ lagged.T
    return transition, mixing


def autocovariances(coefficients: FloatArray, scale: FloatArray, max_lag: int) -> FloatArray:
    """Return Cov(source(t - lag), target(t)) as [lag, source, target]; `scale` is the noise's."""
    from scipy.linalg import solve_discrete_lyapunov

    d = coefficients.shape[1]
    transition, mixing = companion(coefficients)
    shocks = np.zeros_like(transition)
    shocks[:d, :d] = (mixing * scale**2) @ mixing.T
    stacked = solve_discrete_lyapunov(transition, shocks, method="bilinear")
    result = np.empty((max_lag + 1, d, d))
    for lag in range(max_lag + 1):
        result[lag] = stacked[:d, :d].T
        stacked = transition @ stacked
    return result
