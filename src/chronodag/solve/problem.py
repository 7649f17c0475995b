"""The bounded problem and the small interface that every inner solver shares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import jax
import numpy as np
from jax import Array
from numpy.typing import NDArray

from chronodag.solve.status import InnerStatus

Vector = NDArray[np.float64]
Smooth = Callable[[Array, Any], Array]
Constraint = Callable[[Array], Array]


class Multipliers(NamedTuple):
    """ρ and α of the augmented Lagrangian."""

    rho: float
    alpha: float


@dataclass(frozen=True)
class Problem:
    """Minimise smooth(x, data) + Σ l1·|x|, lower ≤ x ≤ upper, subject to constraint(x) = 0.

    `smooth` and `constraint` are traceable by JAX and hashable: equal ones share compiled code.
    """

    smooth: Smooth
    constraint: Constraint | None
    data: Any  # a pytree of arrays
    l1: Vector  # ≥ 0, one per variable
    lower: Vector
    upper: Vector

    @property
    def free(self) -> NDArray[np.bool_]:
        """Which variables are not pinned to one value by their bounds."""
        return np.asarray(self.lower < self.upper)

    def clip(self, x: Vector) -> Vector:
        """Return the nearest point within the bounds."""
        return np.clip(x, self.lower, self.upper)


class Lagrangian(NamedTuple):
    """The smooth part of the augmented objective, and its two ingredients."""

    value: Array  # smooth + ρ/2 h² + α h
    smooth: Array
    h: Array


def augmented(
    smooth: Smooth, constraint: Constraint | None, x: Array, data: Any, multipliers: Multipliers
) -> Lagrangian:
    """Equation 3 of the paper without its L1 term, which has a kink and is handled apart."""
    value = smooth(x, data)
    if constraint is None:
        return Lagrangian(value, value, jax.numpy.zeros_like(value))
    h = constraint(x)
    return Lagrangian(value + 0.5 * multipliers.rho * h**2 + multipliers.alpha * h, value, h)


@dataclass(frozen=True)
class InnerResult:
    """What one bounded minimisation reached."""

    x: Vector
    objective: float  # smooth + L1, without ρ and α terms
    h: float
    iterations: int
    evaluations: int
    status: InnerStatus
    message: str  # the solver's own words


Stop = Callable[[float, float, int], bool]
"""Called with (objective, h, evaluations) during a solve; True asks it to stop."""


class InnerSolver(Protocol):
    """A bounded minimiser of the augmented objective at fixed ρ and α."""

    def __call__(
        self, problem: Problem, start: Vector, multipliers: Multipliers, stop: Stop | None = None
    ) -> InnerResult:
        """Minimise from `start` (within the bounds)."""
        ...
