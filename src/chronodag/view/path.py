"""`l1_path`: the strengths of all edges against λ1, those of a graph in colour."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chronodag.errors import GraphError
from chronodag.graph import TemporalGraph, node_label
from chronodag.view import canvas, plots
from chronodag.view.differences import check_graph, padded

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from chronodag.learn.path import L1Path

_WIDTH, _HEIGHT = 5.2, 3.4
"""Of the axes, in inches."""
_NAMED = 18
"""At most this many edges bear their names: the strongest at the smallest λ1."""
_LINE = 0.15
"""The height of a name, in inches."""
_LEADER = 0.22
"""From the end of a line to its name, in inches."""


def l1_path(
    path: L1Path,
    graph: TemporalGraph | None = None,
    *,
    truth: TemporalGraph | None = None,
    title: str | None = None,
) -> Figure:
    """Draw strengths against λ1 on a log scale, falling from left to right.

    The true edges are coloured by their lag, or without a `truth` those of the graph, or without
    either those at the λ1 chosen; all others are grey. The λ1 chosen is marked.
    """
    from chronodag.learn.path import L1Path  # heavy, and there already if one came

    if not isinstance(path, L1Path):
        raise GraphError(
            f"The path is a {type(path).__name__}; expected what chronodag.l1_path(...) returns."
        )
    shown = _shown(path, graph, truth)
    names = [_name(path, cell) for cell in _strongest(path, shown)]
    labels = _entries(path, shown, truth is not None)
    right = canvas.widest(names, canvas.SMALL) + _LEADER
    left, top = 0.62, canvas.PAD + (0.3 if title else 0.0)
    width = left + _WIDTH + right + canvas.PAD
    bottom = 0.42 + canvas.legend_height(labels, width - 2 * canvas.PAD) + 0.1
    figure = canvas.new_figure(width, bottom + _HEIGHT + top)
    axes = plots.plain_axes(figure, left, bottom, _WIDTH, _HEIGHT, "l1", "strength")
    _draw(axes, path, shown, truth is not None)
    _write_names(axes, path, shown)
    plots.write_title(figure, title)
    plots.legend_below(figure, axes)
    return figure


def _shown(
    path: L1Path, graph: TemporalGraph | None, truth: TemporalGraph | None
) -> NDArray[np.bool_]:
    """Return the cells to be coloured."""
    chosen = truth if truth is not None else graph
    if chosen is None:
        near = 0 if path.chosen is None else np.abs(np.log(path.l1s / path.chosen)).argmin()
        point = path.strengths[-1 if path.chosen is None else near]
        return np.asarray(point >= path.threshold[:, None, None])
    check_graph(chosen, "graph" if truth is None else "truth")
    if set(chosen.names) != set(path.names):
        raise GraphError(
            f"The path has the variables {', '.join(path.names)}; the graph has "
            f"{', '.join(chosen.names)}. Expected the same."
        )
    order = [chosen.names.index(name) for name in path.names]
    cells = chosen.adjacency[:, order][:, :, order].astype(float)
    return padded(cells, max(path.lags, chosen.lags))[: path.lags + 1] > 0


def _entries(path: L1Path, shown: NDArray[np.bool_], true: bool) -> list[str]:
    texts = [_text(lag, true) for lag in range(path.lags + 1) if shown[lag].any()]
    return [*texts, "all others", "" if path.chosen is None else f"l1 = {path.chosen:.2g}"]


def _text(lag: int, true: bool) -> str:
    return f"{'true edges' if true else 'edges'} at lag {lag}"


def _draw(axes: Axes, path: L1Path, shown: NDArray[np.bool_], true: bool) -> None:
    axes.set_xscale("log")
    # Many grey lines would run together into an area.
    thin = 0.7 if shown.size < 200 else 0.35
    for lag in range(path.lags + 1):
        for edges, style in ((~shown[lag], None), (shown[lag], plots.style_of_lag(lag))):
            lines = path.strengths[:, lag, edges]
            if style is not None and edges.any():
                drawn = axes.plot(path.l1s, lines, linewidth=1.5, zorder=2.5, **style)
                drawn[0].set_label(_text(lag, true))
            elif style is None:
                axes.plot(path.l1s, lines, linewidth=thin, color=plots.FAINT, zorder=2)
    axes.plot([], [], linewidth=0.7, color=plots.FAINT, label="all others")
    if path.chosen is not None and path.l1s[-1] <= path.chosen <= path.l1s[0]:
        plots.mark(axes, path.chosen, f"l1 = {path.chosen:.2g}")
    axes.set_xlim(path.l1s[0], path.l1s[-1])  # falling: edges come in from left to right
    axes.set_ylim(0.0, float(path.strengths.max()) * 1.05 or 1.0)


def _strongest(path: L1Path, shown: NDArray[np.bool_]) -> list[tuple[int, int, int]]:
    last = path.strengths[-1]
    cells = [(int(k), int(i), int(j)) for k, i, j in np.argwhere(shown & (last > 0))]
    return sorted(cells, key=lambda cell: -last[cell])[:_NAMED]


def _name(path: L1Path, cell: tuple[int, int, int]) -> str:
    lag, source, target = cell
    return f"{node_label(path.names[source], lag)} → {node_label(path.names[target], 0)}"


def _write_names(axes: Axes, path: L1Path, shown: NDArray[np.bool_]) -> None:
    """Write the names of the strongest coloured edges at the right end of their lines."""
    cells = _strongest(path, shown)
    _, top = axes.get_ylim()
    ends = [float(path.strengths[-1][cell]) for cell in cells]
    places = plots.apart(ends, _LINE / _HEIGHT * top, (0.0, top))
    for cell, end, place in zip(cells, ends, places, strict=True):
        colour = plots.style_of_lag(cell[0])["color"]
        axes.annotate(
            _name(path, cell),
            (1.0, end),
            (1.0 + _LEADER / _WIDTH, place),
            xycoords=axes.get_yaxis_transform(),
            textcoords=axes.get_yaxis_transform(),
            fontsize=canvas.SMALL,
            color=colour,
            va="center",
            parse_math=False,
            arrowprops=_leader(colour),
        )


def _leader(colour: str) -> dict[str, Any]:
    """Return the style of the thin line from the left edge of a name to where it belongs."""
    ends = {"shrinkA": 1, "shrinkB": 0, "relpos": (0.0, 0.5)}
    return {"arrowstyle": "-", "color": colour, "linewidth": 0.5, **ends}
