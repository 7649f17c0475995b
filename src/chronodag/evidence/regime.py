"""Whether the series are nearly free of noise, so that lag 0 cannot be told from the past.

In a deterministic system sampled in steps, the other variables *now* always sharpen what their
past says: the evidence for lag-0 edges grows without end with the data, though the equations
have none. The sign of such a system is that nothing new ever enters: the past of all variables
explains most of nearly every variable, and all inputs together nearly all of it.
"""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chronodag.evidence.experts import Experts, first_guess

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

# Limits between deterministic systems and processes with noise; docs/results/trust.md has both.
PAST_LEAVES = 0.45
ALL_LEAVES = 0.1
PAST_HELPS = 0.4
_NEARLY_ALL = 0.9  # the quantile over the variables that stands for "nearly every"
_TOLERANCE, _STEPS = 1e-4, 60


@dataclass(frozen=True)
class Regime:
    """How much of the variance stays unexplained, in nearly every variable (the 0.9 quantile)."""

    past: float
    """By the past of all variables."""
    everything: float
    """By all inputs, those of the same moment included; NaN if not looked at."""
    helps: float
    """What the past of all leaves beside what the own past does in a straight line; the median.

    Slow series driven by noise are explained by their own past, and only by that: near 1.
    """

    @property
    def noise_free(self) -> bool:
        """Whether lag 0 adds nothing that the past would not say."""
        return _nothing_new(self.past, self.helps) and self.everything < ALL_LEAVES


def regime(experts: Experts, allowed: BoolArray, pool: Executor) -> Regime:
    """Compare what the own past, all pasts and all inputs explain; `allowed` `[target, input]`."""
    d, width = experts.dimension, experts.width
    if width == d:
        return Regime(np.inf, np.nan, np.nan)  # without lags there is no past

    def unexplained(target: int, first: int) -> float:
        columns = first + np.flatnonzero(allowed[target, first:])
        start = first_guess(columns, width)[experts.places(columns)]
        _, theta = experts.minimise(target, columns, start, _TOLERANCE, _STEPS)
        return float(np.exp(theta[-1]))

    by_past = np.array(list(pool.map(lambda j: unexplained(j, d), range(d))))
    past = float(np.quantile(by_past, _NEARLY_ALL))
    helps = float(np.median(by_past / own_past(experts)))
    if not _nothing_new(past, helps):
        return Regime(past, np.nan, helps)
    by_all = list(pool.map(lambda j: unexplained(j, 0), range(d)))
    return Regime(past, float(np.quantile(by_all, _NEARLY_ALL)), helps)


def _nothing_new(past: float, helps: float) -> bool:
    return past < PAST_LEAVES and helps < PAST_HELPS


def own_past(experts: Experts) -> FloatArray:
    """Return per variable the variance that a straight line through its own past leaves."""
    d = experts.dimension
    inputs = np.concatenate(experts.inputs).astype(np.float64)
    targets = np.concatenate(experts.targets).astype(np.float64)
    left = np.empty(d)
    for j in range(d):
        own = np.column_stack([inputs[:, d + j :: d], np.ones(len(inputs))])
        coefficients = np.linalg.lstsq(own, targets[:, j], rcond=None)[0]
        left[j] = np.var(targets[:, j] - own @ coefficients)
    return np.maximum(left, 1e-12)
