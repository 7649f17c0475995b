"""SciPy's L-BFGS-B on the split variables: the paper's own solver, and our oracle.

|x| has a kink, so each penalised variable is split, x = p − q with p, q ≥ 0 and penalty
l1·(p + q). A variable that its bounds keep on one side of zero needs no split; one that they
pin is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import numpy as np
from jax import Array
from numpy.typing import NDArray

from chronodag.solve.problem import (
    Constraint,
    InnerResult,
    Lagrangian,
    Multipliers,
    Problem,
    Smooth,
    Stop,
    Vector,
    augmented,
)
from chronodag.solve.status import InnerStatus


@dataclass(frozen=True)
class ScipySolver:
    """Settings of SciPy's L-BFGS-B; the defaults are SciPy's own, as in the released program."""

    history: int = 10
    relative_decrease: float = 2.2204460492503131e-09  # SciPy's ftol
    projected_gradient: float = 1e-5  # SciPy's gtol
    max_iterations: int = 15_000

    def __call__(
        self, problem: Problem, start: Vector, multipliers: Multipliers, stop: Stop | None = None
    ) -> InnerResult:
        """Minimise the augmented objective at fixed ρ and α."""
        from scipy.optimize import minimize

        objective = _SplitObjective(problem, multipliers, stop)
        split = objective.split
        try:
            found = minimize(
                objective,
                split.enter(start),
                jac=True,
                method="L-BFGS-B",
                bounds=np.column_stack([split.lower, split.upper]),
                options={
                    "maxcor": self.history,
                    "ftol": self.relative_decrease,
                    "gtol": self.projected_gradient,
                    "maxiter": self.max_iterations,
                    "maxfun": 20 * self.max_iterations,
                },
            )
        except _Interrupted:
            return objective.result(objective.best, 0, InnerStatus.INTERRUPTED, "interrupted")
        return objective.result(
            split.leave(found.x), int(found.nit), _inner_status(found), str(found.message)
        )


def _inner_status(found: Any) -> InnerStatus:
    if found.success:
        return InnerStatus.CONVERGED
    # SciPy: 1 = iteration or evaluation limit, 2 = abnormal end of the line search
    return InnerStatus.ITERATIONS_USED_UP if found.status == 1 else InnerStatus.LINE_SEARCH_FAILED


class _Interrupted(Exception):
    """Leaves SciPy's loop when the caller asks to stop."""


class _Split:
    """The map between x and the variables SciPy sees: the free x, then −(negative parts)."""

    def __init__(self, problem: Problem) -> None:
        self.fixed = problem.clip(np.zeros_like(problem.lower))
        free = problem.free
        both_signs = free & (problem.l1 > 0) & (problem.lower < 0) & (problem.upper > 0)
        self.positive: NDArray[np.intp] = np.flatnonzero(free)
        self.negative: NDArray[np.intp] = np.flatnonzero(both_signs)
        lower, upper = problem.lower.copy(), problem.upper
        lower[both_signs] = 0.0
        self.lower = np.concatenate([lower[free], np.zeros(len(self.negative))])
        self.upper = np.concatenate([upper[free], -problem.lower[both_signs]])
        # a variable kept at or below zero by its upper bound pays −l1·x
        one_sided = np.where(problem.upper <= 0, -problem.l1, problem.l1)
        self.penalty = np.concatenate([one_sided[free], problem.l1[both_signs]])

    def enter(self, x: Vector) -> Vector:
        plain = np.maximum(x[self.positive], self.lower[: len(self.positive)])
        return np.concatenate([plain, np.maximum(-x[self.negative], 0.0)])

    def leave(self, split: Vector) -> Vector:
        x = self.fixed.copy()
        x[self.positive] = split[: len(self.positive)]
        x[self.negative] -= split[len(self.positive) :]
        return x

    def gradient(self, gradient: Vector) -> Vector:
        both = np.concatenate([gradient[self.positive], -gradient[self.negative]])
        return np.asarray(both + self.penalty)


class _SplitObjective:
    """The function SciPy calls: value and gradient on split variables, best state kept."""

    def __init__(self, problem: Problem, multipliers: Multipliers, stop: Stop | None) -> None:
        self.problem, self.multipliers, self.stop = problem, multipliers, stop
        self.split = _Split(problem)
        self.evaluations = 0
        self.best: Vector = self.split.fixed
        self.best_value = np.inf

    def __call__(self, point: Vector) -> tuple[float, Vector]:
        x = self.split.leave(point)
        parts, gradient = self._evaluate(x)
        self.evaluations += 1
        value = float(parts.value) + float(self.split.penalty @ point)
        if value < self.best_value:
            self.best, self.best_value = x, value
        if self.stop is not None:
            penalty = float(self.problem.l1 @ np.abs(x))
            if self.stop(float(parts.smooth) + penalty, float(parts.h), self.evaluations):
                raise _Interrupted
        return value, self.split.gradient(np.asarray(gradient, dtype=np.float64))

    def _evaluate(self, x: Vector) -> tuple[Lagrangian, Array]:
        problem = self.problem
        with jax.enable_x64(True):
            rho, alpha = (np.float64(number) for number in self.multipliers)
            parts: tuple[Lagrangian, Array] = _value_and_gradient(
                problem.smooth, problem.constraint, x, problem.data, Multipliers(rho, alpha)
            )
            return parts

    def result(self, x: Vector, iterations: int, status: InnerStatus, message: str) -> InnerResult:
        parts, _ = self._evaluate(x)
        return InnerResult(
            x=x,
            objective=float(parts.smooth) + float(self.problem.l1 @ np.abs(x)),
            h=float(parts.h),
            iterations=iterations,
            evaluations=self.evaluations,
            status=status,
            message=message,
        )


@partial(jax.jit, static_argnums=(0, 1))
def _value_and_gradient(
    smooth: Smooth, constraint: Constraint | None, x: Array, data: Any, multipliers: Multipliers
) -> tuple[Lagrangian, Array]:
    def value(x: Array) -> tuple[Array, Lagrangian]:
        parts = augmented(smooth, constraint, x, data, multipliers)
        return parts.value, parts

    gradient, parts = jax.grad(value, has_aux=True)(x)
    return parts, gradient
