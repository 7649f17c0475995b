"""The bounded problem and the small interface that every inner solver shares."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol, TypeAlias

import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import NDArray

from chronodag.solve.status import InnerStatus

Matrix = NDArray[np.float64]  # x and everything of its shape: [block, variable]
AnyArray: TypeAlias = Any
"""A NumPy array on the host, a JAX array within compiled code."""
Loss = Callable[[Array, Any], tuple[Array, Array]]
Constraint = Callable[[Array], tuple[Array, Array]]
Settle = Callable[[Matrix, Matrix, Matrix], NDArray[np.bool_]]


class Multipliers(NamedTuple):
    """ρ and α of the augmented Lagrangian."""

    rho: float
    alpha: float


@dataclass(frozen=True)
class Problem:
    """Minimise Σ_b loss_b(x_b, data) + Σ l1·|x|, lower ≤ x ≤ upper, subject to constraint(x) = 0.

    The rows (blocks) of x share nothing but the constraint. `loss` returns one value per row
    and its gradient; `constraint` returns h ≥ 0 and its gradient. Both are traceable by JAX and
    hashable: equal ones share compiled code.
    """

    loss: Loss
    constraint: Constraint | None
    data: Any  # a pytree of arrays
    l1: Matrix  # ≥ 0
    lower: Matrix
    upper: Matrix
    settle: Settle | None = None
    """(x, lower, upper) -> which variables to pin at zero so that the constraint holds exactly."""

    @property
    def free(self) -> NDArray[np.bool_]:
        """Which variables are not pinned to one value by their bounds."""
        return np.asarray(self.lower < self.upper)

    def clip(self, x: Matrix) -> Matrix:
        """Return the nearest point within the bounds."""
        return np.clip(x, self.lower, self.upper)

    def settled(self, x: Matrix) -> Problem:
        """Return the problem with the constraint made to hold by the bounds alone."""
        assert self.settle is not None
        pinned = self.settle(x, self.lower, self.upper)
        return replace(
            self,
            lower=np.where(pinned, 0.0, self.lower),
            upper=np.where(pinned, 0.0, self.upper),
        )


class Parts(NamedTuple):
    """The smooth part of the augmented objective and its ingredients at one x."""

    losses: Array  # per row
    h: Array
    gradient: Array  # of Σ losses + ρ/2 h² + α h
    coupling: Array  # the share of the gradient that comes from ρ/2 h² + α h


def evaluate(
    loss: Loss, constraint: Constraint | None, x: Array, data: Any, rho: Array, alpha: Array
) -> Parts:
    """Equation 2 of the paper without its L1 term, which has a kink and is handled apart."""
    losses, gradient = loss(x, data)
    if constraint is None:
        return Parts(losses, jnp.zeros((), losses.dtype), gradient, jnp.zeros_like(gradient))
    h, slope = constraint(x)
    coupling = (rho * h + alpha).astype(x.dtype) * slope
    return Parts(losses, h, gradient + coupling, coupling)


@dataclass(frozen=True)
class Task:
    """One bounded minimisation: from `start`, at fixed ρ and α, to a tolerance."""

    problem: Problem
    start: Matrix
    multipliers: Multipliers
    relative_decrease: float
    """Stop when a step lowers the objective by less than this share of max(|F|, 1)."""


@dataclass(frozen=True)
class InnerResult:
    """What one bounded minimisation reached."""

    x: Matrix
    objective: float  # losses + L1, without ρ and α terms
    h: float
    iterations: int
    evaluations: int
    status: InnerStatus
    message: str  # the solver's own words


Stop = Callable[[float, float, int], bool]
"""Called with (objective, h, evaluations) during a solve; True asks it to stop."""


After = Callable[[int, InnerResult], Task | None]
"""Called with the place of a fit and its result; answers with its next task, None at its end."""


def nothing_after(fit: int, result: InnerResult) -> Task | None:
    """One task each, and no more."""
    return None


class InnerSolver(Protocol):
    """A bounded minimiser of augmented objectives at fixed ρ and α."""

    def __call__(
        self, tasks: Sequence[Task], stop: Stop | None = None, after: After = nothing_after
    ) -> list[InnerResult]:
        """Carry out the tasks (of one shape), each from its start, which is within bounds.

        What `after` answers a result with is carried out next, from its own start. The last
        result of every fit is returned. Fits need not wait for one another.
        """
        ...
