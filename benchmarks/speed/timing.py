"""The stopwatch."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from chronodag.solve import DeviceSolver, InnerSolver, Multipliers, Problem, ScipySolver, Task

Result = TypeVar("Result")


def timed(work: Callable[[], Result]) -> tuple[float, Result]:
    """Return the seconds that `work` takes, and its result."""
    started = time.perf_counter()
    result = work()
    return time.perf_counter() - started, result


def best_of(repeats: int, work: Callable[[], Any]) -> float:
    """Return the seconds of the fastest of several runs: the one least disturbed."""
    return min(timed(work)[0] for _ in range(repeats))


def warm_up(solver: InnerSolver, problem: Problem, start: Any) -> None:
    """Let a solver compile what it needs for a problem of this shape."""
    short: InnerSolver = solver
    if isinstance(solver, DeviceSolver):
        short = replace(solver, max_evaluations=2)
    elif isinstance(solver, ScipySolver):
        short = replace(solver, max_iterations=1)
    short([Task(problem, problem.clip(start), Multipliers(1.0, 0.0), 1e-3)])
