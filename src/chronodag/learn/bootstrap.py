"""`bootstrap`: fit a learner to many replicates of its data, and count what comes back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from chronodag.data import Panel
from chronodag.errors import SettingsError
from chronodag.graph import threshold_strengths
from chronodag.learn.arrays import ArrayStore
from chronodag.learn.estimator import NTSNotears
from chronodag.learn.planning import Plan, plan_replicates
from chronodag.learn.replicates import (
    Callback,
    Fits,
    Spread,
    chunks_of,
    fit_replicates,
    key_of,
)
from chronodag.learn.resampling import Resampling, resampling_of
from chronodag.learn.settings import true_or_false, whole_number
from chronodag.learn.stability import Bootstrap, summarise


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
    plan = plan_replicates(
        learner, panel, resampling, true_or_false("warm", warm), ArrayStore(store)
    )
    chunks = chunks_of(count, plan.setup)
    key = key_of(plan.setup, plan.work.start, plan.work.resampling)
    spread = Spread(jobs, backend, address)
    fits = fit_replicates(plan.work, key, chunks, plan.store, spread, callback)
    return _summary(plan, fits, count, level)


def _lags(learner: Any) -> int:
    if not isinstance(learner, NTSNotears):
        raise SettingsError(
            f"learner is a {type(learner).__name__}; expected an NTSNotears. Other methods' graphs "
            "have no replicates yet."
        )
    return whole_number("lags", learner.lags, at_least=0)


def _summary(plan: Plan, fits: list[Fits], asked: int, level: float) -> Bootstrap:
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
