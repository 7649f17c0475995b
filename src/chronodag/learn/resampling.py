"""Which windows count how often in a replicate: draws of blocks of windows, or of whole series.

A replicate gives every window a weight and changes nothing else, so no window ever mixes rows
that did not follow one another. Neighbouring windows are alike; drawn one by one they would count
as more data than they are, so they are drawn in blocks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chronodag.data import Panel
from chronodag.errors import SettingsError
from chronodag.learn.settings import one_of, whole_number

KINDS = ("bootstrap", "half")
MANY_SERIES = 8
"""From this many series on, whole series are drawn: they are what repeats."""


@dataclass(frozen=True)
class Resampling:
    """How replicates are drawn from the windows of a panel."""

    windows: tuple[int, ...]
    """Windows of each series."""
    kind: str
    """"bootstrap" (as many windows as there are, with replacement) or "half" (half, without)."""
    block: int | None
    """Windows per block; None = whole series are drawn."""
    seed: int

    def weights(self, replicate: int) -> NDArray[np.float64]:
        """Return how often each window counts, in the order of the rows.

        A replicate has its own generator, so it is the same whoever draws it, and when.
        """
        rng = self.generator(replicate, "weights")
        if self.block is None:
            counts = _series_drawn(len(self.windows), self.kind, rng)
            return np.repeat(counts, self.windows).astype(np.float64)
        draw = _blocks_drawn if self.kind == "bootstrap" else _half_drawn
        parts = [draw(count, min(self.block, count), rng) for count in self.windows]
        return np.concatenate(parts).astype(np.float64)

    def generator(self, replicate: int, purpose: str) -> np.random.Generator:
        """Return the generator of one replicate's "weights" or of its "start"."""
        key = (replicate, ("weights", "start").index(purpose))
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=key))

    def __str__(self) -> str:
        what = "half of the windows" if self.kind == "half" else "windows drawn with replacement"
        if self.block is None:
            return f"{what}, in whole series ({len(self.windows)} of them)"
        return f"{what}, in blocks of {self.block}"


def resampling_of(panel: Panel, lags: int, kind: str, block: int | None, seed: int) -> Resampling:
    """Return how a panel is resampled; `block=None` chooses by its series and windows."""
    one_of("resample", kind, KINDS)
    windows = tuple(length - lags for length in panel.lengths)
    if block is None and len(windows) >= MANY_SERIES:
        return Resampling(windows, kind, None, seed)
    largest = max(windows) // 2
    if largest <= lags:
        raise SettingsError(
            f"The longest series has {max(windows)} windows; blocks must be longer than the "
            f"{lags} lags and at most half of that. Use fewer lags or more data."
        )
    if block is None:
        # T^(1/3) balances bias and variance of a block bootstrap (Künsch 1989).
        length = min(max(round(sum(windows) ** (1 / 3)), lags + 1), largest)
        return Resampling(windows, kind, length, seed)
    length = whole_number("block", block, at_least=1)
    if length > largest:
        raise SettingsError(
            f"block is {length}; expected at most {largest}, half of the windows of the longest "
            "series, or every replicate would be nearly the same."
        )
    return Resampling(windows, kind, length, seed)


def _series_drawn(count: int, kind: str, rng: np.random.Generator) -> NDArray[np.int64]:
    if kind == "bootstrap":
        return rng.multinomial(count, np.full(count, 1 / count))
    counts = np.zeros(count, dtype=np.int64)
    counts[rng.permutation(count)[: count // 2]] = 1
    return counts


def _blocks_drawn(count: int, block: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw blocks that may overlap until there are `count` windows; the last one is cut short."""
    starts = rng.integers(0, count - block + 1, size=-(-count // block))
    drawn = (starts[:, None] + np.arange(block)).ravel()[:count]
    return np.bincount(drawn, minlength=count)


def _half_drawn(count: int, block: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Cut the windows into blocks from a random place on, and take half of them."""
    places = (np.arange(count) + rng.integers(0, count)) % count
    blocks = np.split(places, np.arange(block, count, block))
    taken = np.concatenate([blocks[one] for one in rng.permutation(len(blocks))])
    counts = np.zeros(count, dtype=np.int64)
    counts[taken[: max(1, count // 2)]] = 1
    return counts
