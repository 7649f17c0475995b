"""SciPy's L-BFGS-B on the split variables: the paper's own solver, and our oracle.

|x| has a kink, so each penalised variable is split, x = p − q with p, q ≥ 0 and penalty
l1·(p + q). A variable that its bounds keep on one side of zero needs no split; one that they
pin is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import numpy as np
from numpy.typing import NDArray

from chronodag.solve.problem import (
    After,
    InnerResult,
    Matrix,
    Parts,
    Problem,
    Stop,
    Task,
    evaluate,
    nothing_after,
)
from chronodag.solve.status import InnerStatus

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class ScipySolver:
    """Settings of SciPy's L-BFGS-B; the defaults are SciPy's own, as in the released program."""

    history: int = 10
    projected_gradient: float = 1e-5  # SciPy's gtol
    max_iterations: int = 15_000

    def __call__(
        self, tasks: Sequence[Task], stop: Stop | None = None, after: After = nothing_after
    ) -> list[InnerResult]:
        """Minimise one fit after the other, each with all that `after` asks of it."""
        results = []
        for fit, first in enumerate(tasks):
            task: Task | None = first
            while task is not None:
                result = self._minimise(task, stop)
                task = after(fit, result)
            results.append(result)
        return results

    def _minimise(self, task: Task, stop: Stop | None) -> InnerResult:
        from scipy.optimize import minimize
        from threadpoolctl import threadpool_limits

        objective = _SplitObjective(task, stop)
        split = objective.split
        if not split.positive.size:
            return objective.result(split.fixed, 0, InnerStatus.CONVERGED, "nothing is free")
        options = {
            "maxcor": self.history,
            "ftol": task.relative_decrease,
            "gtol": self.projected_gradient,
            "maxiter": self.max_iterations,
            "maxfun": 20 * self.max_iterations,
        }
        bounds = np.column_stack([split.lower, split.upper])
        start = split.enter(task.start)
        try:
            # SciPy's own vector work is too small for BLAS threads, which fight with JAX's.
            with threadpool_limits(1, user_api="blas"):
                found = minimize(
                    objective, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options
                )
        except _Interrupted:
            return objective.result(objective.best, 0, InnerStatus.INTERRUPTED, "interrupted")
        status = _inner_status(found)
        x = split.leave(found.x) if status is InnerStatus.CONVERGED else objective.best
        return objective.result(x, int(found.nit), status, str(found.message))


def _inner_status(found: Any) -> InnerStatus:
    if found.success:
        return InnerStatus.CONVERGED
    # SciPy: 1 = iteration or evaluation limit, 2 = abnormal end of the line search
    return InnerStatus.ITERATIONS_USED_UP if found.status == 1 else InnerStatus.LINE_SEARCH_FAILED


class _Interrupted(Exception):
    """Leaves SciPy's loop when the caller asks to stop."""


class _Split:
    """The map between x and the vector SciPy sees: the free x, then the negative parts q."""

    def __init__(self, problem: Problem) -> None:
        lower, upper, l1 = (a.ravel() for a in (problem.lower, problem.upper, problem.l1))
        self.shape = problem.lower.shape
        self.fixed: Matrix = np.clip(np.zeros(self.shape), problem.lower, problem.upper)
        free = problem.free.ravel()
        both_signs = free & (l1 > 0) & (lower < 0) & (upper > 0)
        self.positive = np.flatnonzero(free)
        self.negative = np.flatnonzero(both_signs)
        floor = np.where(both_signs, 0.0, lower)
        self.lower = np.concatenate([floor[free], np.zeros(len(self.negative))])
        self.upper = np.concatenate([upper[free], -lower[both_signs]])
        # a variable kept at or below zero by its upper bound pays −l1·x
        one_sided = np.where(upper <= 0, -l1, l1)
        self.penalty = np.concatenate([one_sided[free], l1[both_signs]])

    def enter(self, x: Matrix) -> Vector:
        flat = x.ravel()
        plain = np.maximum(flat[self.positive], self.lower[: len(self.positive)])
        return np.concatenate([plain, np.maximum(-flat[self.negative], 0.0)])

    def leave(self, split: Vector) -> Matrix:
        x = self.fixed.flatten()
        x[self.positive] = split[: len(self.positive)]
        x[self.negative] -= split[len(self.positive) :]
        return x.reshape(self.shape)

    def gradient(self, gradient: Vector) -> Vector:
        both = np.concatenate([gradient[self.positive], -gradient[self.negative]])
        return np.asarray(both + self.penalty)


class _SplitObjective:
    """The function SciPy calls: value and gradient on split variables, best state kept."""

    def __init__(self, task: Task, stop: Stop | None) -> None:
        self.task, self.stop = task, stop
        self.split = _Split(task.problem)
        self.evaluations = 0
        self.best: Matrix = task.start
        self.best_value = np.inf

    def __call__(self, point: Vector) -> tuple[float, Vector]:
        x = self.split.leave(point)
        parts = self._evaluate(x)
        self.evaluations += 1
        rho, alpha = self.task.multipliers
        loss, h = float(np.sum(parts.losses)), float(parts.h)
        value = loss + 0.5 * rho * h * h + alpha * h + float(self.split.penalty @ point)
        if value < self.best_value:
            self.best, self.best_value = x, value
        if self.stop is not None and self.stop(loss + self._l1(x), h, self.evaluations):
            raise _Interrupted
        return value, self.split.gradient(np.asarray(parts.gradient).ravel())

    def _l1(self, x: Matrix) -> float:
        return float(np.sum(self.task.problem.l1 * np.abs(x)))

    def _evaluate(self, x: Matrix) -> Parts:
        problem, multipliers = self.task.problem, self.task.multipliers
        with jax.enable_x64(True):
            parts = _compiled(
                problem.loss,
                problem.constraint,
                x,
                problem.data,
                np.float64(multipliers.rho),
                np.float64(multipliers.alpha),
            )
        return Parts(*jax.device_get(parts))

    def result(self, x: Matrix, iterations: int, status: InnerStatus, message: str) -> InnerResult:
        parts = self._evaluate(x)
        return InnerResult(
            x=x,
            objective=float(np.sum(parts.losses)) + self._l1(x),
            h=float(parts.h),
            iterations=iterations,
            evaluations=self.evaluations,
            status=status,
            message=message,
        )


_compiled = partial(jax.jit, static_argnums=(0, 1))(evaluate)
