"""How long the weighing will take on this machine: one look at each size, and how many follow."""

from __future__ import annotations

import time

import numpy as np

from chronodag.data import Panel, Scaling, lagged_view
from chronodag.evidence.effort import Effort
from chronodag.evidence.experts import Experts, first_guess

# Looks per target, counted over simulated processes with d from 5 to 20.
_FIRST, _SEARCH, _LAST = 120, 80, 30


def estimate_seconds(panel: Panel, lags: int, effort: Effort) -> float:
    """Time one look of each stage; right within a factor of about two."""
    from joblib import cpu_count
    from threadpoolctl import threadpool_limits

    view = lagged_view(Scaling.standard(panel).apply(panel), lags)
    looks = (
        (effort.first_block, _FIRST),
        (effort.search_block, _SEARCH if effort.sweeps else 5),
        (effort.last_block, _LAST),
    )
    with threadpool_limits(1, user_api="blas"):
        seconds = [
            number * _one_look(Experts.of(view, block, effort.windows)) for block, number in looks
        ]
    of_all = [one * panel.dimension / min(cpu_count(), panel.dimension) for one in seconds]
    return float(sum(of_all))


def _one_look(experts: Experts) -> float:
    """Seconds for the value and gradient of one target over all blocks."""
    inputs, targets = experts.inputs[:1], experts.targets[:1]
    one = Experts(inputs, experts.squares[:1], targets)
    columns = np.arange(one.width)
    theta = first_guess(columns, one.width)
    one.evaluate(0, columns, theta)  # the first look also warms caches
    clock = time.perf_counter()
    one.evaluate(0, columns, theta)
    return (time.perf_counter() - clock) * experts.windows / one.windows
