"""`edges_against_threshold`: how many edges each cut leaves, and what to expect of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chronodag.graph import TemporalGraph
from chronodag.view import canvas, plots
from chronodag.view.differences import check_graph

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH, _HEIGHT, _LOWER = 5.2, 2.8, 1.2
"""Of the axes, in inches."""
_GAP = 0.2


def edges_against_threshold(
    graph: TemporalGraph, cut: float | None = None, *, title: str | None = None
) -> Figure:
    """Draw the number of edges against the cut on what ranks them, per lag and in all.

    Confidences rank the edges where the graph has them, else strengths. Confidences also tell
    how many of the edges to expect false, and the F1 to expect: these are drawn too. The cut is
    marked; None = the least of the graph's own edges.
    """
    check_graph(graph)
    sure = graph.confidence is not None
    ranking = np.abs(graph.ranking)
    if cut is None and graph.adjacency.any():
        cut = float(ranking[graph.adjacency].min())
    label = "cut on the confidence" if sure else "cut on the strength"
    texts = [f"lag {lag}" for lag in range(graph.lags + 1)]
    texts += ["all lags", "expected false edges", f"cut at {cut or 0:.2g}"]
    width = 0.62 + _WIDTH + canvas.PAD + 0.1
    foot = 0.42 + canvas.legend_height(texts, width - 2 * canvas.PAD) + 0.1
    lower = _LOWER + _GAP if sure else 0.0
    top = canvas.PAD + (0.3 if title else 0.0)
    figure = canvas.new_figure(width, foot + lower + _HEIGHT + top)
    across = "" if sure else label
    axes = plots.plain_axes(figure, 0.62, foot + lower, _WIDTH, _HEIGHT, across, "edges")
    _draw_counts(axes, ranking, cut)
    if sure:
        _draw_expectations(
            axes,
            plots.plain_axes(figure, 0.62, foot, _WIDTH, _LOWER, label, "expected F1"),
            ranking,
            cut,
        )
    plots.write_title(figure, title)
    plots.legend_below(figure, axes)
    return figure


def steps(ranking: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the rising cuts at which the number of edges falls, 0 first, and that number.

    Between two of them, the number of edges is that of the upper one; cells at 0 never count.
    """
    values = np.sort(ranking[ranking > 0])
    cuts = np.concatenate([[0.0], np.unique(values)])
    return cuts, len(values) - np.searchsorted(values, cuts, side="left")


def _draw_counts(axes: Axes, ranking: NDArray[np.float64], cut: float | None) -> None:
    from matplotlib.ticker import MaxNLocator

    for lag, cells in enumerate(ranking):
        _step(axes, *steps(cells), label=f"lag {lag}", linewidth=1.2, **plots.style_of_lag(lag))
    cuts, counts = steps(ranking)
    _step(axes, cuts, counts, label="all lags", linewidth=1.8, color=canvas.INK)
    if cut is not None:
        plots.mark(axes, cut, f"cut at {cut:.2g}")
    axes.set_xlim(0.0, max(float(cuts[-1]) * 1.02, cut or 0.0) or 1.0)
    axes.set_ylim(0.0, max(float(counts[0]) * 1.05, 1.0))
    axes.yaxis.set_major_locator(MaxNLocator(nbins=6, integer=True))


def _draw_expectations(
    upper: Axes, lower: Axes, ranking: NDArray[np.float64], cut: float | None
) -> None:
    """Draw what the probabilities say of each cut: false edges above, F1 below."""
    cuts, _ = steps(ranking)
    kept = [ranking[ranking >= max(one, 1e-300)] for one in cuts]
    false = np.array([(1.0 - one).sum() for one in kept])
    f1 = np.array([2.0 * one.sum() / max(len(one) + ranking.sum(), 1e-300) for one in kept])
    _step(
        upper,
        cuts,
        false,
        label="expected false edges",
        linewidth=1.2,
        color=canvas.MUTED,
        linestyle=(0, (1.5, 1.5)),
    )
    _step(lower, cuts, f1, linewidth=1.5, color=canvas.INK)
    if cut is not None:
        plots.mark(lower, cut, "")
    lower.set_xlim(upper.get_xlim())
    lower.set_ylim(0.0, 1.0)
    upper.tick_params(labelbottom=False)


def _step(axes: Axes, cuts: NDArray[np.float64], values: NDArray[Any], **style: Any) -> None:
    axes.step([*cuts, cuts[-1]], [*values, 0.0], where="pre", **style)
