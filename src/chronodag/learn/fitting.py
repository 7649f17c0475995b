"""The way of the data through one fit: panel → problem → solution → strengths → graph."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from chronodag.data import Panel, Scaling, lagged_view
from chronodag.errors import SettingsError
from chronodag.graph import TemporalGraph, break_cycles, find_cycle, threshold_strengths
from chronodag.knowledge import EdgeBounds, kernel_bounds
from chronodag.learn.settings import Settings
from chronodag.model import Acyclicity, Architecture, SmoothLoss, Windows, strengths
from chronodag.solve import (
    Callback,
    DeviceSolver,
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
    callback: Callback | None = None,
) -> Fitted:
    """Fit the networks to a panel from `start` and draw the graph."""
    panel.require_longer_than(settings.lags)
    scaling = Scaling.standard(panel) if settings.standardize else Scaling.identity(panel.dimension)
    architecture = Architecture(panel.dimension, settings.lags, settings.hidden)
    problem = build_problem(scaling.apply(panel), architecture, settings, bounds)
    initial = problem.clip(start)
    solution = solve_constrained(
        problem, initial, inner_solver(settings), dual_settings(settings), callback
    )
    cells = strengths(architecture.unflatten(solution.x))
    check_rules(cells, bounds, panel.names)
    graph = threshold_strengths(cells, settings.threshold, panel.names, keep=bounds.required)
    return Fitted(panel.names, settings, scaling, bounds, architecture, initial, solution, graph)


def build_problem(
    panel: Panel, architecture: Architecture, settings: Settings, bounds: EdgeBounds
) -> Problem:
    """Lay out the loss, the constraint, λ1 and the bounds over the flat parameter vector."""
    lower, upper = kernel_bounds(bounds, architecture.hidden[0])
    if settings.dtype == "float32":
        _refuse_overflow(lower, upper)
    view = lagged_view(panel, settings.lags)
    cycle_possible = find_cycle(bounds.upper[0] > 0) is not None
    return Problem(
        loss=SmoothLoss(architecture, chunk_of_windows(architecture)),
        constraint=Acyclicity(architecture) if cycle_possible else None,
        data=Windows(np.ascontiguousarray(view.values.T), view.weights, np.asarray(settings.l2)),
        l1=architecture.per_kernel(settings.l1),
        lower=architecture.per_kernel(lower, -np.inf),
        upper=architecture.per_kernel(upper, np.inf),
        settle=Settle(architecture),
    )


def chunk_of_windows(architecture: Architecture) -> int:
    """How many windows' activations to hold at a time: few enough for memory and caches."""
    per_window = architecture.dimension * max(architecture.hidden)
    return int(np.clip(2 ** int(np.log2(2**22 / per_window)), 64, 4096))


def _refuse_overflow(lower: NDArray[np.float64], upper: NDArray[np.float64]) -> None:
    finite = np.concatenate([lower[np.isfinite(lower)], upper[np.isfinite(upper)]])
    if finite.size and np.abs(finite).max() > 1e15:
        raise SettingsError(
            f"A rule bounds a strength by {np.abs(finite).max():g} per kernel, too large for "
            "float32; take dtype='float64' or a bound below 1e15."
        )


@dataclass(frozen=True)
class Settle:
    """Choose the lag-0 edges to pin at zero so that what is left has no cycle."""

    architecture: Architecture

    def __call__(self, x: NDArray[np.float64], lower: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which variables of x belong to such edges; required edges are never among them."""
        unflatten = self.architecture.unflatten
        lag0 = strengths(unflatten(x))[0]
        required = np.asarray((unflatten(lower).kernels[0] > 0).any(axis=-1))
        cells = np.zeros((self.architecture.lags + 1, *lag0.shape))
        open_edges = np.asarray(lag0 > 0)
        cells[0] = open_edges & ~break_cycles(lag0, open_edges, required)
        return np.asarray(self.architecture.per_kernel(cells) > 0)


def inner_solver(settings: Settings) -> InnerSolver:
    """Return the bounded minimiser that `solver` names."""
    return ScipySolver() if settings.solver == "scipy" else DeviceSolver(dtype=settings.dtype)


def dual_settings(settings: Settings) -> DualSettings:
    """Return how exact the rounds are: as published for SciPy, hurried and settled on device.

    What the early rounds leave unfinished the last one finishes, with the lag-0 pattern fixed;
    docs/results/solver.md has the measurements behind the tolerances.
    """
    rounds = DualSettings(settings.h_tol, settings.rho_max, settings.max_iter)
    if settings.solver == "scipy":
        return rounds
    return replace(rounds, early_relative_decrease=1e-5, settle_below=1e-2, relative_decrease=1e-7)


def check_rules(cells: NDArray[np.float64], bounds: EdgeBounds, names: tuple[str, ...]) -> None:
    """Make sure that every rule holds in what is handed out; a breach is a bug of ours."""
    broken = bounds.violations(cells, names)
    if broken:
        raise AssertionError("The solver left the bounds of the knowledge: " + "; ".join(broken))
