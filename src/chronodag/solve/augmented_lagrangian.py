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
from dataclasses import dataclass, replace

import numpy as np

from chronodag.solve.problem import (
    InnerResult,
    InnerSolver,
    Matrix,
    Multipliers,
    Problem,
    Stop,
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
    """Solve problems of one shape together, each round of them as one batch."""
    clock = _Clock(callback)
    runs = [
        _Run(dual_ascent(problem, start, settings))
        for problem, start in zip(problems, starts, strict=True)
    ]
    while open_runs := [run for run in runs if run.solution is None]:
        before = time.perf_counter()
        results = solver([run.task for run in runs], clock.stop(open_runs[0].task.multipliers))
        seconds = (time.perf_counter() - before) / len(open_runs)
        clock.count(results)
        for run, result in zip(runs, results, strict=True):
            run.advance(result, seconds)
    return [run.solution for run in runs if run.solution is not None]


class _Run:
    """One problem on its way: the task it waits for, its trace, and at the end its solution."""

    def __init__(self, asking: Asking) -> None:
        self.asking = asking
        self.task = next(asking)
        self.trace: list[Round] = []
        self.solution: Solution | None = None

    def advance(self, result: InnerResult, seconds: float) -> None:
        """Write the round into the trace and let the ascent ask for the next."""
        if self.solution is not None:
            return
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
            # It stays in the batch, whose shape is compiled for, but asks for no work any more.
            self.task = replace(self.task, start=last.x, relative_decrease=np.inf)


class _Clock:
    """Turns a solver's reports into `Progress` for the caller."""

    def __init__(self, callback: Callback | None) -> None:
        self.callback = callback
        self.started = time.perf_counter()
        self.rounds = 0
        self.evaluations = 0

    def stop(self, multipliers: Multipliers) -> Stop | None:
        callback = self.callback
        if callback is None:
            return None

        def stop(objective: float, h: float, evaluations: int) -> bool:
            seconds = time.perf_counter() - self.started
            done = self.evaluations + evaluations
            progress = Progress(self.rounds + 1, *multipliers, h, objective, done, seconds)
            return bool(callback(progress))

        return stop

    def count(self, results: Sequence[InnerResult]) -> None:
        self.rounds += 1
        self.evaluations += max(result.evaluations for result in results)
