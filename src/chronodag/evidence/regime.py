"""Whether the series are nearly free of noise, so that lag 0 cannot be told from the past.

In a deterministic system sampled in steps, the other variables *now* always sharpen what their
past says: the evidence for lag-0 edges grows without end with the data, though the equations
have none. The sign of such a system is that the past of all variables explains nearly all that a
variable's own past leaves open, and that all inputs together explain the rest.
"""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chronodag.evidence.experts import Experts, first_guess

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]

# Limits between deterministic systems and processes with noise; docs/results/trust.md has both.
PAST_ENOUGH = 0.3
ALL_ENOUGH = 0.075
# In finely sampled series the own past says most already, so little is left to compare with.
LITTLE_LEFT = 0.03
PAST_HELPS = 0.6
_TOLERANCE, _STEPS = 1e-4, 60


@dataclass(frozen=True)
class Regime:
    """How much of the variance stays unexplained; medians over the variables."""

    own: float
    """By the variable's own past in a straight line."""
    past: float
    """By the past of all variables, as a share of `own`."""
    everything: float
    """By all inputs, those of the same moment included, as a share of `own`; NaN if not needed."""

    @property
    def noise_free(self) -> bool:
        """Whether lag 0 adds nothing that the past would not say."""
        determined = self.past < PAST_ENOUGH and self.everything < ALL_ENOUGH
        return determined or (self.past < PAST_HELPS and self.past * self.own < LITTLE_LEFT)


def regime(experts: Experts, allowed: BoolArray, pool: Executor) -> Regime:
    """Compare what the own past, all pasts and all inputs explain; `allowed` `[target, input]`."""
    d, width = experts.dimension, experts.width
    if width == d:
        return Regime(np.nan, np.inf, np.nan)  # without a past there is nothing to compare

    def unexplained(target: int, first: int) -> float:
        columns = first + np.flatnonzero(allowed[target, first:])
        start = first_guess(columns, width)[experts.places(columns)]
        _, theta = experts.minimise(target, columns, start, _TOLERANCE, _STEPS)
        return float(np.exp(theta[-1]) / own[target])

    own = own_past(experts)
    left = float(np.median(own))
    past = float(np.median(list(pool.map(lambda j: unexplained(j, d), range(d)))))
    if past >= PAST_ENOUGH:
        return Regime(left, past, np.nan)
    everything = float(np.median(list(pool.map(lambda j: unexplained(j, 0), range(d)))))
    return Regime(left, past, everything)


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
