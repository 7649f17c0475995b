"""The loop over time, compiled by Numba: one series at a time, each in a thread of its own.

The equations are those of `engine`, in another order of rounding, so that the two engines give
different digits: both are right, and long series of a chaotic process drift apart. Within this one
a series never depends on its company. Numba is optional (`chronodag[fast]`); the first call of all
compiles for some seconds, and what was compiled is kept on disk.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from chronodag.simulate.common import FloatArray
from chronodag.simulate.engine import Task

KINDS = {"ANM": 0, "AIM": 1, "GLM-Pois": 2, "linear": 3}
_C2, _C3, _C4, _C5, _C6, _C7, _C8, _C9, _C10 = (1.0 / math.factorial(k) for k in range(2, 11))
_SATURATED = 40.0  # sigmoid(±40) is 0 or 1 to the last digit
_SHRINK = 2.0**-8
_FREEDOM = {"contract", "reassoc", "nsz"}  # sums in any order, but nan and inf as ever
# The error model of NumPy: a check for division by zero would keep loops from vector instructions.
_compiled: Any = njit(cache=True, nogil=True, error_model="numpy", fastmath=_FREEDOM)
_HAS_AFFINITY = hasattr(os, "sched_getaffinity")


def run(tasks: Iterable[Task], count: int) -> list[FloatArray]:
    """Fill in the computed values of `count` tasks; later ones are drawn while earlier ones run."""
    cores = len(os.sched_getaffinity(0)) if _HAS_AFFINITY else os.cpu_count() or 1
    if min(count, cores) < 2:
        return [_run_one(task) for task in tasks]
    with ThreadPoolExecutor(min(count, cores)) as pool:
        return list(pool.map(_run_one, tasks))


def _run_one(task: Task) -> FloatArray:
    d = task.values.shape[1]
    targets, lags, sources = task.parents.T
    starts = np.searchsorted(targets, np.arange(d + 1))
    order = np.argsort(task.layers, kind="stable")
    order = order[task.computed[order]]
    history = np.zeros((task.lags + len(task.values), d))
    history[task.lags :] = task.values
    back = sources - lags * d  # from the beginning of the row
    units = task.weights.shape[1]
    arrivals = task.noise if task.mechanism == "GLM-Pois" else np.empty((0, 0, 0))
    noise = task.noise if task.noise.ndim == 2 else np.empty((0, 0))
    _advance(
        KINDS[task.mechanism],
        history.reshape(-1),
        task.lags,
        order,
        starts,
        np.ascontiguousarray(back),
        np.ascontiguousarray(task.weights),
        np.ascontiguousarray(task.readout),
        task.offset,
        noise,
        arrivals,
        np.empty(units),
    )
    return history[task.lags :].copy()


@_compiled  # type: ignore[untyped-decorator]
def _anm(seen: FloatArray, readout: FloatArray) -> Any:
    """Σ readout / (1 + exp(-seen)), with an exponential that compiles to vector instructions.

    exp(x) = exp(x / 2^8)^(2^8), and there the Taylor sum to the 10th power is exact to the last
    digit; squaring it 8 times costs less than 3 of the 16 digits, and no call of a library.
    """
    mean = 0.0
    for unit in range(len(seen)):
        x = -_SHRINK * min(max(seen[unit], -_SATURATED), _SATURATED)
        high = _C6 + x * (_C7 + x * (_C8 + x * (_C9 + x * _C10)))
        power = 1.0 + x * (1.0 + x * (_C2 + x * (_C3 + x * (_C4 + x * (_C5 + x * high)))))
        power *= power  # written out, since a loop here would keep the outer one from vectors
        power *= power
        power *= power
        power *= power
        power *= power
        power *= power
        power *= power
        power *= power
        mean += readout[unit] / (1.0 + power)
    return mean


@_compiled  # type: ignore[untyped-decorator]
def _advance(
    kind: int,
    history: FloatArray,
    first: int,
    order: NDArray[np.int64],
    starts: NDArray[np.int64],
    back: NDArray[np.int64],
    weights: FloatArray,
    readout: FloatArray,
    offset: FloatArray,
    noise: FloatArray,
    arrivals: FloatArray,
    seen: FloatArray,
) -> None:
    """Compute every row of one series in place, causes before effects; `first` rows are given."""
    d = len(starts) - 1
    units = weights.shape[1]
    for row in range(first, len(history) // d):
        base = row * d
        for j in order:
            seen[:] = 0.0
            for edge in range(starts[j], starts[j + 1]):
                value = history[base + back[edge]]
                for unit in range(units):
                    seen[unit] += value * weights[edge, unit]
            if kind == 0:
                mean = _anm(seen, readout[j])
            elif kind == 1:
                mean = math.tanh(seen[0]) + math.cos(seen[1]) + math.sin(seen[2])
            elif kind == 3:
                mean = seen[0]
            else:
                rate = math.tanh(seen[0]) + offset[j]
                count = 0
                for k in range(arrivals.shape[2]):
                    count += arrivals[row - first, j, k] <= rate
                history[base + j] = count
                continue
            history[base + j] = mean + noise[row - first, j]
