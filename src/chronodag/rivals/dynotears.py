"""DYNOTEARS: the linear dynamic Bayesian network (Pamfil et al., 2020).

X_t = X_t W + Σ_k X_{t−k} A_k + noise. Minimise 0.5/n · squared error + λ_w |W|₁ + λ_a |A|₁
subject to tr exp(W∘W) = d, by the same augmented Lagrangian as NTS-NOTEARS. The squared error is
a quadratic form in the weights, so the data enters once, as its matrix of second moments.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from chronodag.data import Panel
from chronodag.errors import SettingsError
from chronodag.graph import TemporalGraph, find_cycle, threshold_strengths
from chronodag.knowledge import EdgeBounds, PriorKnowledge
from chronodag.model.constraint import acyclicity
from chronodag.rivals.base import Capabilities, Learned, check
from chronodag.rivals.design import FloatArray, as_cells, as_rows, lagged_table
from chronodag.solve import (
    DeviceSolver,
    DualSettings,
    InnerSolver,
    Problem,
    ScipySolver,
    Solution,
    solve_constrained,
)

_SOLVERS: dict[str, tuple[InnerSolver, float]] = {
    "device": (DeviceSolver(), 1e-10),
    "scipy": (ScipySolver(), 2.2e-9),  # SciPy's own default, as in the released program
}
"""Each with the relative decrease that ends a round."""


@dataclass(frozen=True)
class Dynotears:
    """DYNOTEARS on the data as it comes: nothing is scaled or centred inside.

    Knowledge: a forbidden edge has weight 0, an upper bound u keeps |weight| ≤ u. A lower bound
    on |weight| would leave two separate intervals, so the sign is taken first, from the least
    squares regression of the target on all sources that the rules allow.
    """

    name: ClassVar[str] = "dynotears"
    capabilities: ClassVar[Capabilities] = Capabilities(
        nonlinear=False,
        lagged=True,
        lag0=True,
        acyclic=True,
        knowledge=True,
        many_series=True,
        discrete=False,
    )
    lags: int = 1
    lambda_w: float = 0.1
    """L1 on the weights of lag 0."""
    lambda_a: float = 0.1
    """L1 on the weights of all other lags."""
    threshold: float = 0.01
    """Edges with a smaller |weight| are cut."""
    h_tol: float = 1e-8
    max_iter: int = 100
    solver: str = "device"
    """"device" is quicker and nearer the optimum; "scipy" stops where the released program does."""

    def fit(self, panel: Panel, knowledge: PriorKnowledge | None = None) -> Learned:
        """Learn W and A; their absolute values are the strengths."""
        bounds = check(self, panel, knowledge, self.threshold)
        solution = self._solve(panel, bounds)
        strengths = np.abs(as_cells(solution.x, self.lags))
        graph = threshold_strengths(strengths, self.threshold, panel.names, keep=bounds.required)
        return Learned(
            panel.names,
            strengths,
            graph.adjacency,
            message=_message(solution, graph),
            finished=solution.status.success,
        )

    def _solve(self, panel: Panel, bounds: EdgeBounds) -> Solution:
        if self.solver not in _SOLVERS:
            raise SettingsError(f"solver is {self.solver!r}; expected one of {list(_SOLVERS)}.")
        table = lagged_table(panel, self.lags)
        moments = table.T @ table / len(table)
        lower, upper = signed_bounds(bounds, moments)
        penalty = np.full(bounds.lower.shape, self.lambda_a)
        penalty[0] = self.lambda_w
        problem = Problem(
            loss=SquaredError(),
            constraint=LinearAcyclicity() if find_cycle(bounds.upper[0] > 0) else None,
            data=moments,
            l1=as_rows(penalty),
            lower=lower,
            upper=upper,
        )
        inner, exact = _SOLVERS[self.solver]
        rounds = DualSettings(self.h_tol, 1e20, self.max_iter, relative_decrease=exact)
        return solve_constrained(problem, np.zeros_like(lower), inner, rounds)


def _message(solution: Solution, graph: TemporalGraph) -> str:
    left_out = ", ".join(str(edge) for edge in graph.removed)
    cut = f"; left out to keep lag 0 free of cycles: {left_out}" if left_out else ""
    return f"{solution.status}{cut}"


@dataclass(frozen=True)
class SquaredError:
    """0.5/n ‖x_j − Z b_j‖² per target j, from M = ZᵀZ/n: with e = b_j − (unit j), eᵀ M e / 2."""

    def __call__(self, x: Array, moments: Array) -> tuple[Array, Array]:
        """Return one value per row of x `[target, (lag, source)]`, and the gradient."""
        error = x - jnp.eye(
            x.shape[0], x.shape[1], dtype=x.dtype
        )  # −1 on the target itself, at lag 0
        gradient = error @ moments.astype(x.dtype)
        return 0.5 * jnp.sum((gradient * error).astype(jnp.float64), axis=1), gradient


@dataclass(frozen=True)
class LinearAcyclicity:
    """h(W) = tr exp(W∘W) − d and its gradient, W being the lag-0 part of x."""

    def __call__(self, x: Array) -> tuple[Array, Array]:
        """Return h ≥ 0 in float64, and ∇h in the shape and precision of x."""
        value, gradient = jax.value_and_grad(self._value)(x)
        return value, gradient

    def _value(self, x: Array) -> Array:
        lag0 = x[:, : len(x)].T.astype(jnp.float64)  # [source, target]
        return acyclicity(jnp.square(lag0))


def signed_bounds(bounds: EdgeBounds, moments: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return bounds on signed weights `[target, (lag, source)]` from those on their sizes."""
    least, most = as_rows(bounds.lower), as_rows(bounds.upper)
    positive = _least_squares(moments, most > 0) >= 0
    lower = np.where(least > 0, np.where(positive, least, -most), -most)
    upper = np.where(least > 0, np.where(positive, most, -least), most)
    return lower, upper


def _least_squares(moments: FloatArray, allowed: np.ndarray) -> FloatArray:
    """Regress each target on its allowed sources: `[target, (lag, source)]`."""
    weights = np.zeros(allowed.shape)
    for target, sources in enumerate(allowed):
        within = moments[np.ix_(sources, sources)]
        weights[target, sources] = np.linalg.pinv(within) @ moments[sources, target]
    return weights
