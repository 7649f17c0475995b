"""What replicates start from and how their edges are counted, fitted once and kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from chronodag.data import Panel
from chronodag.graph import equivalent_thresholds
from chronodag.learn.arrays import Arrays, ArrayStore, digest
from chronodag.learn.estimator import NTSNotears
from chronodag.learn.fitting import Fitted, Setup, dual_settings, inner_solver
from chronodag.learn.replicates import Work, describe_panel, key_of
from chronodag.learn.resampling import Resampling
from chronodag.solve import solve_constrained


@dataclass(frozen=True)
class Plan:
    """The replicates to come."""

    work: Work
    setup: Setup
    cut: NDArray[np.float64]
    store: ArrayStore


def plan_replicates(
    learner: NTSNotears,
    panel: Panel,
    resampling: Resampling,
    warm: bool,
    store: ArrayStore,
) -> Plan:
    """Fit what the replicates start from and are counted by, unless the store has it."""
    own = learner.random_state
    # A generator would move on, and the replicates with it.
    copy = clone(learner).set_params(random_state=own if isinstance(own, int) else resampling.seed)
    setup, start = copy.setup(panel), None
    if warm:
        key = f"start-{key_of(setup, setup.initial, Resampling((), '', None, 0))}"
        start = _kept(store, key, lambda: {"x": free_start(setup)})["x"]
    cut = _cut(learner, copy, setup, store)
    return Plan(Work(copy, panel, start, resampling), setup, cut, store)


def free_start(setup: Setup) -> NDArray[np.float64]:
    """Fit the data with lag 0 free of the constraint, so that no direction has a head start."""
    problem = replace(setup.problem, constraint=None)
    rounds = dual_settings(setup.settings)
    return solve_constrained(problem, setup.initial, inner_solver(setup), rounds).x


def _cut(
    learner: NTSNotears, copy: NTSNotears, setup: Setup, store: ArrayStore
) -> NDArray[np.float64]:
    """Return the strength per lag from which on an edge is present."""
    settings = setup.settings
    if not settings.automatic:
        return settings.threshold
    if _is_fitted_to(learner, setup):
        return equivalent_thresholds(learner.graph_.strengths, learner.graph_.adjacency)
    told = [settings.effort, setup.initial, settings.l1, settings.l2, describe_panel(setup.panel)]
    bounds = [setup.bounds.lower, setup.bounds.upper]

    def fitted() -> Arrays:
        graph = copy.fit(setup.panel).graph_
        return {"cut": equivalent_thresholds(graph.strengths, graph.adjacency)}

    return _kept(store, f"cut-{digest([told, bounds])}", fitted)["cut"]


def _is_fitted_to(learner: NTSNotears, setup: Setup) -> bool:
    """Whether the learner's graph is of this data, by its means and spreads, and these settings."""
    fitted = getattr(learner, "fitted_", None)
    if fitted is None or not setup.settings.standardize or fitted.names != setup.panel.names:
        return False

    def told(one: Fitted | Setup) -> str:
        scaling, bounds = one.scaling, one.bounds
        arrays = [scaling.mean, scaling.scale, bounds.lower, bounds.upper]
        return digest([asdict(one.settings), arrays])

    return told(fitted) == told(setup)


def _kept(store: ArrayStore, key: str, make: Callable[[], Arrays]) -> Arrays:
    found = store.load(key)
    if found is None:
        found = make()
        store.save(key, found)
    return found
