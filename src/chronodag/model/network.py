"""One 1-D CNN per target (section 3 of the paper), written for reading.

The first layer of network j holds m kernels of shape d × (K+1), and m biases; later layers are
locally connected: each target has its own weights. The parameters of all networks lie in one
array `x[target, :]`, a row per network, because without lag-0 edges the rows are independent
problems. `Parameters` names the pieces. `chronodag.model.fused` computes the same loss faster.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import NDArray

AnyArray: TypeAlias = Any
"""A NumPy array at rest, a JAX array within compiled code; the same indexing serves both."""


class Layer(NamedTuple):
    """A locally connected layer."""

    weights: AnyArray  # [target, input, output]
    biases: AnyArray  # [target, output]


class Parameters(NamedTuple):
    """θ = {φ, ψ}: the first-layer kernels φ and everything behind them, ψ."""

    kernels: AnyArray  # φ [lag, source, target, kernel]
    biases: AnyArray  # [target, kernel]
    layers: tuple[Layer, ...]  # the last one has a single output: the prediction


@dataclass(frozen=True)
class Architecture:
    """The sizes of the networks; hashable, so equal ones share compiled code."""

    dimension: int  # d
    lags: int  # K
    hidden: tuple[int, ...]  # (m, …): kernels, then the width of each further hidden layer

    @property
    def inputs(self) -> int:
        """How many numbers a kernel looks at: d (K+1)."""
        return self.dimension * (self.lags + 1)

    @property
    def first_layer_size(self) -> int:
        """Columns of a row of x that hold the first layer: m kernels, each with its bias."""
        return self.hidden[0] * (self.inputs + 1)

    @property
    def row_size(self) -> int:
        """Parameters of one network."""
        return self.first_layer_size + sum(math.prod(shape) for shape, _ in self._later_shapes())

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of x: `[target, parameter]`."""
        return (self.dimension, self.row_size)

    def _later_shapes(self) -> Iterator[tuple[tuple[int, ...], int]]:
        """Yield (shape, fan-in) of weights and biases of each locally connected layer."""
        for width, following in itertools.pairwise((*self.hidden, 1)):
            yield (width, following), width
            yield (following,), width

    def parameter_shapes(self) -> list[tuple[int, ...]]:
        """Return the shapes of the arrays of `Parameters`, in their order."""
        d, m = self.dimension, self.hidden[0]
        later = [(d, *shape) for shape, _ in self._later_shapes()]
        return [(self.lags + 1, d, d, m), (d, m), *later]

    def first_layer(self, x: AnyArray) -> AnyArray:
        """Return the first-layer weights `[target, kernel, input]`, inputs by lag, then source.

        The last input is the constant 1: its weight is the bias.
        """
        shape = (self.dimension, self.hidden[0], self.inputs + 1)
        return x[:, : self.first_layer_size].reshape(shape)

    def unflatten(self, x: AnyArray) -> Parameters:
        """Name the pieces of x."""
        d, m = self.dimension, self.hidden[0]
        first = self.first_layer(x)
        by_lag = first[:, :, :-1].reshape(d, m, self.lags + 1, d)
        pieces, start = [], self.first_layer_size
        for shape, _ in self._later_shapes():
            stop = start + math.prod(shape)
            pieces.append(x[:, start:stop].reshape(d, *shape))
            start = stop
        layers = zip(pieces[0::2], pieces[1::2], strict=True)
        kernels = by_lag.transpose(2, 3, 0, 1)
        return Parameters(kernels, first[:, :, -1], tuple(Layer(*layer) for layer in layers))

    def flatten(self, parameters: Parameters) -> NDArray[np.float64]:
        """Lay named pieces out as x, the inverse of `unflatten`."""
        d = self.dimension
        kernels = np.asarray(parameters.kernels, dtype=np.float64).transpose(2, 3, 0, 1)
        rows = kernels.reshape(d, self.hidden[0], self.inputs)
        biases = np.asarray(parameters.biases, dtype=np.float64)[:, :, None]
        pieces = [np.concatenate([rows, biases], axis=2).reshape(d, -1)]
        for layer in parameters.layers:
            pieces += [np.asarray(piece, dtype=np.float64).reshape(d, -1) for piece in layer]
        return np.concatenate(pieces, axis=1)

    def initial(self, rng: np.random.Generator) -> NDArray[np.float64]:
        """Draw a start: every array uniform in ±1/√fan-in, as in the released program."""
        d = self.dimension
        scales = [np.full(self.first_layer_size, 1.0 / math.sqrt(self.inputs))]
        scales += [np.full(math.prod(s), 1.0 / math.sqrt(fan)) for s, fan in self._later_shapes()]
        return np.asarray(rng.uniform(-1.0, 1.0, (d, self.row_size)) * np.concatenate(scales))

    def per_kernel(self, cells: NDArray[np.float64], elsewhere: float = 0.0) -> NDArray[np.float64]:
        """Spread one number per edge, `[lag, source, target]`, over the kernel weights of x."""
        d, m = self.dimension, self.hidden[0]
        spread = np.full(self.shape, elsewhere)
        first = spread[:, : self.first_layer_size].reshape(d, m, self.inputs + 1)
        first[:, :, :-1] = cells.transpose(2, 0, 1).reshape(d, 1, self.inputs)
        spread[:, : self.first_layer_size] = first.reshape(d, -1)
        return spread


def sigmoid(signal: Array) -> Array:
    """1 / (1 + e⁻ˢ), by the hyperbolic tangent, which compiles to faster code."""
    return 0.5 + 0.5 * jnp.tanh(0.5 * signal)


def predict(parameters: Parameters, values: Array) -> Array:
    """E[X_j^t | parents] for every target and window: (N, d) -> (N−K, d).

    Row t of the answer belongs to time t+K. The K+1 products read shifted slices of the one
    series; its lag-concatenated copy is never built.
    """
    lags_plus_one, d, _, m = parameters.kernels.shape
    windows = values.shape[0] - lags_plus_one + 1
    products = [
        values[lags_plus_one - 1 - lag :][:windows] @ parameters.kernels[lag].reshape(d, d * m)
        for lag in range(lags_plus_one)
    ]
    signal = sum(products).reshape(windows, d, m) + parameters.biases
    for weights, biases in parameters.layers:
        signal = jnp.einsum("tji,jio->tjo", sigmoid(signal), weights) + biases
    prediction: Array = signal[:, :, 0]
    return prediction
