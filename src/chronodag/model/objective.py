"""The smooth part of the objective F(θ), and the strengths W (equations 1 and 2 of the paper).

F(θ) = 1/(2n) Σ_t Σ_j (X_j^t − CNN_j)²  +  Σ λ1 |φ|  +  ½ λ2 Σ w²

with n windows, λ1 per lag or per edge on the kernels φ, and λ2 on all weights but no biases
(the released program's reading: see docs/notation.md). The L1 term has a kink and is
left to the solver; this module holds the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike
from numpy.typing import NDArray

from chronodag.model.network import Architecture, Parameters, predict


class Windows(NamedTuple):
    """What the loss is measured on."""

    values: ArrayLike  # (N, d): all series end to end
    weights: ArrayLike  # (N−K,): 1 where a window lies within one series, else 0
    l2: ArrayLike  # λ2, a scalar


def mean_squared_error(parameters: Parameters, windows: Windows) -> Array:
    """1/(2n) Σ_t Σ_j (X_j^t − CNN_j)² over the n windows."""
    lags = parameters.kernels.shape[0] - 1
    values, weights = jnp.asarray(windows.values), jnp.asarray(windows.weights)
    residuals = values[lags:] - predict(parameters, values)
    per_window = jnp.sum(residuals**2, axis=1)
    return 0.5 * jnp.sum(weights * per_window) / jnp.sum(weights)


def ridge(parameters: Parameters, l2: ArrayLike) -> Array:
    """½ λ2 Σ w² over kernels and later weights, biases left out."""
    later = sum(jnp.sum(layer.weights**2) for layer in parameters.layers)
    return 0.5 * l2 * (jnp.sum(parameters.kernels**2) + later)


@dataclass(frozen=True)
class SmoothLoss:
    """Loss + L2 as a function of the flat parameter vector and the windows."""

    architecture: Architecture

    def __call__(self, vector: Array, windows: Windows) -> Array:
        """Return the smooth part of F(θ)."""
        parameters = self.architecture.unflatten(vector)
        return mean_squared_error(parameters, windows) + ridge(parameters, windows.l2)


def strengths(architecture: Architecture, vector: NDArray[np.float64]) -> NDArray[np.float64]:
    """W^k_ij = ‖φ_ij^k‖ over the m kernels (equation 1): `[lag, source, target]`."""
    kernels = vector[: architecture.kernel_count].reshape(architecture.kernel_shape)
    return np.asarray(np.sqrt(np.sum(kernels**2, axis=-1)))
