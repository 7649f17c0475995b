"""Counting edges: hits, false alarms, misses and the structural Hamming distance."""

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

Adjacency = NDArray[np.bool_]


@dataclass(frozen=True)
class Score:
    """How well the edges of one group of cells were found.

    Precision and recall with nothing to divide by are 0, unless both graphs are empty there:
    nothing to find and nothing claimed is perfect, so F1 = precision = recall = 1.
    """

    f1: float
    precision: float
    recall: float
    shd: int
    """Additions + deletions + reversals; a reversal (possible at lag 0 only) counts once."""
    true_positives: int
    false_positives: int
    false_negatives: int

    def to_dict(self) -> dict[str, float | int]:
        """Return the fields as a plain dict."""
        return asdict(self)


def score_edges(true: Adjacency, estimated: Adjacency, cells: Adjacency, reversals: int) -> Score:
    """Score the edges of the chosen cells, `reversals` of which are wrong by direction only."""
    hits = int((true & estimated & cells).sum())
    false_alarms = int((~true & estimated & cells).sum())
    misses = int((true & ~estimated & cells).sum())
    precision, recall, f1 = _rates(hits, false_alarms, misses)
    # A reversed edge is one false alarm and one miss, yet one change repairs it.
    shd = false_alarms + misses - reversals
    return Score(f1, precision, recall, shd, hits, false_alarms, misses)


def reversed_edges(true: Adjacency, estimated: Adjacency) -> Adjacency:
    """Return the estimated lag-0 edges `[source, target]` whose true direction is the other one.

    Only a pair joined by one arrow in both graphs can be reversed. Where one of the two has
    arrows both ways, an arrow more or less is an addition or a deletion.
    """
    return estimated & ~estimated.T & true.T & ~true


def _rates(hits: int, false_alarms: int, misses: int) -> tuple[float, float, float]:
    if hits + false_alarms + misses == 0:
        return 1.0, 1.0, 1.0
    precision = hits / (hits + false_alarms) if hits else 0.0
    recall = hits / (hits + misses) if hits else 0.0
    f1 = 2 * hits / (2 * hits + false_alarms + misses)
    return precision, recall, f1
