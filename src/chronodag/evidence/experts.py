"""The windows of a panel as blocks, each with a Gaussian process of its own and one shared θ.

A Gaussian process over n windows costs n³. Blocks of a few hundred windows that share θ, whose
log evidences are added (a product of experts: Ng & Deisenroth 2014), cost n.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chronodag.data import LaggedView
from chronodag.evidence.gaussian_process import negative_log_evidence, value_and_gradient

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

PENALTY = 2.0
"""Nats per unit of a root of relevance: a mild push towards zero, as from an exponential prior."""
_LARGEST_ROOT = 10.0
_LOG_SCALE = (-8.0, 3.0)
_LOG_NOISE = (-6.0, 0.5)


@dataclass(frozen=True, eq=False)
class Experts:
    """Inputs `(windows, (K+1)·d)`, by lag and then source, and targets `(windows, d)` by block."""

    inputs: tuple[Any, ...]
    squares: tuple[Any, ...]
    targets: tuple[Any, ...]

    @classmethod
    def of(cls, view: LaggedView, size: int, windows: int) -> Experts:
        """Cut at most `windows` windows, evenly spread, into blocks of about `size`."""
        usable = np.flatnonzero(view.weights)
        if len(usable) > windows:
            usable = usable[np.linspace(0, len(usable) - 1, windows).round().astype(int)]
        blocks = np.array_split(usable, max(1, round(len(usable) / size)))
        rows = [block + view.lags for block in blocks]
        inputs = tuple(
            np.concatenate([view.values[row - lag] for lag in range(view.lags + 1)], axis=1).astype(
                np.float32, order="F"
            )
            for row in rows
        )
        targets = tuple(view.values[row].astype(np.float32) for row in rows)
        return cls(inputs, tuple(block * block for block in inputs), targets)

    @property
    def windows(self) -> int:
        """How many windows all blocks hold."""
        return sum(len(block) for block in self.targets)

    @property
    def dimension(self) -> int:
        """The number of variables, d."""
        return int(self.targets[0].shape[1])

    @property
    def width(self) -> int:
        """The number of inputs, (K+1)·d."""
        return int(self.inputs[0].shape[1])

    def places(self, columns: IntArray) -> IntArray:
        """Where the θ of these inputs stand in a full row of θ."""
        ends = [2 * self.width, 2 * self.width + 1]
        return np.concatenate([columns, self.width + columns, ends])

    def evaluate(
        self, target: int, columns: IntArray, theta: FloatArray
    ) -> tuple[float, FloatArray]:
        """Return the penalised −log evidence, in nats, and its gradient in θ (local)."""
        total, slope = 0.0, np.zeros_like(theta)
        everything = len(columns) == self.width
        for inputs, squares, targets in zip(self.inputs, self.squares, self.targets, strict=True):
            chosen = (inputs, squares) if everything else (inputs[:, columns], squares[:, columns])
            value, gradient = value_and_gradient(theta, *chosen, targets[:, target])
            total += value
            slope += gradient
        roots = 2 * len(columns)
        slope[:roots] += PENALTY
        return total + PENALTY * float(theta[:roots].sum()), slope

    def log_loss(self, target: int, columns: IntArray, theta: FloatArray) -> float:
        """Return the −log evidence alone."""
        return sum(
            negative_log_evidence(theta, inputs[:, columns], targets[:, target])
            for inputs, targets in zip(self.inputs, self.targets, strict=True)
        )

    def minimise(
        self, target: int, columns: IntArray, start: FloatArray, tolerance: float, steps: int
    ) -> tuple[float, FloatArray]:
        """Return the least penalised −log evidence near `start`, and its θ (both local)."""
        from scipy.optimize import minimize

        found = minimize(
            lambda theta: self.evaluate(target, columns, theta),
            start,
            jac=True,
            method="L-BFGS-B",
            bounds=limits(len(columns)),
            options={"maxiter": steps, "ftol": tolerance},
        )
        return float(found.fun), np.asarray(found.x)


def limits(inputs: int) -> list[tuple[float, float]]:
    """The bounds of θ for so many inputs. Roots ≥ 0, so that their penalty has no kink."""
    return [(0.0, _LARGEST_ROOT)] * (2 * inputs) + [_LOG_SCALE, _LOG_NOISE]


def first_guess(columns: IntArray, width: int) -> FloatArray:
    """A full row of θ in which all these inputs are a little relevant."""
    row = np.zeros(2 * width + 2)
    row[columns] = 0.2 / np.sqrt(width)
    row[width + columns] = 1.0 / np.sqrt(width)
    row[-2:] = -1.0, -0.7
    return row
