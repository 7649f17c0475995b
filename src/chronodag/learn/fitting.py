"""The way of the data through one fit: panel → problem → solution → strengths → graph."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chronodag.data import Panel, Scaling, lagged_view
from chronodag.errors import SettingsError
from chronodag.graph import TemporalGraph, break_cycles, find_cycle, threshold_strengths
from chronodag.knowledge import EdgeBounds, kernel_bounds
from chronodag.learn.budget import CPU, MemoryEstimate, estimate_memory
from chronodag.learn.devices import choose_devices, machine_of
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

_WORTH_A_SECOND_PROGRAM = 1e7
"""Operations per evaluation above which rough rounds in float32 win back their compilation."""


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


@dataclass(frozen=True)
class Setup:
    """All that a fit starts from."""

    panel: Panel
    settings: Settings
    scaling: Scaling
    bounds: EdgeBounds
    architecture: Architecture
    problem: Problem
    initial: NDArray[np.float64]

    @property
    def windows(self) -> int:
        """How many windows the loss runs over, those that weigh nothing included."""
        return len(self.problem.data.weights)

    @property
    def work(self) -> float:
        """Floating-point operations of one evaluation, value and gradient."""
        return work_of(self.architecture, self.windows)


def work_of(architecture: Architecture, windows: int) -> float:
    """Floating-point operations of one evaluation, value and gradient."""
    kernels = architecture.dimension * architecture.hidden[0]
    return 4.0 * windows * architecture.inputs * kernels


def prepare(
    panel: Panel, settings: Settings, bounds: EdgeBounds, start: NDArray[np.float64]
) -> Setup:
    """Check that the fit is possible and within its memory, and lay out the problem."""
    panel.require_longer_than(settings.lags)
    architecture = settings.architecture(panel.dimension)
    memory = memory_of(settings, panel)
    scaling = Scaling.standard(panel) if settings.standardize else Scaling.identity(panel.dimension)
    problem = build_problem(scaling.apply(panel), architecture, settings, bounds, memory.chunk)
    initial = problem.clip(start)
    return Setup(panel, settings, scaling, bounds, architecture, problem, initial)


def memory_of(settings: Settings, panel: Panel, fits: int = 1) -> MemoryEstimate:
    """Estimate the memory of a fit, or of several in one batch; refuse what exceeds the limit."""
    architecture = settings.architecture(panel.dimension)
    devices = choose_devices(settings.device, fits * work_of(architecture, panel.length))
    return estimate_memory(
        architecture,
        panel.length,
        dtype=settings.dtype,
        fits=fits,
        limit=settings.memory_limit,
        machine=CPU if settings.solver == "scipy" else machine_of(devices),
    )


def learn(setup: Setup, callback: Callback | None = None) -> Fitted:
    """Fit the networks to a panel and draw the graph."""
    solver, rounds = inner_solver(setup), dual_settings(setup.settings)
    solution = solve_constrained(setup.problem, setup.initial, solver, rounds, callback)
    return conclude(setup, solution)


def conclude(setup: Setup, solution: Solution) -> Fitted:
    """From the solution to strengths, a check of every rule, and the graph."""
    settings, bounds, names = setup.settings, setup.bounds, setup.panel.names
    cells = strengths(setup.architecture.unflatten(solution.x))
    check_rules(cells, bounds, names)
    graph = threshold_strengths(cells, settings.threshold, names, keep=bounds.required)
    return Fitted(
        names,
        settings,
        setup.scaling,
        bounds,
        setup.architecture,
        setup.initial,
        solution,
        graph,
    )


def build_problem(
    panel: Panel, architecture: Architecture, settings: Settings, bounds: EdgeBounds, chunk: int
) -> Problem:
    """Lay out the loss, the constraint, λ1 and the bounds over the flat parameter vector."""
    lower, upper = kernel_bounds(bounds, architecture.hidden[0])
    if settings.dtype == "float32":
        _refuse_overflow(lower, upper)
    view = lagged_view(panel, settings.lags)
    cycle_possible = find_cycle(bounds.upper[0] > 0) is not None
    return Problem(
        loss=SmoothLoss(architecture, chunk),
        constraint=Acyclicity(architecture) if cycle_possible else None,
        data=Windows(np.ascontiguousarray(view.values.T), view.weights, np.asarray(settings.l2)),
        l1=architecture.per_kernel(settings.l1),
        lower=architecture.per_kernel(lower, -np.inf),
        upper=architecture.per_kernel(upper, np.inf),
        settle=Settle(architecture),
    )


def _refuse_overflow(lower: NDArray[np.float64], upper: NDArray[np.float64]) -> None:
    finite = np.concatenate([lower[np.isfinite(lower)], upper[np.isfinite(upper)]])
    if finite.size and np.abs(finite).max() > 1e15:
        raise SettingsError(
            f"A rule bounds a strength by {np.abs(finite).max():g} per kernel, too large for "
            "float32; take dtype='float64' or a bound below 1e15."
        )


@dataclass(frozen=True)
class Settle:
    """Choose the lag-0 edges to pin at zero so that what is left can form no cycle.

    Edges that are at zero now could come back, so they are ordered too, after all others.
    """

    architecture: Architecture

    def __call__(
        self, x: NDArray[np.float64], lower: NDArray[np.float64], upper: NDArray[np.float64]
    ) -> NDArray[np.bool_]:
        """Return which variables of x belong to such edges; required edges are never among them."""
        unflatten = self.architecture.unflatten
        lag0 = strengths(unflatten(x))[0]
        required = np.asarray((unflatten(lower).kernels[0] > 0).any(axis=-1))
        possible = np.asarray((unflatten(upper).kernels[0] > 0).any(axis=-1))
        cells = np.zeros((self.architecture.lags + 1, *lag0.shape))
        cells[0] = possible & ~break_cycles(lag0, possible, required)
        return np.asarray(self.architecture.per_kernel(cells) > 0)


def devices_of(setup: Setup, fits: int = 1) -> tuple[Any, ...]:
    """Return the devices that a fit, or several in one batch, will run on."""
    return choose_devices(setup.settings.device, setup.work * fits)


def inner_solver(setup: Setup, fits: int = 1) -> InnerSolver:
    """Return the bounded minimiser that `solver` names, on the devices that `device` allows."""
    settings = setup.settings
    if settings.solver == "scipy":
        return ScipySolver()
    devices = devices_of(setup, fits)
    early = "float32" if setup.work >= _WORTH_A_SECOND_PROGRAM else settings.dtype
    return DeviceSolver(dtype=settings.dtype, early_dtype=early, devices=devices)


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
