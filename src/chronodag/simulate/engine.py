"""The loop over time: all variables of all processes of one lag-0 layer are computed at once.

Rows must follow each other, and within a row a variable must follow its lag-0 causes. Everything
else is independent: variables are sorted into layers by the longest lag-0 path that ends in them,
and each layer of each mechanism, over all processes, is one short run of array operations.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from chronodag.simulate.common import FloatArray
from chronodag.simulate.mechanisms import aim_mean, anm_mean, count_until


@dataclass(frozen=True)
class Task:
    """One series to compute.

    Attributes:
        mechanism: Name of the mechanism.
        parents: int (edges, 3): target, lag and source of every edge, sorted by target.
        weights: (edges, units).
        readout: θ2, (d, units) for ANM; otherwise (d, 0).
        offset: φ, (d,); used by GLM-Pois.
        noise: (rows, d), or arrival times (rows, d, width) for GLM-Pois.
        values: (rows, d); already final for the variables that are not `computed`.
        computed: The variables that answer their parents.
        layers: Lag-0 layer of each variable.
        lags: K.
    """

    mechanism: str
    parents: NDArray[np.int64]
    weights: FloatArray
    readout: FloatArray
    offset: FloatArray
    noise: FloatArray
    values: FloatArray
    computed: NDArray[np.bool_]
    layers: NDArray[np.int64]
    lags: int


class _Group:
    """The variables of one layer and one mechanism, over all tasks.

    Axes: p parents (filled up with weight 0), s slots (variables), u units.
    """

    def __init__(self, mechanism: str, slots: list[tuple[Task, int, int]], lags: int, width: int):
        # NumPy adds up a lone column in another order than many: never leave a slot alone, so
        # that a series comes out the same to the last bit in every company.
        slots = slots * 2 if len(slots) == 1 else slots
        self.mechanism = mechanism
        self.columns = np.array([start + j for _, j, start in slots])
        edges = [np.flatnonzero(task.parents[:, 0] == j) for task, j, _ in slots]
        most = max(map(len, edges))
        units = slots[0][0].weights.shape[1]
        self.index = np.zeros((most, len(slots)), dtype=np.intp)
        self.weights = np.zeros((most, len(slots), units))
        for s, ((task, _, start), own) in enumerate(zip(slots, edges, strict=True)):
            _, lag, source = task.parents[own].T
            self.index[: len(own), s] = (lags - lag) * width + start + source
            self.weights[: len(own), s] = task.weights[own]
        self.noise = _stack_noise([task.noise[:, j] for task, j, _ in slots])
        self.offset = np.array([task.offset[j] for task, j, _ in slots])
        if mechanism == "ANM":  # see anm_mean
            self.weights *= 0.5
            self.readout = 0.5 * np.array([task.readout[j] for task, j, _ in slots])
            self.offset = self.readout.sum(axis=1)

    def advance(self, window: FloatArray, row: int) -> FloatArray:
        """Return the values of the slots; `window` holds K past rows and this one, flattened."""
        projections = np.einsum("ps,psu->su", window[self.index], self.weights)
        noise: FloatArray = self.noise[row]
        if self.mechanism == "GLM-Pois":
            rates: FloatArray = np.tanh(projections[:, 0]) + self.offset
            return count_until(noise, rates).astype(np.float64)
        mean = projections[:, 0]
        if self.mechanism == "ANM":
            mean = anm_mean(projections, self.readout, self.offset)
        elif self.mechanism == "AIM":
            mean = aim_mean(projections)
        values: FloatArray = mean + noise
        return values


def run(tasks: Sequence[Task]) -> list[FloatArray]:
    """Fill in the computed values of every task; all tasks have the same number of rows."""
    lags = max(task.lags for task in tasks)
    rows = len(tasks[0].values)
    starts = np.cumsum([0, *(task.values.shape[1] for task in tasks)])
    width = int(starts[-1])
    history = np.zeros((lags + rows, width))  # K rows of zeros come before the first
    history[lags:] = np.hstack([task.values for task in tasks])
    groups = list(_groups(tasks, starts, lags, width))
    for row in range(rows):
        window = history[row : row + lags + 1].reshape(-1)
        now = history[row + lags]
        for group in groups:
            now[group.columns] = group.advance(window, row)
    return [history[lags:, start:stop].copy() for start, stop in pairwise(starts)]


def _groups(
    tasks: Sequence[Task], starts: NDArray[np.int64], lags: int, width: int
) -> Iterator[_Group]:
    """Yield the groups, an earlier layer before a later one."""
    members: dict[tuple[int, str], list[tuple[Task, int, int]]] = {}
    for task, start in zip(tasks, starts[:-1], strict=True):
        for j in np.flatnonzero(task.computed):
            key = (int(task.layers[j]), task.mechanism)
            members.setdefault(key, []).append((task, int(j), int(start)))
    for (_, mechanism), slots in sorted(members.items(), key=lambda item: item[0]):
        yield _Group(mechanism, slots, lags, width)


def _stack_noise(columns: Sequence[FloatArray]) -> FloatArray:
    """Stack to (rows, slots) or (rows, slots, width), arrivals filled up with inf."""
    if columns[0].ndim == 1:
        return np.stack(columns, axis=1)
    rows, width = len(columns[0]), max(column.shape[1] for column in columns)
    stacked = np.full((rows, len(columns), width), np.inf)
    for s, column in enumerate(columns):
        stacked[:, s, : column.shape[1]] = column
    return stacked


def lag_0_layers(lag_0: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return for each variable the length of the longest path in the DAG `lag_0` that ends there.

    A variable's layer grows by one per round as long as a cause sits no lower: d rounds suffice.
    """
    layers = np.zeros(len(lag_0), dtype=np.int64)
    for _ in range(len(lag_0)):
        layers = np.where(lag_0, layers[:, None] + 1, 0).max(axis=0)
    return layers
