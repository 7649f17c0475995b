"""All targets at once, subject to acyclicity at lag 0: a first order of the variables.

The same augmented Lagrangian as for the networks (`solve.dual_ascent`), with the log evidence as
loss and the relevances of lag 0 in the place of W: A_ij = a_ij² + w_ij².
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from graphlib import TopologicalSorter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chronodag.evidence.experts import Experts, first_guess, limits
from chronodag.evidence.watch import Watch
from chronodag.graph import break_cycles, find_cycle
from chronodag.solve import DualSettings, InnerResult, InnerStatus, Problem, Task, solve_constrained
from chronodag.solve.problem import After, Stop, nothing_after

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

_ROUNDS = DualSettings(
    h_tol=1e-8, early_relative_decrease=1e-3, settle_below=1e-2, relative_decrease=1e-3
)
_STEPS = 200


def first_order(
    experts: Experts, allowed: BoolArray, required: BoolArray, pool: Executor, watch: Watch
) -> tuple[FloatArray, list[int]]:
    """Return a row of θ per target, and the variables from causes to effects.

    `allowed` `[target, input]` says which inputs may play a part, `required` `[source, target]`
    which lag-0 edges must be possible in the order.
    """
    d, width = experts.dimension, experts.width
    start = np.stack([first_guess(np.flatnonzero(row), width) for row in allowed])
    bounds = np.asarray(limits(width))
    upper = np.tile(bounds[:, 1], (d, 1))
    upper[:, : 2 * width] *= np.tile(allowed, 2)
    problem = Problem(
        loss=_unused,  # `EvidenceSolver` evaluates it outside JAX
        constraint=_unused if find_cycle(allowed[:, :d].T) is not None else None,
        data=(),
        l1=np.zeros_like(upper),
        lower=np.tile(bounds[:, 0], (d, 1)),
        upper=upper,
        settle=_Settle(d, width, required),
    )
    solver = EvidenceSolver(experts, pool, watch)
    theta = solve_constrained(problem, start, solver, _ROUNDS).x
    keep = break_cycles(_lag0(theta, d, width), _possible(upper, d), required)
    return theta, in_order(keep)


def in_order(keep: BoolArray) -> list[int]:
    """Return the variables from causes to effects; `keep` `[source, target]` has no cycle.

    Where some edges are impossible, the number of causes does not give the order.
    """
    causes = {target: np.flatnonzero(keep[:, target]).tolist() for target in range(len(keep))}
    return [int(node) for node in TopologicalSorter(causes).static_order()]


def _unused(*_: Any) -> tuple[Any, Any]:
    raise AssertionError("the evidence is evaluated by EvidenceSolver")


def _lag0(theta: FloatArray, d: int, width: int) -> FloatArray:
    """A `[source, target]`, the squared relevances at lag 0."""
    squares: FloatArray = (theta[:, :d] ** 2 + theta[:, width : width + d] ** 2).T
    return squares


def _possible(upper: FloatArray, d: int) -> BoolArray:
    return np.asarray((upper[:, :d] > 0).T)


@dataclass(frozen=True, eq=False)
class _Settle:
    d: int
    width: int
    required: BoolArray

    def __call__(self, x: FloatArray, lower: FloatArray, upper: FloatArray) -> BoolArray:
        """Pin the lag-0 inputs that stand in the way of acyclicity."""
        d, width = self.d, self.width
        possible = _possible(upper, d)
        pinned = possible & ~break_cycles(_lag0(x, d, width), possible, self.required)
        marks = np.zeros(x.shape, dtype=bool)
        marks[:, :d] = marks[:, width : width + d] = pinned.T
        return marks


@dataclass(frozen=True, eq=False)
class EvidenceSolver:
    """SciPy's L-BFGS-B on the evidence of all targets together; an `InnerSolver`."""

    experts: Experts
    pool: Executor
    watch: Watch

    def __call__(
        self, tasks: Sequence[Task], stop: Stop | None = None, after: After = nothing_after
    ) -> list[InnerResult]:
        """Minimise one problem after the other, each with all that `after` asks of it."""
        results = []
        for fit, first in enumerate(tasks):
            task: Task | None = first
            while task is not None:
                result = self._minimise(task)
                task = after(fit, result)
            results.append(result)
        return results

    def _minimise(self, task: Task) -> InnerResult:
        from scipy.optimize import minimize

        shape, problem, (rho, alpha) = task.start.shape, task.problem, task.multipliers
        d, width, n = self.experts.dimension, self.experts.width, self.experts.windows
        columns = [np.flatnonzero(row[:width] > 0) for row in problem.upper]
        places = [self.experts.places(chosen) for chosen in columns]
        state = {"evaluations": 0, "h": 0.0, "objective": 0.0}

        def objective(vector: FloatArray) -> tuple[float, FloatArray]:
            x = vector.reshape(shape)
            rows = self.pool.map(
                lambda j: self.experts.evaluate(j, columns[j], x[j, places[j]]), range(d)
            )
            gradient = np.zeros(shape)
            value = 0.0
            for j, (loss, slope) in enumerate(rows):
                value += loss / n
                gradient[j, places[j]] = slope / n
            h, to_squares = _acyclicity(_lag0(x, d, width))
            state.update(evaluations=state["evaluations"] + 1, h=h, objective=value)
            if self.watch.tell("a first order", value * n, h):
                raise _Interrupted
            pull = 2.0 * (rho * h + alpha) * to_squares.T
            gradient[:, :d] += pull * x[:, :d]
            gradient[:, width : width + d] += pull * x[:, width : width + d]
            return value + 0.5 * rho * h * h + alpha * h, gradient.ravel()

        bounds = np.column_stack([problem.lower.ravel(), problem.upper.ravel()])
        options = {"maxiter": _STEPS, "ftol": task.relative_decrease}
        x, status = task.start, InnerStatus.CONVERGED
        try:
            found = minimize(
                objective, x.ravel(), jac=True, method="L-BFGS-B", bounds=bounds, options=options
            )
            x = problem.clip(found.x.reshape(shape))
        except _Interrupted:
            status = InnerStatus.INTERRUPTED
        return InnerResult(
            x=x,
            objective=float(state["objective"]),
            h=_acyclicity(_lag0(x, d, width))[0],
            iterations=int(state["evaluations"]),
            evaluations=int(state["evaluations"]),
            status=status,
            message=status.value,
        )


class _Interrupted(Exception):
    pass


def _acyclicity(squares: FloatArray) -> tuple[float, FloatArray]:
    """h = tr exp(A) − d and its gradient exp(A)ᵀ, on the host."""
    from scipy.linalg import expm

    powers = expm(squares)
    return float(np.trace(powers) - len(squares)), powers.T
