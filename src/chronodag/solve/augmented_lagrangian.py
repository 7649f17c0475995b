"""The augmented Lagrangian (section 4 of the paper), here and nowhere else.

ρ = 1, α = 0. Minimise; while h > ¼ of the previous round's h, multiply ρ by 10 and minimise
again; then α += ρ h. Stop at h ≤ h_tol, at ρ ≥ ρ_max, or after max_iter rounds.

`dual_ascent` is a generator that asks for one minimisation at a time. So the same lines serve
one problem and many: `solve_many` advances all problems together and hands their tasks to the
solver as one batch.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass

import numpy as np

from chronodag.solve.problem import (
    InnerResult,
    InnerSolver,
    Matrix,
    Multipliers,
    Problem,
    Task,
)
from chronodag.solve.solution import Progress, Round, Solution
from chronodag.solve.status import InnerStatus, Status

Callback = Callable[[Progress], bool | None]


@dataclass(frozen=True)
class DualSettings:
    """When the rounds end, how fast the penalty grows, and how exact each round is."""

    h_tol: float = 1e-8
    rho_max: float = 1e16
    max_iter: int = 100
    rho_growth: float = 10.0
    enough_progress: float = 0.25
    relative_decrease: float = 2.2e-9
    early_relative_decrease: float | None = None
    """Tolerance of all rounds but the last; None = the same. Needs `settle_below`."""
    settle_below: float | None = None
    """Once h is below this, fix the acyclic pattern and finish without the constraint."""


Asking = Generator[Task, InnerResult, tuple[InnerResult, Status]]


def dual_ascent(problem: Problem, start: Matrix, settings: DualSettings) -> Asking:
    """Ask for minimisations, one at a time; return the last result and why it is the last."""
    exact = settings.relative_decrease
    x = problem.clip(start)
    if problem.constraint is None:
        result = yield Task(problem, x, Multipliers(0.0, 0.0), exact)
        return result, _unconstrained(result.status)
    early = settings.early_relative_decrease or exact
    rho, alpha, h_before = 1.0, 0.0, np.inf
    for _ in range(settings.max_iter):
        while True:
            result = yield Task(problem, x, Multipliers(rho, alpha), early)
            x = result.x
            if result.status is InnerStatus.INTERRUPTED:
                return result, Status.INTERRUPTED
            if settings.settle_below is not None and result.h <= settings.settle_below:
                settled = problem.settled(x)
                result = yield Task(settled, settled.clip(x), Multipliers(0.0, 0.0), exact)
                return result, _feasible(Status.SETTLED, result.status)
            if result.h <= settings.h_tol:
                return result, _feasible(Status.H_REACHED, result.status)
            if result.h <= settings.enough_progress * h_before or rho >= settings.rho_max:
                break
            rho *= settings.rho_growth
        if rho >= settings.rho_max:
            return result, _at_cap(result.status)
        alpha += rho * result.h
        h_before = result.h
    return result, Status.ROUNDS_USED_UP


def _unconstrained(inner: InnerStatus) -> Status:
    return Status.UNCONSTRAINED if inner is InnerStatus.CONVERGED else Status[inner.name]


def _feasible(reached: Status, inner: InnerStatus) -> Status:
    # A failed line search at a point that satisfies the constraint is how quasi-Newton methods
    # end when rounding hides further progress; the round's own status in the trace keeps it.
    fine = inner in (InnerStatus.CONVERGED, InnerStatus.LINE_SEARCH_FAILED)
    return reached if fine else Status[inner.name]


def _at_cap(inner: InnerStatus) -> Status:
    failed = inner is InnerStatus.LINE_SEARCH_FAILED
    return Status.LINE_SEARCH_FAILED if failed else Status.RHO_AT_CAP


def solve_constrained(
    problem: Problem,
    start: Matrix,
    solver: InnerSolver,
    settings: DualSettings,
    callback: Callback | None = None,
) -> Solution:
    """Minimise one problem subject to h = 0, from `start`.

    `callback` sees the progress during the inner solves; if it returns True the solver stops
    and the best state so far comes back marked as interrupted.
    """
    return solve_many([problem], [start], solver, settings, callback)[0]


def solve_many(
    problems: Sequence[Problem],
    starts: Sequence[Matrix],
    solver: InnerSolver,
    settings: DualSettings,
    callback: Callback | None = None,
) -> list[Solution]:
    """Solve problems of one shape together, each in its own rounds.

    `callback` sees one of them at a time, and stops them all.
    """
    runs = [
        _Run(dual_ascent(problem, start, settings))
        for problem, start in zip(problems, starts, strict=True)
    ]
    watch = _Watch(runs, callback)
    solver([run.task for run in runs], watch.stop if callback else None, watch.after)
    return [run.solution for run in runs if run.solution is not None]


class _Run:
    """One problem on its way: the task it waits for, its trace, and at the end its solution."""

    def __init__(self, asking: Asking) -> None:
        self.asking = asking
        self.task = next(asking)
        self.trace: list[Round] = []
        self.solution: Solution | None = None

    def advance(self, result: InnerResult, seconds: float) -> Task | None:
        """Write the round into the trace and let the ascent ask for the next."""
        self.trace.append(
            Round(
                *self.task.multipliers,
                h=result.h,
                objective=result.objective,
                iterations=result.iterations,
                evaluations=result.evaluations,
                seconds=seconds,
                status=result.status,
                message=result.message,
            )
        )
        try:
            self.task = self.asking.send(result)
        except StopIteration as end:
            last, status = end.value
            self.solution = Solution(last.x, last.objective, last.h, status, tuple(self.trace))
            return None
        return self.task


class _Watch:
    """Hands results to their runs, shares the time out, and tells the caller of the progress."""

    def __init__(self, runs: Sequence[_Run], callback: Callback | None) -> None:
        self.runs, self.callback = runs, callback
        self.started = self.before = time.perf_counter()
        self.evaluations = 0

    def after(self, fit: int, result: InnerResult) -> Task | None:
        """Answer a result with the run's next task."""
        now = time.perf_counter()
        seconds, self.before = now - self.before, now
        self.evaluations += result.evaluations
        return self.runs[fit].advance(result, seconds)

    def stop(self, objective: float, h: float, evaluations: int) -> bool:
        """Show the first run that is still on its way."""
        run = next(run for run in self.runs if run.solution is None)
        seconds = time.perf_counter() - self.started
        done = self.evaluations + evaluations
        progress = Progress(len(run.trace) + 1, *run.task.multipliers, h, objective, done, seconds)
        assert self.callback is not None
        return bool(self.callback(progress))
