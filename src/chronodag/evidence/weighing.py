"""From a panel to the evidence for every edge: how many nats the data lose without it."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chronodag.data import LaggedView, Panel, lagged_view
from chronodag.evidence.effort import Effort
from chronodag.evidence.experts import Experts
from chronodag.evidence.joint import first_order
from chronodag.evidence.orders import OrderSearch
from chronodag.evidence.regime import Regime, regime
from chronodag.evidence.screening import screened
from chronodag.evidence.watch import Callback, Watch
from chronodag.knowledge import EdgeBounds

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]

_TOLERANCE, _STEPS = 3e-5, 40
_RELEVANT = 1e-3
_NOISE_FREE = (
    "lag 0 was left out: the past alone leaves at most {:.1%} of the variance of nearly every "
    "variable unexplained, and all inputs {:.1%}; in series so free of noise the same moment "
    "cannot be told from the past (instantaneous=True keeps it)"
)


@dataclass(frozen=True, eq=False)
class Evidence:
    """What the data say of every edge, `[lag, source, target]`, lag 0 first."""

    nats: FloatArray
    """Log evidence lost when the edge is taken out of its target's model; ≥ 0."""
    order: tuple[int, ...]
    """The variables from causes to effects at lag 0."""
    turning: FloatArray
    """`[source, target]`: nats that the best order with this lag-0 edge turned round is behind."""
    noise: FloatArray
    """Per target, the share of its variance that nothing explains."""
    open: BoolArray
    """Which edges were weighed at all; at lag 0 before the order was found."""
    regime: Regime
    """Whether the series are nearly free of noise; then lag 0 is left out, save required edges."""
    windows: int
    interrupted: bool = False
    notes: tuple[str, ...] = field(default=())

    @property
    def possible(self) -> BoolArray:
        """`[lag, source, target]`: the edges that were weighed and that the order leaves open."""
        place = np.argsort(self.order)
        possible = self.open.copy()
        possible[0] &= place[:, None] < place[None, :]
        return possible

    def up_to(self, lags: int) -> Evidence:
        """Leave out the evidence for longer lags."""
        return replace(self, nats=self.nats[: lags + 1], open=self.open[: lags + 1])


def weigh(
    panel: Panel,
    bounds: EdgeBounds,
    effort: Effort,
    callback: Callback | None = None,
    *,
    keep_lag_0: bool = False,
) -> Evidence:
    """Weigh all edges that the bounds leave open; the panel is standardised already.

    `keep_lag_0` keeps lag 0 open in series that are nearly free of noise, too.
    """
    view, watch = lagged_view(panel, bounds.lags), Watch(callback)
    coarse = Experts.of(view, effort.first_block, effort.windows)
    kept, notes = _kept(coarse, bounds, effort)
    if coarse.windows < view.windows:
        notes.append(f"{coarse.windows:,} of {view.windows:,} windows, evenly spread, were weighed")
    with _workers() as pool:
        found = regime(coarse, kept, pool)
        if found.noise_free and not keep_lag_0:
            kept = _without_lag_0(kept, bounds)
            notes.append(_NOISE_FREE.format(found.past, found.everything))
        theta, order = first_order(coarse, kept, bounds.required[0], pool, watch)
        search = _searched(view, kept, bounds, effort, pool, watch)
        search.start(theta, order)
        search.improve(effort.sweeps)
        if effort.sweeps and not search.complete and not watch.stopped:
            notes.append("the search for a better order at lag 0 ended at its limit of fits")
        # Asked to stop, take what is there, and in the smallest blocks: nobody likes to wait then.
        block = effort.first_block if watch.stopped else effort.last_block
        fine = Experts.of(view, block, effort.windows)
        rows = np.stack([search.models[j].theta for j in range(panel.dimension)])
        steps = 0 if watch.stopped else _STEPS
        nats, noise = _last_look(fine, rows, search.order, kept, pool, steps)
    return Evidence(
        nats=_cells(nats),
        order=search.order,
        turning=search.turning_of_all(),
        noise=noise,
        open=_cells(kept),
        regime=found,
        windows=fine.windows,
        interrupted=watch.stopped,
        notes=tuple(notes),
    )


