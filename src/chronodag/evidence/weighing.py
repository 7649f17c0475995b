"""From a panel to the evidence for every edge: how many nats the data lose without it."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from chronodag.data import Panel, lagged_view
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
    lags = bounds.lags
    view = lagged_view(panel, lags)
    watch = Watch(effort.seconds, callback)
    d, notes = panel.dimension, []
    allowed = ~bounds.forbidden.reshape(-1, d).T  # [target, input]
    coarse = Experts.of(view, effort.first_block, effort.windows)
    kept = screened(coarse, allowed, bounds.required.reshape(-1, d).T, effort.inputs)
    if (kept != allowed).any():
        notes.append(
            f"screening kept {int(kept.sum())} of {int(allowed.sum())} possible edges, the "
            f"{effort.inputs} inputs of each variable that go with it most closely"
        )
    if coarse.windows < view.windows:
        notes.append(f"{coarse.windows:,} of {view.windows:,} windows, evenly spread, were weighed")
    required = bounds.required[0]
    with _workers() as pool:
        found = regime(coarse, kept, pool)
        if found.noise_free and not keep_lag_0 and (kept[:, :d] & ~required.T).any():
            kept = kept.copy()
            kept[:, :d] &= required.T
            notes.append(_NOISE_FREE.format(found.past, found.everything))
        theta, order = first_order(coarse, kept, required, pool, watch)
        search = OrderSearch(
            Experts.of(view, effort.search_block, effort.windows),
            kept[:, :d].T,
            required,
            pool,
            watch,
        )
        search.start(theta, order)
        search.improve(effort.sweeps)
        if effort.sweeps and not search.complete and not watch.stopped:
            notes.append("the search for a better order at lag 0 stopped at its time limit")
        fine = Experts.of(view, effort.last_block, effort.windows)
        rows = np.stack([search.models[j].theta for j in range(d)])
        nats, noise = _last_look(fine, rows, search.order, kept, pool)
    turning = np.full((d, d), np.inf)
    for edge, behind in search.turning.items():
        turning[edge] = behind
    cells = nats.reshape(d, lags + 1, d).transpose(1, 2, 0)
    return Evidence(
        nats=cells,
        order=search.order,
        turning=turning,
        noise=noise,
        open=kept.reshape(d, lags + 1, d).transpose(1, 2, 0),
        regime=found,
        windows=fine.windows,
        interrupted=watch.stopped,
        notes=tuple(notes),
    )


@contextmanager
def _workers() -> Iterator[Executor]:
    """Threads, one per core; BLAS stays on one each, or they would fight."""
    from joblib import cpu_count
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(cpu_count()) as pool:
        yield pool


def _last_look(
    experts: Experts, rows: FloatArray, order: tuple[int, ...], kept: BoolArray, pool: Executor
) -> tuple[FloatArray, FloatArray]:
    """Fit every target anew with all inputs that the order allows; then take out one at a time."""
    place = np.argsort(order)
    d = experts.dimension

    def look(target: int) -> tuple[FloatArray, float]:
        open_ = kept[target].copy()
        open_[:d] &= place < place[target]
        columns = np.flatnonzero(open_)
        start = _revived(rows[target][experts.places(columns)], len(columns))
        _, theta = experts.minimise(target, columns, start, _TOLERANCE, _STEPS)
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
