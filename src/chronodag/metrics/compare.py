"""`compare`: an estimated graph against the true one."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chronodag.graph import TemporalGraph
from chronodag.metrics.align import Aligned, align
from chronodag.metrics.edges import Score, reversed_edges, score_edges
from chronodag.metrics.ranking import auprc, auroc
from chronodag.metrics.undirected import directed

_ROWS = {
    "window": "all cells",
    "lag0": "lag 0",
    "lagged_cross": "lagged, cross",
    "self_loops": "lagged, self",
    "summary": "summary graph",
}
_RANKINGS = ("auroc", "auprc", "auroc_without_self", "auprc_without_self")


@dataclass(frozen=True)
class Comparison:
    """How an estimated graph compares with the true one; `compare` makes it.

    The rankings ask of the estimate's strengths, before any threshold, whether true edges lie
    above the rest. They are NaN where undefined: no true edge or nothing but true edges among
    the cells, or no strengths since the estimate came as a bare array.
    """

    window: Score
    """Every cell [lag, source, target]."""
    lag0: Score
    """The cells of lag 0."""
    lagged_cross: Score
    """The cells of lag ≥ 1 between different variables."""
    self_loops: Score
    """The cells of lag ≥ 1 from a variable to itself."""
    summary: Score
    """Different variables at any lag: one cell per (source, target), so nothing is reversed."""
    auroc: float
    """Area under the ROC curve over every cell, the empty diagonal of lag 0 included."""
    auprc: float
    """Average precision over the same cells."""
    auroc_without_self: float
    """`auroc` over the cells between different variables."""
    auprc_without_self: float
    """`auprc` over the cells between different variables."""

    @property
    def f1(self) -> float:
        """F1 over every cell."""
        return self.window.f1

    @property
    def precision(self) -> float:
        """The share of the estimated edges that are true, over every cell."""
        return self.window.precision

    @property
    def recall(self) -> float:
        """The share of the true edges that were found, over every cell."""
        return self.window.recall

    @property
    def shd(self) -> int:
        """Additions + deletions + reversals over every cell, a lag-0 reversal counting once."""
        return self.window.shd

    def to_dict(self) -> dict[str, dict[str, float | int] | float | None]:
        """Return nested plain numbers, ready for JSON: an undefined ranking is None."""
        scores = {row: getattr(self, row).to_dict() for row in _ROWS}
        rankings = {name: _defined(getattr(self, name)) for name in _RANKINGS}
        return scores | rankings

    def table(self) -> str:
        """Return the scores as plain text, one group of cells per line."""
        lines = [f"{'':<14}{'F1':>7}{'precision':>11}{'recall':>8}{'SHD':>6}{'true edges':>12}"]
        for row, label in _ROWS.items():
            score: Score = getattr(self, row)
            edges = score.true_positives + score.false_negatives
            lines.append(
                f"{label:<14}{score.f1:>7.3f}{score.precision:>11.3f}{score.recall:>8.3f}"
                f"{score.shd:>6}{edges:>12}"
            )
        lines.append(_ranking_line("all cells", self.auroc, self.auprc))
        lines.append(
            _ranking_line("without self", self.auroc_without_self, self.auprc_without_self)
        )
        return "\n".join(lines)


def compare(
    true: TemporalGraph | ArrayLike,
    estimated: TemporalGraph | ArrayLike,
    *,
    undirected: ArrayLike | None = None,
    favourable: bool = True,
) -> Comparison:
    """Compare an estimated graph with the true one.

    Each is a `TemporalGraph`, or a true/false (0/1) array `[lag, source, target]`, lag 0 first.
    Graphs are matched by name, whatever the order; an array is read in the other's order. The one
    with fewer lags is padded with empty lags, so edges at lags it lacks count as missed or wrong.

    Args:
        true: The true graph.
        estimated: The estimated one; as an array it may hold cycles.
        undirected: Edges of the estimate without a direction, an array of its shape and in its
            order, marked both ways at lag 0; none of them is in `estimated`.
        favourable: Whether an undirected edge is right if either direction is true; otherwise it
            counts as if it had the wrong one. It is one claim in both.
    """
    pair = align(true, estimated, undirected)
    arrows = directed(pair.true, pair.estimated, pair.undirected, favourable)
    lagged = np.arange(len(pair.true))[:, None, None] > 0
    own = np.eye(len(pair.names), dtype=bool)[None]
    everywhere = np.ones_like(pair.true)
    turned = int(reversed_edges(pair.true[0], arrows[0]).sum())

    def score(cells: NDArray[np.bool_], reversals: int = 0) -> Score:
        return score_edges(pair.true, arrows, cells, reversals)

    return Comparison(
        window=score(everywhere, turned),
        lag0=score(~lagged & everywhere, turned),
        lagged_cross=score(lagged & ~own),
        self_loops=score(lagged & own),
        summary=score_edges(_any_lag(pair.true), _any_lag(arrows), ~own[0], 0),
        auroc=_ranking(auroc, pair, everywhere),
        auprc=_ranking(auprc, pair, everywhere),
        auroc_without_self=_ranking(auroc, pair, ~own & everywhere),
        auprc_without_self=_ranking(auprc, pair, ~own & everywhere),
    )


def _any_lag(adjacency: NDArray[np.bool_]) -> NDArray[np.bool_]:
    return np.asarray(adjacency.any(axis=0))


def _ranking(
    measure: Callable[[ArrayLike, ArrayLike], float], pair: Aligned, cells: NDArray[np.bool_]
) -> float:
    if pair.strengths is None:
        return math.nan
    return measure(pair.true[cells], pair.strengths[cells])


def _ranking_line(label: str, roc: float, precision_recall: float) -> str:
    return f"strengths, {label}: AUROC {_shown(roc)}, AUPRC {_shown(precision_recall)}"


def _shown(value: float) -> str:
    return "undefined" if math.isnan(value) else f"{value:.3f}"


def _defined(value: float) -> float | None:
    return None if math.isnan(value) else value
