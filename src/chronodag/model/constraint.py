"""The acyclicity constraint h(W) = tr exp(W∘W) − d on lag 0 (section 4 of the paper)."""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jax import Array

from chronodag.model.network import Architecture

_TERMS = 14  # with ‖A‖₁ ≤ 1/2 the first term left out is below 0.5¹⁵/15! ≈ 2·10⁻¹⁷


def exp_minus_identity(matrix: Array) -> Array:
    """Return exp(A) − I of a matrix without negative entries.

    Leaving the identity out keeps full relative precision when A is small: near a solution h
    is 10⁻⁸ and less, which tr exp(A) − d would lose to rounding. Scaling and squaring with a
    Taylor sum is safe because nothing cancels: every term is non-negative.
    """
    norm = jnp.max(jnp.sum(matrix, axis=0))
    halvings = jnp.where(norm > 0.5, jnp.ceil(jnp.log2(jnp.maximum(norm, 0.5))) + 1.0, 0.0)
    halvings = jnp.minimum(halvings, 12.0)  # exp of a larger norm overflows anyhow
    scaled = matrix * jnp.exp2(-halvings)
    total = scaled
    # Horner's scheme: A (I + A/2 (I + A/3 (…))) − the identity stays outside the products.
    nested = scaled / _TERMS
    for term in range(_TERMS - 1, 1, -1):
        nested = (scaled + scaled @ nested) / term
    total = scaled + scaled @ nested
    # (I + E)² − I = 2E + E²
    powers: Array = jax.lax.fori_loop(
        0, halvings.astype(jnp.int32), lambda _, power: 2.0 * power + power @ power, total
    )
    return powers


@jax.custom_vjp
def acyclicity(squares: Array) -> Array:
    """Return tr exp(A) − d for A = W∘W, `[source, target]`; zero exactly when A is acyclic."""
    return jnp.trace(exp_minus_identity(squares))


def _forward(squares: Array) -> tuple[Array, Array]:
    powers = exp_minus_identity(squares)
    return jnp.trace(powers), powers


def _backward(powers: Array, cotangent: Array) -> tuple[Array]:
    identity = jnp.eye(powers.shape[0], dtype=powers.dtype)
    return (cotangent * (powers + identity).T,)  # ∇ tr exp(A) = exp(A)ᵀ


acyclicity.defvjp(_forward, _backward)


@dataclass(frozen=True)
class Acyclicity:
    """h(W⁰) and its gradient as a function of x `[target, parameter]`."""

    architecture: Architecture

    def __call__(self, x: Array) -> tuple[Array, Array]:
        """Return h ≥ 0 in float64, and ∇h in the shape and precision of x."""
        value, gradient = jax.value_and_grad(self._value)(x)
        return value, gradient

    def _value(self, x: Array) -> Array:
        d = self.architecture.dimension
        lag0 = self.architecture.first_layer(x)[:, :, :d]  # [target, kernel, source]
        squares = jnp.sum(jnp.square(lag0.astype(jnp.float64)), axis=1)
        return acyclicity(squares.T)
