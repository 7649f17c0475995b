"""Knowledge drawn from the truth: what is it worth to be told some of it, or something wrong?"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chronodag.errors import SettingsError
from chronodag.graph import TemporalGraph, find_cycle
from chronodag.knowledge import PriorKnowledge
from chronodag.rivals import Learned
from chronodag.study.spec import Facts

Mask = NDArray[np.bool_]
Place = tuple[int, int, int]
"""Lag, source, target."""


def draw_facts(truth: TemporalGraph, facts: Facts, seed: int) -> PriorKnowledge:
    """Require a share of the true edges and forbid a share of the absent ones, drawn by seed.

    The order of drawing depends on the seed alone: a larger share holds the smaller one. With
    `wrong`, that share of the statements is false instead, evenly along the order. What is
    required, rightly or wrongly, never closes a cycle, and no edge is both required and forbidden.
    """
    possible = told_of(truth, facts.lags)
    rng = np.random.default_rng(seed)
    true = _ordered(truth.adjacency & possible, rng)
    absent = _ordered(~truth.adjacency & possible, rng)
    offset = np.random.default_rng(
        (seed, 1)
    ).random()  # another stream: the orders stay as they are
    requires = _with_wrong(
        true[: round(facts.require * len(true))],
        _keeping_order(truth, absent[::-1]),
        _wrong_places(len(true), facts.wrong, offset),
    )
    # From the far end, so that what is wrongly forbidden is rarely what is rightly required.
    forbids = _with_wrong(
        absent[: round(facts.forbid * len(absent))],
        [place for place in true[::-1] if place not in requires],
        _wrong_places(len(absent), facts.wrong, offset),
    )
    known = PriorKnowledge()
    for place in requires:
        known = _stated(known.require, truth.names, place)
    for place in (place for place in forbids if place not in requires):
        known = _stated(known.forbid, truth.names, place)
    return known


def one_fact(
    truth: TemporalGraph, learned: Learned, facts: Facts, seed: int
) -> tuple[PriorKnowledge, str]:
    """Return one fact that corrects a fit, and a line that says it.

    "forbidden" is the strongest edge that was found and is not true; "required" is one true edge
    that was not found, drawn by seed. Where there is none, nothing is told; nor is anything of
    lags that the truth does not have.
    """
    found = _laid_on(truth, learned, learned.adjacency).astype(bool)
    asked = told_of(truth, facts.lags)
    if facts.one == "required":
        places = _ordered(truth.adjacency & ~found & asked, np.random.default_rng(seed))
    else:
        strengths = _laid_on(truth, learned, learned.strengths)
        wrong = np.argwhere(found & ~truth.adjacency & asked)
        ranks = np.argsort([-strengths[tuple(place)] for place in wrong], kind="stable")
        places = [_place(wrong[rank]) for rank in ranks]
    if not places:
        return PriorKnowledge(), "told nothing: no such edge after the first fit"
    known = PriorKnowledge()
    say = known.require if facts.one == "required" else known.forbid
    known = _stated(say, truth.names, places[0])
    return known, f"told: {known.rules[0]}"


def _laid_on(truth: TemporalGraph, learned: Learned, cells: NDArray[Any]) -> NDArray[np.float64]:
    """Return what was learned in the order and with the lags of the truth."""
    order = [learned.names.index(name) for name in truth.names]
    laid = np.zeros(truth.adjacency.shape)
    shared = min(len(laid), len(cells))
    laid[:shared] = cells[:shared][:, order][:, :, order]
    return laid


def told_of(truth: TemporalGraph, lags: tuple[int, ...] | None) -> Mask:
    """Return the cells that may be told of: all of these lags but the diagonal of lag 0."""
    possible = np.ones_like(truth.adjacency)
    possible[0] &= ~np.eye(len(truth.names), dtype=bool)
    if lags is not None:
        possible &= np.isin(np.arange(truth.lags + 1), lags)[:, None, None]
    return possible


def _ordered(cells: Mask, rng: np.random.Generator) -> list[Place]:
    return [_place(entry) for entry in rng.permutation(np.argwhere(cells))]


def _place(entry: NDArray[np.int64]) -> Place:
    lag, source, target = map(int, entry)
    return lag, source, target


def _wrong_places(count: int, share: float, offset: float) -> set[int]:
    """Return which statements are false: evenly spread, so that the first few have their share."""
    steps = [math.floor(index * share + offset) for index in range(count + 1)]
    return {index for index in range(count) if steps[index + 1] > steps[index]}


def _with_wrong(told: list[Place], false: list[Place], wrong: set[int]) -> list[Place]:
    """Replace the statements at some places by false ones, taken in their order."""
    at = sorted(index for index in wrong if index < len(told))
    if len(at) > len(false):
        raise SettingsError(
            f"wrong: asks for {len(at)} false statements, and the true graph leaves room for "
            f"{len(false)}. Ask for fewer, or take data with fewer true edges."
        )
    replaced = dict(zip(at, false, strict=False))
    return [replaced.get(index, place) for index, place in enumerate(told)]


def _keeping_order(truth: TemporalGraph, absent: list[Place]) -> list[Place]:
    """Return absent edges that together close no cycle with the true graph at lag 0."""
    lag0 = truth.adjacency[0].copy()
    chosen = []
    for lag, source, target in absent:
        if lag == 0:
            lag0[source, target] = True
            if find_cycle(lag0):
                lag0[source, target] = False
                continue
        chosen.append((lag, source, target))
    return chosen


def _stated(
    say: Callable[[str, str, int], PriorKnowledge], names: tuple[str, ...], place: Place
) -> PriorKnowledge:
    lag, source, target = place
    return say(names[source], names[target], lag)
