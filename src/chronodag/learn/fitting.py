"""The way of the data through one fit: panel → problem → solution → strengths → graph."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chronodag.data import Panel, Scaling, lagged_view
from chronodag.graph import TemporalGraph, find_cycle, threshold_strengths
from chronodag.knowledge import EdgeBounds, kernel_bounds
from chronodag.learn.settings import Settings
from chronodag.model import Acyclicity, Architecture, SmoothLoss, Windows, strengths
from chronodag.solve import (
    Callback,
    DualSettings,
    InnerSolver,
    Problem,
    ScipySolver,
    Solution,
    solve_constrained,
)


@dataclass(frozen=True)
class Fitted:
    """All that a fit learned and what it was learned with."""

    names: tuple[str, ...]
    settings: Settings
    scaling: Scaling
    bounds: EdgeBounds
    architecture: Architecture
    initial: NDArray[np.float64]
    solution: Solution
    graph: TemporalGraph


def learn(
    panel: Panel,
    settings: Settings,
    bounds: EdgeBounds,
    start: NDArray[np.float64],
    *,
    standardize: bool,
    callback: Callback | None = None,
) -> Fitted:
    """Fit the networks to a panel from `start` and draw the graph."""
    panel.require_longer_than(settings.lags)
    scaling = Scaling.standard(panel) if standardize else Scaling.identity(panel.dimension)
    architecture = Architecture(panel.dimension, settings.lags, settings.hidden)
    problem = build_problem(scaling.apply(panel), architecture, settings, bounds)
    initial = problem.clip(start)
    rounds = DualSettings(settings.h_tol, settings.rho_max, settings.max_iter)
    solution = solve_constrained(problem, initial, inner_solver(settings), rounds, callback)
    cells = strengths(architecture, solution.x)
    check_rules(cells, bounds, panel.names)
    graph = threshold_strengths(cells, settings.threshold, panel.names, keep=bounds.required)
    return Fitted(panel.names, settings, scaling, bounds, architecture, initial, solution, graph)


def build_problem(
    panel: Panel, architecture: Architecture, settings: Settings, bounds: EdgeBounds
) -> Problem:
    """Lay out the loss, the constraint, λ1 and the bounds over the flat parameter vector."""
    kernels = architecture.kernel_count

    def spread(per_edge: NDArray[np.float64], elsewhere: float) -> NDArray[np.float64]:
        vector = np.full(architecture.size, elsewhere)
        vector[:kernels] = np.broadcast_to(per_edge[..., None], architecture.kernel_shape).ravel()
        return vector

    lower, upper = kernel_bounds(bounds, architecture.hidden[0])
    view = lagged_view(panel, settings.lags)
    cycle_possible = find_cycle(bounds.upper[0] > 0) is not None
    return Problem(
        smooth=SmoothLoss(architecture),
        constraint=Acyclicity(architecture) if cycle_possible else None,
        data=Windows(view.values, view.weights, np.asarray(settings.l2)),
        l1=spread(settings.l1, 0.0),
        lower=spread(lower, -np.inf),
        upper=spread(upper, np.inf),
    )


def inner_solver(settings: Settings) -> InnerSolver:
    """Return the bounded minimiser that `solver` names."""
    return ScipySolver()


def check_rules(cells: NDArray[np.float64], bounds: EdgeBounds, names: tuple[str, ...]) -> None:
    """Make sure that every rule holds in what is handed out; a breach is a bug of ours."""
    broken = bounds.violations(cells, names)
    if broken:
        raise AssertionError("The solver left the bounds of the knowledge: " + "; ".join(broken))
