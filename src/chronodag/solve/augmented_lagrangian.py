"""The augmented Lagrangian (section 4 of the paper), here and nowhere else.

ρ = 1, α = 0. Minimise; while h > ¼ of the previous round's h, multiply ρ by 10 and minimise
again; then α += ρ h. Stop at h ≤ h_tol, at ρ ≥ ρ_max, or after max_iter rounds.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from chronodag.solve.problem import InnerResult, InnerSolver, Multipliers, Problem, Stop, Vector
from chronodag.solve.solution import Progress, Round, Solution
from chronodag.solve.status import InnerStatus, Status

Callback = Callable[[Progress], bool | None]


@dataclass(frozen=True)
class DualSettings:
    """When the rounds end and how fast the penalty grows."""

    h_tol: float = 1e-8
    rho_max: float = 1e16
    max_iter: int = 100
    rho_growth: float = 10.0
    enough_progress: float = 0.25


def solve_constrained(
    problem: Problem,
    start: Vector,
    solver: InnerSolver,
    settings: DualSettings,
    callback: Callback | None = None,
) -> Solution:
    """Minimise the problem subject to h = 0, from `start`.

    `callback` sees the progress during and after each inner solve; if it returns True the
    solver stops and the best state so far comes back marked as interrupted.
    """
    run = _Run(problem, solver, callback)
    x = problem.clip(start)
    if problem.constraint is None:
        result = run.minimise(x, Multipliers(0.0, 0.0))
        return run.solution(result, _status_without_constraint(result.status))
    rho, alpha, h_before = 1.0, 0.0, np.inf
    for _ in range(settings.max_iter):
        while True:
            result = run.minimise(x, Multipliers(rho, alpha))
            x = result.x
            if result.status is InnerStatus.INTERRUPTED:
                return run.solution(result, Status.INTERRUPTED)
            settled = result.h <= settings.h_tol
            if (
                settled
                or result.h <= settings.enough_progress * h_before
                or rho >= settings.rho_max
            ):
                break
            rho *= settings.rho_growth
        if settled:
            return run.solution(result, _status_at_h_tol(result.status))
        if rho >= settings.rho_max:
            return run.solution(result, _status_at_cap(result.status))
        alpha += rho * result.h
        h_before = result.h
    return run.solution(result, Status.ROUNDS_USED_UP)


def _status_without_constraint(inner: InnerStatus) -> Status:
    if inner is InnerStatus.CONVERGED:
        return Status.UNCONSTRAINED
    return Status[inner.name]


def _status_at_h_tol(inner: InnerStatus) -> Status:
    # A failed line search at a point that satisfies the constraint is how quasi-Newton methods
    # end when rounding hides further progress; the round's own status in the trace keeps it.
    return (
        Status.ITERATIONS_USED_UP if inner is InnerStatus.ITERATIONS_USED_UP else Status.H_REACHED
    )


def _status_at_cap(inner: InnerStatus) -> Status:
    failed = inner is InnerStatus.LINE_SEARCH_FAILED
    return Status.LINE_SEARCH_FAILED if failed else Status.RHO_AT_CAP


class _Run:
    """The bookkeeping of one call: the trace, the clock and the caller's callback."""

    def __init__(self, problem: Problem, solver: InnerSolver, callback: Callback | None) -> None:
        self.problem, self.solver, self.callback = problem, solver, callback
        self.trace: list[Round] = []
        self.started = time.perf_counter()

    def minimise(self, x: Vector, multipliers: Multipliers) -> InnerResult:
        """Run one inner solve and write it into the trace."""
        before = time.perf_counter()
        result = self.solver(self.problem, x, multipliers, self._stop(multipliers))
        self.trace.append(
            Round(
                *multipliers,
                h=result.h,
                objective=result.objective,
                iterations=result.iterations,
                evaluations=result.evaluations,
                seconds=time.perf_counter() - before,
                status=result.status,
                message=result.message,
            )
        )
        return result

    def _stop(self, multipliers: Multipliers) -> Stop | None:
        callback = self.callback
        if callback is None:
            return None
        earlier = sum(one.evaluations for one in self.trace)

        def stop(objective: float, h: float, evaluations: int) -> bool:
            seconds = time.perf_counter() - self.started
            number = len(self.trace) + 1
            progress = Progress(number, *multipliers, h, objective, earlier + evaluations, seconds)
            return bool(callback(progress))

        return stop

    def solution(self, result: InnerResult, status: Status) -> Solution:
        """Wrap up."""
        return Solution(result.x, result.objective, result.h, status, tuple(self.trace))
