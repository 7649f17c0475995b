"""The smooth part of the objective F(θ), and the strengths W (equation 1 of the paper).

F(θ) = 1/(2n) Σ_t Σ_j (X_j^t − CNN_j)²  +  Σ λ1 |φ|  +  ½ λ2 Σ w²

with n windows, λ1 per lag or per edge on the kernels φ, and λ2 on all weights but no biases
(the released program's reading: see docs/notation.md). The L1 term has a kink and is
left to the solver; this module holds the rest, one value per target.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike
from numpy.typing import NDArray

from chronodag.model.fused import one_hidden_layer
from chronodag.model.network import Architecture, Parameters, predict


class Windows(NamedTuple):
    """What the loss is measured on."""

    values: ArrayLike  # (d, N): all series end to end, time along the rows
    weights: ArrayLike  # (N−K,): 1 where a window lies within one series, else 0
    l2: ArrayLike  # λ2, a scalar


@dataclass(frozen=True)
class SmoothLoss:
    """Loss + L2 of each target, and their gradient, as a function of x `[target, parameter]`."""

    architecture: Architecture
    chunk: int  # windows whose activations are held at a time

    def __call__(self, x: Array, windows: Windows) -> tuple[Array, Array]:
        """Return the smooth part of F per target (float64) and its gradient in x."""
        values = jnp.asarray(windows.values, x.dtype)
        weights = jnp.asarray(windows.weights, x.dtype)
        squares, gradient = self._sum_over_chunks(x, values, weights)
        count = jnp.sum(jnp.asarray(windows.weights, jnp.float64))
        mask = self._weight_mask()
        l2 = jnp.asarray(windows.l2, jnp.float64)
        shrunk = jnp.sum(jnp.square(x * mask).astype(jnp.float64), axis=1)
        value = 0.5 * squares / count + 0.5 * l2 * shrunk
        return value, gradient / count.astype(x.dtype) + l2.astype(x.dtype) * mask * x

    def _sum_over_chunks(self, x: Array, values: Array, weights: Array) -> tuple[Array, Array]:
        """Σ_t weight (X_j^t − CNN_j)² per target, and the gradient of half of it."""
        lags, count = self.architecture.lags, weights.shape[0]
        if self.chunk >= count:
            return self._squares(x, values, weights)
        size = self.chunk

        def add(total: tuple[Array, Array], index: Array) -> tuple[tuple[Array, Array], None]:
            # The last chunk starts early enough to be full; windows seen before weigh nothing.
            start = jnp.minimum(index * size, count - size)
            fresh = jnp.arange(size) + start >= index * size
            part = self._squares(
                x,
                jax.lax.dynamic_slice_in_dim(values, start, size + lags, axis=1),
                jnp.where(fresh, jax.lax.dynamic_slice_in_dim(weights, start, size), 0.0),
            )
            return (total[0] + part[0], total[1] + part[1]), None

        zero = (jnp.zeros(x.shape[0], jnp.float64), jnp.zeros_like(x))
        total, _ = jax.lax.scan(add, zero, jnp.arange(-(-count // size)))
        return total

    def _squares(self, x: Array, values: Array, weights: Array) -> tuple[Array, Array]:
        architecture = self.architecture
        if len(architecture.hidden) == 1:
            return one_hidden_layer(architecture, x, values, weights)

        def half_total(x: Array) -> tuple[Array, Array]:
            residuals = (
                predict(architecture.unflatten(x), values.T) - values[:, architecture.lags :].T
            )
            squares = jnp.sum((weights[:, None] * residuals**2).astype(jnp.float64), axis=0)
            return 0.5 * jnp.sum(squares), squares

        gradient, squares = jax.grad(half_total, has_aux=True)(x)
        return squares, gradient

    def _weight_mask(self) -> NDArray[np.bool_]:
        """True for weights, False for biases."""
        architecture = self.architecture
        ones = np.zeros(architecture.shape)
        named = architecture.unflatten(ones)
        weights = named._replace(
            kernels=np.ones_like(named.kernels),
            layers=tuple(
                layer._replace(weights=np.ones_like(layer.weights)) for layer in named.layers
            ),
        )
        return architecture.flatten(weights) > 0


def strengths(parameters: Parameters) -> NDArray[np.float64]:
    """W^k_ij = ‖φ_ij^k‖ over the m kernels (equation 1): `[lag, source, target]`."""
    return np.asarray(np.sqrt(np.sum(np.square(parameters.kernels), axis=-1)))
