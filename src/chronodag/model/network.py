"""One 1-D CNN per target (section 3 of the paper).

All d networks are evaluated together. The first layer of network j holds m kernels of shape
d × (K+1); here they are one array `kernels[lag, source, target, kernel]`, the paper's
φ_ij^k with column K+1−lag. Later layers are locally connected: each target has its own weights.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import NDArray


class Layer(NamedTuple):
    """A locally connected layer."""

    weights: Array  # [target, input, output]
    biases: Array  # [target, output]


class Parameters(NamedTuple):
    """θ = {φ, ψ}: the first-layer kernels φ and everything behind them, ψ."""

    kernels: Array  # φ [lag, source, target, kernel]
    biases: Array  # [target, kernel]
    layers: tuple[Layer, ...]  # the last one has a single output: the prediction


@dataclass(frozen=True)
class Architecture:
    """The sizes of the networks; hashable, so compiled code is shared between equal ones."""

    dimension: int  # d
    lags: int  # K
    hidden: tuple[int, ...]  # (m, …): kernels, then the width of each further hidden layer

    @property
    def kernel_shape(self) -> tuple[int, int, int, int]:
        """`[lag, source, target, kernel]`."""
        return (self.lags + 1, self.dimension, self.dimension, self.hidden[0])

    @property
    def kernel_count(self) -> int:
        """How many of the parameters, the first ones, are kernel weights."""
        return math.prod(self.kernel_shape)

    def shapes(self) -> Iterator[tuple[tuple[int, ...], int]]:
        """Yield (shape, fan-in) of every parameter array in the order of the flat vector."""
        d, widths = self.dimension, (*self.hidden, 1)
        inputs = d * (self.lags + 1)
        yield self.kernel_shape, inputs
        yield (d, widths[0]), inputs
        for width, following in itertools.pairwise(widths):
            yield (d, width, following), width
            yield (d, following), width

    @property
    def size(self) -> int:
        """The number of parameters."""
        return sum(math.prod(shape) for shape, _ in self.shapes())

    def unflatten(self, vector: Array) -> Parameters:
        """Cut the flat vector into named arrays (views under compilation)."""
        arrays, start = [], 0
        for shape, _ in self.shapes():
            stop = start + math.prod(shape)
            arrays.append(vector[start:stop].reshape(shape))
            start = stop
        layers = zip(arrays[2::2], arrays[3::2], strict=True)
        return Parameters(arrays[0], arrays[1], tuple(Layer(*layer) for layer in layers))

    def flatten(self, parameters: Parameters) -> NDArray[np.float64]:
        """Lay the arrays end to end, the inverse of `unflatten`."""
        leaves = jax.tree.leaves(parameters)
        return np.concatenate([np.ravel(np.asarray(leaf, dtype=np.float64)) for leaf in leaves])

    def initial(self, rng: np.random.Generator) -> NDArray[np.float64]:
        """Draw a start: every array uniform in ±1/√fan-in, as in the released program."""
        draws = [
            rng.uniform(-1.0, 1.0, size=shape).ravel() / math.sqrt(fan_in)
            for shape, fan_in in self.shapes()
        ]
        return np.concatenate(draws)


def first_layer(parameters: Parameters, values: Array) -> Array:
    """Convolve the series with every kernel: (N, d) -> (N−K, target, kernel).

    Row t of the answer belongs to time t+K. The K+1 products below read shifted slices of
    the one series, so the lag-concatenated copy of the data is never built.
    """
    lags_plus_one, d, _, m = parameters.kernels.shape
    windows = values.shape[0] - lags_plus_one + 1
    answer = jnp.zeros((), values.dtype)
    for lag in range(lags_plus_one):
        start = lags_plus_one - 1 - lag
        kernel = parameters.kernels[lag].reshape(d, d * m)
        answer = answer + values[start : start + windows] @ kernel
    return answer.reshape(windows, d, m) + parameters.biases


def predict(parameters: Parameters, values: Array) -> Array:
    """E[X_j^t | parents] for every target and window: (N, d) -> (N−K, d)."""
    signal = first_layer(parameters, values)
    for weights, biases in parameters.layers:
        signal = locally_connected(jax.nn.sigmoid(signal), weights, biases)
    return signal[:, :, 0]


def locally_connected(signal: Array, weights: Array, biases: Array) -> Array:
    """Apply each target's own dense layer: (n, target, input) -> (n, target, output)."""
    if weights.shape[-1] == 1:  # a fused multiply and sum beats d matrix-vector products
        return (signal * weights[:, :, 0]).sum(axis=-1, keepdims=True) + biases
    return jnp.einsum("tji,jio->tjo", signal, weights) + biases
