"""How a variable answers its parents: the parameters, the noise and the response of each mechanism.

With PA the values of *all* parents of a variable (every lag), one number each, and every θ uniform
on [-2, -0.5] ∪ [0.5, 2]:

| name     | value of the variable                                          | units |
|----------|----------------------------------------------------------------|-------|
| ANM      | sigmoid(PA·θ1)·θ2 + Z, θ1 of shape (parents, 100)              | 100   |
| AIM      | tanh(PA·θ1) + cos(PA·θ2) + sin(PA·θ3) + Z                      | 3     |
| GLM-Pois | Poisson(tanh(PA·θ) + φ)                                        | 1     |
| linear   | PA·θ + Z, θ on ±[0.2, 0.5] and then shrunk over the lags       | 1     |

Z is Gaussian, of standard deviation 1 unless `noise_scale` says otherwise. A variable without
parents is Z alone.
"""

import numpy as np
from numpy.typing import NDArray

from chronodag.simulate.common import FloatArray

UNITS = {"ANM": 100, "AIM": 3, "GLM-Pois": 1, "linear": 1}


def signed_uniform(
    low: float, high: float, shape: int | tuple[int, ...], rng: np.random.Generator
) -> FloatArray:
    """Draw uniformly from [-high, -low] ∪ [low, high]."""
    size = rng.uniform(low, high, shape)
    return np.where(rng.random(shape) < 0.5, -size, size)


def arrivals(rates: FloatArray, rows: int, rng: np.random.Generator) -> FloatArray:
    """Draw for every row and variable the arrival times of a unit-rate Poisson process.

    Counting the arrivals up to r gives a Poisson(r) value for any r up to `rates`, exactly. The
    draw is thus apart from the rate that a variable's parents call for later, and a higher rate
    never lowers a count.

    Returns:
        Shape (rows, d, most arrivals seen), filled up with inf.
    """
    counts = rng.poisson(rates, size=(rows, rates.size))
    width = max(int(counts.max(initial=0)), 1)
    times = rng.random((rows, rates.size, width))
    times *= rates[:, None]
    np.copyto(times, np.inf, where=np.arange(width) >= counts[..., None])
    return times


def count_until(times: FloatArray, rates: FloatArray) -> NDArray[np.int64]:
    """Count the arrivals (last axis of `times`) up to `rates`."""
    return np.asarray(np.add.reduce(times <= rates[..., None], axis=-1, dtype=np.int64))


def anm_mean(projections: FloatArray, readout: FloatArray, offset: FloatArray) -> FloatArray:
    """sigmoid(2·projections)·θ2, from halved θ1 and θ2; overwrites `projections` (slots, units).

    sigmoid(2z) = (1 + tanh z)/2, where tanh can't overflow. `readout` is θ2/2, `offset` its sum.
    """
    np.tanh(projections, out=projections)
    mean: FloatArray = np.einsum("su,su->s", projections, readout) + offset
    return mean


def aim_mean(projections: FloatArray) -> FloatArray:
    """Tanh + cos + sin of the three projections; `projections` has shape (slots, 3)."""
    first, second, third = np.ascontiguousarray(projections.T)
    return np.asarray(np.tanh(first) + np.cos(second) + np.sin(third))


NOISES = ("normal", "student", "laplace", "uniform")


def standard_noise(
    shape_name: str, size: tuple[int, ...], rng: np.random.Generator
) -> NDArray[np.float64]:
    """Draw noise of mean 0 and variance 1."""
    if shape_name == "student":
        return np.asarray(rng.standard_t(3, size) / np.sqrt(3.0))
    if shape_name == "laplace":
        return np.asarray(rng.laplace(0.0, np.sqrt(0.5), size))
    if shape_name == "uniform":
        return np.asarray(rng.uniform(-np.sqrt(3.0), np.sqrt(3.0), size))
    return np.asarray(rng.standard_normal(size))
