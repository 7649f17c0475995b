"""`bootstrap`: fit a learner to many replicates of its data, and count what comes back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from chronodag.data import Panel
from chronodag.errors import SettingsError
from chronodag.graph import equivalent_thresholds, threshold_strengths
from chronodag.learn.arrays import Arrays, ArrayStore, digest
from chronodag.learn.estimator import NTSNotears
from chronodag.learn.fitting import Setup, dual_settings, inner_solver
from chronodag.learn.replicates import (
    Callback,
    Fits,
    Spread,
    Work,
    chunks_of,
    describe_panel,
    fit_replicates,
    key_of,
)
from chronodag.learn.resampling import Resampling, resampling_of
from chronodag.learn.settings import true_or_false, whole_number
from chronodag.learn.stability import Bootstrap, summarise
from chronodag.solve import solve_constrained


def bootstrap(
    learner: NTSNotears,
    data: Any,
    *,
    replicates: int = 100,
    block: int | None = None,
    resample: str = "bootstrap",
    level: float = 0.95,
    warm: bool = True,
    random_state: int | np.random.Generator = 0,
    jobs: int | None = None,
    backend: str | None = None,
    address: str | None = None,
    store: str | Path | None = None,
    callback: Callback | None = None,
    series: str | None = None,
    time: str | None = None,
) -> Bootstrap:
    """Fit a learner to replicates of its data, and say how stable each edge is.

    Every replicate weights the windows anew and learns all strengths anew, the directions at
    lag 0 included.

    Parameters
    ----------
    learner
        Its settings and knowledge hold in every replicate. It is not changed. One that chooses
        its edges by evidence is fitted once (unless it has been, to this very data), and the cuts
        that come nearest to its graph count edges in the replicates.
    data, series, time
        As in `NTSNotears.fit`.
    replicates
        How many.
    block
        Windows per block. None = about the third root of the windows, above the lags; with eight
        series or more, whole series are drawn instead.
    resample
        "bootstrap" (with replacement), or "half": halves of the data, for `stability_bound`.
    level
        Of the intervals of the strengths.
    warm
        Start all replicates from one fit to the data in which lag 0 is free to point both ways:
        fewer steps. False = each from a random start of its own, so that the spread shows what
        hangs on the start as well.
    random_state
        Seed of the draws, or a generator to draw it from.
    jobs, backend, address
        None = all here, one after the other (on a GPU, side by side). `jobs` = so many chunks of
        replicates at once, by `backend`: "threading" (as a rule), "loky" (processes), "dask" or
        "ray", the last two also on the cluster at `address`. None of it changes a result.
    store
        A folder that keeps finished chunks. The same call goes on from there.
    callback
        Sees the `Progress` after every chunk; if it returns True, what is done is summed up.
    """
    panel = Panel.from_any(data, series=series, time=time)
    count = whole_number("replicates", replicates, at_least=1)
    _check_level(level)
    seed = _seed(random_state)
    resampling = resampling_of(panel, _lags(learner), resample, block, seed)
    plan = _plan(learner, panel, resampling, true_or_false("warm", warm), ArrayStore(store))
    chunks = chunks_of(count, plan.setup)
    key = key_of(plan.setup, plan.work.start, plan.work.resampling)
    spread = Spread(jobs, backend, address)
    fits = fit_replicates(plan.work, key, chunks, plan.store, spread, callback)
    return _summary(plan, fits, count, level)


@dataclass(frozen=True)
class _Plan:
    work: Work
    setup: Setup
    cut: NDArray[np.float64]
    store: ArrayStore


def _plan(
    learner: NTSNotears,
    panel: Panel,
    resampling: Resampling,
    warm: bool,
    store: ArrayStore,
) -> _Plan:
    """Fit what the replicates start from and are counted by, unless the store has it."""
    own = learner.random_state
    # A generator would move on, and the replicates with it.
    copy = clone(learner).set_params(random_state=own if isinstance(own, int) else resampling.seed)
    setup, start = copy.setup(panel), None
    if warm:
        key = f"start-{key_of(setup, setup.initial, Resampling((), '', None, 0))}"
        start = _kept(store, key, lambda: {"x": _free_start(setup)})["x"]
    cut = _cut(learner, copy, setup, store)
    return _Plan(Work(copy, panel, start, resampling), setup, cut, store)


def _lags(learner: Any) -> int:
    if not isinstance(learner, NTSNotears):
        raise SettingsError(
            f"learner is a {type(learner).__name__}; expected an NTSNotears. Other methods' graphs "
            "have no replicates yet."
        )
    return whole_number("lags", learner.lags, at_least=0)


def _free_start(setup: Setup) -> NDArray[np.float64]:
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
    """Whether the learner's graph is of this data: its means and spreads tell."""
    fitted = getattr(learner, "fitted_", None)
    if fitted is None or not setup.settings.standardize or fitted.names != setup.panel.names:
        return False
    same = np.array_equal(fitted.scaling.mean, setup.scaling.mean)
    same &= np.array_equal(fitted.scaling.scale, setup.scaling.scale)
    return same and fitted.settings.lags == setup.settings.lags


def _kept(store: ArrayStore, key: str, make: Callable[[], Arrays]) -> Arrays:
    found = store.load(key)
    if found is None:
        found = make()
        store.save(key, found)
    return found


def _summary(plan: _Plan, fits: list[Fits], asked: int, level: float) -> Bootstrap:
    panel, bounds = plan.work.panel, plan.setup.bounds
    shape = plan.setup.settings.l1.shape
    cells = np.concatenate([np.empty((0, *shape)), *(one.strengths for one in fits)])
    success = np.concatenate([np.empty(0, dtype=bool), *(one.success for one in fits)])
    good = cells[success]
    failed = int((~success).sum())
    if not len(good):
        raise SettingsError(
            f"None of {len(cells)} replicates ended in a solution, so there is nothing to count. "
            "A larger max_iter or l2 may help; or the callback stopped before the first chunk."
        )
    present = np.array(
        [threshold_strengths(one, plan.cut, keep=bounds.required).adjacency for one in good]
    )
    candidates = ~bounds.forbidden & ~bounds.required
    np.fill_diagonal(candidates[0], False)
    return Bootstrap(
        names=panel.names,
        **summarise(good, present, level),
        candidates=candidates,
        cut=plan.cut,
        replicates=len(good),
        failed=failed,
        resample=plan.work.resampling.kind,
        block=plan.work.resampling.block,
        level=level,
        message=_message(plan.work.resampling, len(good), failed, asked),
    )


def _message(resampling: Resampling, good: int, failed: int, asked: int) -> str:
    text = f"{good} replicates of {resampling}"
    text += f"; {failed} more did not converge and are left out" if failed else ""
    left = asked - good - failed
    return text + (f"; stopped with {left} to go" if left else "")


def _seed(random_state: Any) -> int:
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63 - 1))
    return whole_number("random_state", random_state, at_least=0)


def _check_level(level: Any) -> None:
    if isinstance(level, bool) or not isinstance(level, int | float) or not 0 < level < 1:
        raise SettingsError(f"level is {level!r}; expected a share between 0 and 1, such as 0.95.")
