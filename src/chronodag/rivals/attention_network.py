"""The networks of TCDF, one per target and all trained at once: one compiled loop over epochs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import NDArray

from chronodag.solve.compiled import call_compiled

FloatArray = NDArray[np.float64]
Parameters = dict[str, Any]
_SPREAD = 0.1  # of the weights at the start
_BETA1, _BETA2, _TINY = 0.9, 0.999, 1e-8  # Adam (Kingma & Ba, 2015)


@dataclass(frozen=True)
class _Program:
    """What is compiled for."""

    dilation: int
    epochs: int


@dataclass(frozen=True, eq=False)
class Trained:
    """What training found; matrices are `[source, target]`, losses one per target."""

    scores: FloatArray
    """Raw attention, 1 at the start."""
    attention: FloatArray
    """Shares of attention: the softmax of the scores, 1 in all per target."""
    kernels: FloatArray  # [level, target, source, tap]
    first_loss: FloatArray
    last_loss: FloatArray
    shuffled_loss: FloatArray
    """[source, target]: the loss of a target when one source is shuffled in time."""


def train(
    values: FloatArray,
    *,
    kernel_size: int,
    dilation: int,
    levels: int,
    learning_rate: float,
    epochs: int,
    rng: np.random.Generator,
) -> Trained:
    """Train on one series, `[moment, variable]`, and try each source shuffled."""
    program = _Program(dilation, epochs)
    start = _start(values.shape[1], kernel_size, levels, rng)
    series = np.ascontiguousarray(values.T, dtype=np.float32)
    shuffled = rng.permuted(series, axis=1)
    with jax.enable_x64(False):
        arguments = jax.device_put((start, series, shuffled, np.float32(learning_rate)))
        found = jax.device_get(call_compiled(_train, program, *arguments))
    parameters, first, last, spoiled = found
    scores = np.asarray(parameters["attention"].T, dtype=np.float64)
    powers = np.exp(scores - scores.max(axis=0))
    return Trained(
        scores,
        powers / powers.sum(axis=0),
        np.asarray(parameters["kernels"], dtype=np.float64),
        np.asarray(first, dtype=np.float64),
        np.asarray(last, dtype=np.float64),
        np.asarray(spoiled, dtype=np.float64),
    )


def _start(d: int, kernel_size: int, levels: int, rng: np.random.Generator) -> Parameters:
    def draw(*shape: int) -> NDArray[np.float32]:
        return (_SPREAD * rng.standard_normal(shape)).astype(np.float32)

    return {
        "attention": np.ones((d, d), np.float32),  # [target, source], as all that follow
        "kernels": draw(levels, d, d, kernel_size),
        "shifts": np.zeros((levels, d, d), np.float32),
        "slopes": np.full((levels, d, d), 0.25, np.float32),  # PReLU left of zero
        "mix": draw(d, d),
        "level": np.zeros(d, np.float32),
    }


def _losses(parameters: Parameters, series: Array, target: Array, dilation: int) -> Array:
    """Mean squared error per target; a target sees its own series one row late."""
    d = len(series)
    late = jnp.pad(series, ((0, 0), (1, 0)))[:, :-1]
    own = jnp.eye(d, dtype=bool)[:, :, None]
    hidden = jnp.where(own, late[None], series[None])  # [target, source, moment]
    hidden = hidden * jax.nn.softmax(parameters["attention"], axis=1)[:, :, None]
    levels = len(parameters["kernels"])
    for level in range(levels):
        passed = _convolve(hidden, parameters["kernels"][level], dilation**level)
        passed = passed + parameters["shifts"][level][:, :, None]
        if level < levels - 1 or levels == 1:  # the last of several is linear
            slope = parameters["slopes"][level][:, :, None]
            passed = jnp.where(passed > 0, passed, slope * passed)
        hidden = passed + hidden if level else passed  # residual connections between levels
    forecast = jnp.einsum("jit,ji->jt", hidden, parameters["mix"]) + parameters["level"][:, None]
    return jnp.mean(jnp.square(forecast - target), axis=1)


def _convolve(series: Array, kernels: Array, spacing: int) -> Array:
    """Convolve each `[target, source]` series with its own kernel, looking back only."""
    moments = series.shape[-1]
    taps = kernels.shape[-1]
    padded = jnp.pad(series, ((0, 0), (0, 0), ((taps - 1) * spacing, 0)))
    total = jnp.zeros_like(series)
    for tap in range(taps):
        first = (taps - 1 - tap) * spacing
        total = total + kernels[:, :, tap, None] * padded[:, :, first : first + moments]
    return total


@partial(jax.jit, static_argnums=0)
def _train(
    program: _Program, start: Parameters, series: Array, shuffled: Array, rate: Array
) -> tuple[Parameters, Array, Array, Array]:
    def losses(parameters: Parameters, seen: Array) -> Array:
        return _losses(parameters, seen, series, program.dilation)

    def epoch(count: Any, state: Any) -> Any:
        gradient = jax.grad(lambda p: jnp.sum(losses(p, series)))(state[0])
        return _adam(state, gradient, count + 1.0, rate)

    zeros = jax.tree.map(jnp.zeros_like, start)
    parameters, _, _ = jax.lax.fori_loop(0, program.epochs, epoch, (start, zeros, zeros))

    def without(source: Array) -> Array:
        return losses(parameters, series.at[source].set(shuffled[source]))

    spoiled = jax.lax.map(without, jnp.arange(len(series)))
    return parameters, losses(start, series), losses(parameters, series), spoiled


def _adam(state: Any, gradient: Parameters, count: Any, rate: Array) -> Any:
    parameters, mean, square = state
    mean = jax.tree.map(lambda m, g: _BETA1 * m + (1 - _BETA1) * g, mean, gradient)
    square = jax.tree.map(lambda s, g: _BETA2 * s + (1 - _BETA2) * g * g, square, gradient)
    grown1, grown2 = 1 - _BETA1**count, 1 - _BETA2**count

    def step(x: Array, m: Array, s: Array) -> Array:
        moved: Array = x - rate * (m / grown1) / (jnp.sqrt(s / grown2) + _TINY)
        return moved

    return jax.tree.map(step, parameters, mean, square), mean, square
