"""Knowledge drawn from the truth: what is it worth to be told a share of it?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from chronodag.graph import TemporalGraph
from chronodag.knowledge import PriorKnowledge
from chronodag.study.spec import Facts


def draw_facts(truth: TemporalGraph, facts: Facts, seed: int) -> PriorKnowledge:
    """Require a share of the true edges and forbid a share of the absent ones, drawn by seed.

    The order of drawing depends on the seed alone: a larger share holds the smaller one.
    """
    possible = np.ones_like(truth.adjacency)
    possible[0] &= ~np.eye(len(truth.names), dtype=bool)
    if facts.lags is not None:
        told = np.isin(np.arange(truth.lags + 1), facts.lags)
        possible &= told[:, None, None]
    known = PriorKnowledge()
    rng = np.random.default_rng(seed)
    for lag, source, target in _drawn(truth.adjacency & possible, facts.require, rng):
        known = known.require(truth.names[source], truth.names[target], lag)
    for lag, source, target in _drawn(~truth.adjacency & possible, facts.forbid, rng):
        known = known.forbid(truth.names[source], truth.names[target], lag)
    return known


def _drawn(
    cells: NDArray[np.bool_], share: float, rng: np.random.Generator
) -> list[tuple[int, int, int]]:
    places = rng.permutation(np.argwhere(cells))
    chosen = places[: round(share * len(places))]
    return [(int(lag), int(source), int(target)) for lag, source, target in chosen]
