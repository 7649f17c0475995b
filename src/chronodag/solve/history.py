"""Limited-memory BFGS in its compact, matrix-product form, one inverse Hessian per row.

The last M steps s and gradient changes y of every row lie in one array `pairs[row, 2M, variable]`
(s in the first M places, y in the last M), written as a ring. The product of the inverse
Hessian with a gradient then takes two passes over that array, both batched matrix products,
and algebra with M × M matrices (Byrd, Nocedal & Schnabel 1994, eq. 3.1):

    H g = γ g + [S γY] [ R⁻ᵀ (D + γ YᵀY) R⁻¹   −R⁻ᵀ ] [ Sᵀg  ]
                       [        −R⁻¹             0   ] [ γYᵀg ]

with R the upper triangle of SᵀY in order of age and D its diagonal.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from chronodag.solve.problem import AnyArray


class History(NamedTuple):
    """The curvature seen so far, per row."""

    pairs: AnyArray  # [row, 2M, variable]
    gram: AnyArray  # [row, 2M, 2M]: products of all pairs with each other
    valid: AnyArray  # [row, M]: whether a place holds a pair with sᵀy > 0
    scale: AnyArray  # [row]: γ
    place: AnyArray  # the next place to write, shared by all rows


def empty(rows: int, variables: int, memory: int, dtype: Any, xp: Any = np) -> History:
    """Return a history without pairs, of NumPy's arrays or of another library `xp`."""
    return History(
        pairs=xp.zeros((rows, 2 * memory, variables), dtype),
        gram=xp.zeros((rows, 2 * memory, 2 * memory), dtype),
        valid=xp.zeros((rows, memory), bool),
        scale=xp.ones(rows, dtype),
        place=xp.zeros((), np.int32),
    )


def remember(history: History, step: Array, change: Array, usable: Array) -> History:
    """Write one pair per row; rows where it is not `usable` get an empty place."""
    memory = history.valid.shape[1]
    place = history.place
    step = jnp.where(usable[:, None], step, 0.0)
    change = jnp.where(usable[:, None], change, 0.0)
    pairs = jax.lax.dynamic_update_slice_in_dim(history.pairs, step[:, None], place, axis=1)
    pairs = jax.lax.dynamic_update_slice_in_dim(pairs, change[:, None], place + memory, axis=1)
    products = jnp.einsum("rpv,rvq->rpq", pairs, jnp.stack([step, change], axis=2))
    gram = history.gram
    for column, where in enumerate((place, place + memory)):
        values = products[:, :, column]
        gram = jax.lax.dynamic_update_slice_in_dim(gram, values[:, :, None], where, axis=2)
        gram = jax.lax.dynamic_update_slice_in_dim(gram, values[:, None, :], where, axis=1)
    curvature = jnp.sum(step * change, axis=1)
    length = jnp.sum(change * change, axis=1)
    return History(
        pairs=pairs,
        gram=gram,
        valid=jax.lax.dynamic_update_slice_in_dim(history.valid, usable[:, None], place, axis=1),
        scale=jnp.where(usable, curvature / jnp.where(usable, length, 1.0), history.scale),
        place=(place + 1) % memory,
    )


def times_gradient(history: History, gradient: Array) -> Array:
    """Return H g for every row: `[row, variable]`."""
    memory = history.valid.shape[1]
    age = (history.place + jnp.arange(memory)) % memory  # oldest first
    scale = history.scale[:, None]
    along = jnp.einsum("rpv,rv->rp", history.pairs, gradient)
    steps, changes = along[:, age], scale * along[:, age + memory]

    valid = history.valid[:, age]
    both = valid[:, :, None] & valid[:, None, :]
    identity = jnp.eye(memory, dtype=gradient.dtype)
    s_y = history.gram[:, age][:, :, age + memory]
    y_y = history.gram[:, age + memory][:, :, age + memory]
    # An empty place must act as if it were not there: an identity row in R, zeros elsewhere.
    upper = jnp.where(both, jnp.triu(s_y), identity)
    middle = jnp.where(both, s_y * identity + scale[:, :, None] * y_y, 0.0)

    inward = _solve(upper, steps, transposed=False)
    outer = _solve(upper, jnp.einsum("rab,rb->ra", middle, inward) - changes, transposed=True)
    by_age = jnp.concatenate([outer, -scale * inward], axis=1)
    places = jnp.concatenate([age, age + memory])
    weights = jnp.zeros_like(by_age).at[:, places].set(by_age)
    return scale * gradient + jnp.einsum("rpv,rp->rv", history.pairs, weights)


def _solve(upper: Array, right: Array, *, transposed: bool) -> Array:
    """Solve R a = b, or Rᵀ a = b, for every row."""
    answer: Array = jax.lax.linalg.triangular_solve(
        upper, right[:, :, None], left_side=True, lower=False, transpose_a=transposed
    )
    return answer[:, :, 0]