def _kept(experts: Experts, bounds: EdgeBounds, effort: Effort) -> tuple[BoolArray, list[str]]:
    """Return which inputs to weigh, `[target, input]`, and a note if some are left out."""
    d = experts.dimension
    allowed = ~bounds.forbidden.reshape(-1, d).T
    kept = screened(experts, allowed, bounds.required.reshape(-1, d).T, effort.inputs)
    if (kept == allowed).all():
        return kept, []
    return kept, [
        f"screening kept {int(kept.sum())} of {int(allowed.sum())} possible edges, the "
        f"{effort.inputs} inputs of each variable that go with it most closely"
    ]


def _without_lag_0(kept: BoolArray, bounds: EdgeBounds) -> BoolArray:
    """Leave lag 0 out, save required edges."""
    d, closed = len(kept), kept.copy()
    closed[:, :d] &= bounds.required[0].T
    return closed


def _searched(
    view: LaggedView,
    kept: BoolArray,
    bounds: EdgeBounds,
    effort: Effort,
    pool: Executor,
    watch: Watch,
) -> OrderSearch:
    d = len(kept)
    experts = Experts.of(view, effort.search_block, effort.windows)
    most = None if effort.fits is None else effort.fits * d
    return OrderSearch(experts, kept[:, :d].T, bounds.required[0], pool, watch, most)


def _cells(rows: NDArray[Any]) -> NDArray[Any]:
    """From `[target, input]` to `[lag, source, target]`."""
    d = len(rows)
    return rows.reshape(d, -1, d).transpose(1, 2, 0)


@contextmanager
def _workers() -> Iterator[Executor]:
    """Threads, one per core; BLAS stays on one each, or they would fight."""
    from joblib import cpu_count
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(cpu_count()) as pool:
        yield pool


def _last_look(
    experts: Experts,
    rows: FloatArray,
    order: tuple[int, ...],
    kept: BoolArray,
    pool: Executor,
    steps: int,
) -> tuple[FloatArray, FloatArray]:
    """Fit every target anew with all inputs that the order allows; then take out one at a time."""
    place = np.argsort(order)
    d = experts.dimension

    def look(target: int) -> tuple[FloatArray, float]:
        open_ = kept[target].copy()
        open_[:d] &= place < place[target]
        columns = np.flatnonzero(open_)
        theta = rows[target][experts.places(columns)]
        if steps:
            start = _revived(theta, len(columns))
            _, theta = experts.minimise(target, columns, start, _TOLERANCE, steps)
        return _losses(experts, target, columns, theta), float(np.exp(theta[-1]))

    found = list(pool.map(look, range(d)))
    return np.stack([one[0] for one in found]), np.array([one[1] for one in found])


def _revived(start: FloatArray, inputs: int) -> FloatArray:
    """Let inputs at zero come back: their gradient there is zero as well."""
    gone = np.maximum(start[:inputs], start[inputs : 2 * inputs]) <= 0.0
    start[:inputs][gone], start[inputs : 2 * inputs][gone] = 0.02, 0.05
    return start


def _losses(experts: Experts, target: int, columns: IntArray, theta: FloatArray) -> FloatArray:
    """Return the nats lost without each input, the others' θ staying as they are."""
    p = len(columns)
    relevant = np.flatnonzero(np.maximum(theta[:p], theta[p : 2 * p]) > _RELEVANT)
    ends = np.array([2 * p, 2 * p + 1])

    def loss(chosen: IntArray) -> float:
        local = theta[np.concatenate([chosen, p + chosen, ends])]
        return experts.log_loss(target, columns[chosen], local)

    nats = np.zeros(experts.width)
    whole = loss(relevant)
    for k in relevant:
        nats[columns[k]] = max(loss(relevant[relevant != k]) - whole, 0.0)
    return nats
