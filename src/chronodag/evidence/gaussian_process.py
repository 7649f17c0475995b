"""The log evidence of one target given its possible causes, under a Gaussian process.

y = f(z) + noise, where f is drawn with the covariance

    k(z, z') = c + Σ_i a_i² z_i z'_i + s · exp(−½ Σ_i w_i² (z_i − z'_i)²)

a straight line plus a curve, each with a relevance of its own per input (Rasmussen & Williams
2006, chapters 2 and 5). The evidence p(y | inputs, θ) integrates over all such f: an input that
does not help costs evidence, so relevances fall to zero, and no form is assumed.

θ holds the roots a (p numbers), the roots w (p), ln s and ln(noise variance). In float32: the noise
has a floor, so the covariance is never near singular.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

FloatArray = NDArray[np.float64]
Single = NDArray[np.float32]

CONSTANT = np.float32(0.1)  # c, the variance of the offset
NOISE_FLOOR = 1e-3
_FARTHEST = np.float32(-30.0)  # e⁻³⁰ is 0 beside the noise; smaller numbers would be slow ones
_IMPOSSIBLE = 1e30


def negative_log_evidence(theta: FloatArray, inputs: Single, target: Single) -> float:
    """Return −ln p(y | inputs, θ), without the constant n/2 · ln 2π."""
    factor, _, solved = _factor(theta, inputs, target)
    return _IMPOSSIBLE if factor is None else _value(factor, solved, target)


def value_and_gradient(
    theta: FloatArray, inputs: Single, squares: Single, target: Single
) -> tuple[float, FloatArray]:
    """Return −ln p(y | inputs, θ) and its gradient in θ; `squares` are those of `inputs`."""
    factor, curved, solved = _factor(theta, inputs, target)
    if factor is None:
        return _IMPOSSIBLE, np.zeros_like(theta)
    value, p = _value(factor, solved, target), inputs.shape[1]
    slope = _slope(factor, solved)
    gradient = np.empty_like(theta)
    # ∂k/∂a_i = 2 a_i z_i z'_i
    gradient[:p] = 2.0 * theta[:p] * np.einsum("ni,ni->i", inputs, slope @ inputs)
    gradient[2 * p + 1] = np.trace(slope) * np.exp(theta[2 * p + 1])
    # ∂k/∂w_i = −w_i (z_i − z'_i)² times the curved part
    slope *= curved
    sums = slope.sum(axis=1)
    spread = sums @ squares - np.einsum("ni,ni->i", inputs, slope @ inputs)
    gradient[p : 2 * p] = -2.0 * theta[p : 2 * p] * spread
    gradient[2 * p] = sums.sum()
    return value, gradient


def _factor(theta: FloatArray, inputs: Single, target: Single) -> tuple[Any, Single, Single]:
    """Return the Cholesky factor of the covariance, its curved part, and covariance⁻¹ y."""
    n, p = inputs.shape
    roots = theta.astype(np.float32)
    scale, noise = np.float32(np.exp(theta[2 * p])), np.exp(theta[2 * p + 1]) + NOISE_FLOOR
    bent = inputs * roots[p : 2 * p]
    lengths = np.einsum("ni,ni->n", bent, bent)
    curved = bent @ bent.T
    curved -= np.float32(0.5) * lengths[:, None]
    curved -= np.float32(0.5) * lengths[None, :]
    np.clip(curved, _FARTHEST, 0.0, out=curved)
    np.exp(curved, out=curved)
    curved *= scale
    straight = inputs * roots[:p]
    covariance = straight @ straight.T
    covariance += curved
    covariance += CONSTANT
    covariance.flat[:: n + 1] += np.float32(noise)
    factor, failed = lapack.spotrf(covariance, lower=1, clean=0)
    if failed:
        return None, curved, target
    solved, _ = lapack.spotrs(factor, target, lower=1)
    return factor, curved, solved


def _value(factor: Single, solved: Single, target: Single) -> float:
    log_determinant = np.log(np.diag(factor).astype(np.float64)).sum()
    return float(0.5 * np.dot(target.astype(np.float64), solved) + log_determinant)


def _slope(factor: Single, solved: Single) -> Single:
    """∂(−ln p)/∂covariance = ½ (covariance⁻¹ − α αᵀ), α = covariance⁻¹ y."""
    lower, _ = lapack.spotri(factor, lower=1)
    slope = np.tril(lower)
    slope += np.tril(lower, -1).T
    slope -= np.outer(solved, solved)
    slope *= np.float32(0.5)
    return np.asarray(slope, dtype=np.float32)
