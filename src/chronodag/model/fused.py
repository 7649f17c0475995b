"""The squared error of networks with one hidden layer, value and gradient in one sweep.

Written out by hand because automatic differentiation keeps more intermediate arrays alive and
sums along short axes; here time is the fastest axis throughout, so every operation is a
matrix product or runs along contiguous rows. A test compares it with the derivative of the
readable form in `network`.
"""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array

from chronodag.model.network import Architecture


def one_hidden_layer(
    architecture: Architecture, x: Array, values: Array, weights: Array
) -> tuple[Array, Array]:
    """Return Σ_t weight·residual² per target (float64), and the gradient of half of it in x.

    values: (d, n+K), weights: (n,). Only these n windows' inputs are laid side by side; the
    caller keeps n to a chunk of the series.
    """
    d, m = architecture.dimension, architecture.hidden[0]
    count = weights.shape[0]
    first = architecture.first_layer(x).reshape(d * m, -1)
    later = x[:, architecture.first_layer_size :]
    readout, offset = later[:, :m], later[:, m:]

    inputs = window_inputs(values, architecture.lags, count)  # (d(K+1)+1, n)
    # σ(s) = ½ + ½ tanh(s/2): the halves are taken outside the long sums
    tanh = jnp.tanh(0.5 * (first @ inputs)).reshape(d, m, count)
    signal = jnp.sum(tanh * readout[:, :, None], axis=1)
    prediction = 0.5 * (signal + jnp.sum(readout, axis=1, keepdims=True)) + offset
    residual = prediction - values[:, architecture.lags :]
    weighted = weights * residual

    squares = jnp.sum((weighted * residual).astype(jnp.float64), axis=1)
    total = jnp.sum(weighted, axis=1, keepdims=True)
    to_readout = 0.5 * (jnp.einsum("jmt,jt->jm", tanh, weighted) + total)
    to_signal = (0.25 * readout[:, :, None] * weighted[:, None, :]) * (1.0 - tanh * tanh)
    to_first = to_signal.reshape(d * m, count) @ inputs.T
    return squares, jnp.concatenate([to_first.reshape(d, -1), to_readout, total], axis=1)


def window_inputs(values: Array, lags: int, count: int) -> Array:
    """Lay the inputs of `count` windows side by side: rows by lag, then source, then ones."""
    shifted = [values[:, lags - lag : lags - lag + count] for lag in range(lags + 1)]
    return jnp.concatenate([*shifted, jnp.ones((1, count), values.dtype)], axis=0)
