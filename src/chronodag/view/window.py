"""`time_series_graph`: variables in rows, times in columns, an arrow for each edge into time t."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chronodag.graph import TemporalGraph
from chronodag.view import arrows, canvas
from chronodag.view.differences import Differences, check_graph, differences, magnitudes, padded

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# By the name of the cells in `Differences`: text in the legend, colour, line.
_KINDS: dict[str, tuple[str, str, Any]] = {
    "correct": ("correct edge", canvas.BLUE, "-"),
    "wrong": ("wrong edge", canvas.WRONG, "-"),
    "missed": ("missed edge", canvas.MISSED, (0, (3, 1.5))),
    "turned": ("reversed edge", canvas.TURNED, "-"),
}


def time_series_graph(
    graph: TemporalGraph,
    *,
    truth: TemporalGraph | None = None,
    title: str | None = None,
) -> Figure:
    """Draw variables as rows and times as columns, with an arrow for each edge into time t.

    The stronger an edge, the wider and darker its arrow. Edges at lag 0 are arcs to the right of
    the last column; an edge over several steps bows around the nodes between. With a `truth`,
    colours and dashes tell correct, wrong, missed and reversed edges apart.
    """
    check_graph(graph)
    values, _ = magnitudes(graph)
    found = None if truth is None else differences(graph, truth)
    lags = graph.lags if found is None else len(found.truth) - 1
    layout = _Layout(graph.names, lags, found is not None, title)
    figure = canvas.new_figure(layout.width, layout.height)
    axes = canvas.drawing_axes(figure)
    kinds = (
        {"correct": graph.adjacency} if found is None else {k: getattr(found, k) for k in _KINDS}
    )
    for kind, lag, source, target, share in _edges(kinds, padded(values, lags)):
        _draw_edge(axes, layout, kind, lag, source, target, share)
    _draw_nodes(axes, layout)
    _write_around(figure, layout, found)
    if found is not None:
        canvas.add_legend(figure, _handles(), [text for text, _, _ in _KINDS.values()])
    return figure


@dataclass(frozen=True)
class _Layout:
    """Where everything stands, in inches."""

    names: tuple[str, ...]
    lags: int
    with_truth: bool
    title: str | None

    @cached_property
    def pitch(self) -> float:
        """The distance between two rows."""
        return float(np.clip(7.5 / len(self.names), 0.15, 0.7))

    @cached_property
    def step(self) -> float:
        """The distance between two columns: wider for more rows, so that arrows are not steep."""
        return float(np.clip(0.36 * self.pitch * len(self.names), 1.5, 3.0))

    @cached_property
    def radius(self) -> float:
        return min(0.11, 0.27 * self.pitch)

    @cached_property
    def font(self) -> float:
        return float(np.clip(self.pitch * 72 * 0.6, 5.0, 10.0))

    @cached_property
    def left(self) -> float:
        """Where the first column stands."""
        return canvas.PAD + canvas.widest(self.names, self.font) + self.radius + 0.12

    @cached_property
    def reach(self) -> float:
        """How far the widest arc at lag 0 swings out."""
        return float(0.3 + 0.16 * (len(self.names) - 1) ** 0.75)

    @cached_property
    def width(self) -> float:
        needed = self.left + self.lags * self.step + self.reach + self.radius + 2 * canvas.PAD
        return max(needed, canvas.text_width(self.title or "", canvas.LARGE) * 1.1 + 0.4, 3.4)

    @cached_property
    def foot(self) -> float:
        labels = [text for text, _, _ in _KINDS.values()] if self.with_truth else []
        return canvas.PAD + canvas.legend_height(labels, self.width - 2 * canvas.PAD)

    @cached_property
    def top(self) -> float:
        """The room for the title, the caption and the times."""
        texts = (0.27 if self.title else 0.0) + (0.24 if self.with_truth else 0.0)
        return canvas.PAD + texts + max(0.0, self.times_above + 0.2 - self.pitch / 2)

    @cached_property
    def times_above(self) -> float:
        """How far the times stand above the first row, where arrows may bow."""
        return 2 * self.radius + (0.3 if self.lags > 1 else 0.05)

    @cached_property
    def height(self) -> float:
        return self.foot + self.pitch * len(self.names) + self.top

    def place(self, variable: int, lag: int) -> NDArray[np.float64]:
        """Return the centre of a node."""
        x = self.left + (self.lags - lag) * self.step
        return np.array([x, self.foot + (len(self.names) - 0.5 - variable) * self.pitch])


def _edges(
    kinds: dict[str, NDArray[np.bool_]], values: NDArray[np.float64]
) -> Iterator[tuple[str, int, int, int, float]]:
    """Yield kind, lag, source, target and strength as a share of the largest, weakest first."""
    found = [
        # A missed edge has no strength to speak of, and must be seen.
        (kind, int(k), int(i), int(j), 0.5 if kind == "missed" else float(values[k, i, j]))
        for kind, cells in kinds.items()
        for k, i, j in np.argwhere(cells)
    ]
    largest = float(values.max(initial=0.0)) or 1.0
    for kind, lag, source, target, value in sorted(found, key=lambda edge: edge[-1]):
        yield kind, lag, source, target, value if kind == "missed" else value / largest


def _draw_edge(
    axes: Axes, layout: _Layout, kind: str, lag: int, source: int, target: int, share: float
) -> None:
    _, colour, dashes = _KINDS[kind]
    curve = _arc(layout, source, target) if lag == 0 else _bow(layout, lag, source, target)
    gap = layout.radius + 0.02
    thin = float(np.clip(layout.pitch / 0.4, 0.5, 1.0))
    arrows.draw_arrow(
        axes,
        arrows.shortened(curve, gap, gap),
        head=3.5 + 3.5 * thin * (0.4 + 0.6 * share),
        label=kind,
        color=canvas.tint(colour, 0.4 + 0.6 * share),
        linewidth=thin * (0.6 + 2.2 * share),
        linestyle=dashes,
    )


def _arc(layout: _Layout, source: int, target: int) -> arrows.Bezier:
    """Return the curve of a lag-0 edge: the farther apart, the farther out."""
    span = abs(source - target) / max(1, len(layout.names) - 1)
    reach = 0.22 + (layout.reach - 0.22) * span**0.75
    return arrows.arc(layout.place(source, 0), layout.place(target, 0), reach)


def _bow(layout: _Layout, lag: int, source: int, target: int) -> arrows.Bezier:
    """Return the curve of a lagged edge: the straightest that clears the nodes between."""
    start, end = layout.place(source, lag), layout.place(target, 0)
    between = [
        layout.place(variable, step)
        for step in range(1, lag)
        for variable in range(min(source, target), max(source, target) + 1)
    ]
    if not between:
        return arrows.bowed(start, end, 0.0)
    # An edge to itself bows more the longer it is, so that its edges at other lags stay in sight.
    least = layout.radius + 0.05 * min(lag, 4)
    bows = [least] if source == target else [0.0, *np.outer([0.5, 1, 1.5, 2], [least, -least]).flat]
    curves = [arrows.bowed(start, end, float(bow)) for bow in bows]
    room = [arrows.clearance(curve, np.array(between)) for curve in curves]
    clear = [curve for curve, free in zip(curves, room, strict=True) if free > layout.radius + 0.04]
    return clear[0] if clear else curves[int(np.argmax(room))]


def _draw_nodes(axes: Axes, layout: _Layout) -> None:
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Circle

    for lag in range(layout.lags + 1):
        centres = [layout.place(variable, lag) for variable in range(len(layout.names))]
        circles = [Circle((float(x), float(y)), layout.radius) for x, y in centres]
        filled = canvas.INK if lag == 0 else "white"
        nodes = PatchCollection(
            circles, label=f"lag {lag}", facecolor=filled, edgecolor=canvas.INK, linewidth=0.9
        )
        nodes.set_zorder(3)
        axes.add_collection(nodes, autolim=False)


def _write_around(figure: Figure, layout: _Layout, found: Differences | None) -> None:
    y = layout.height - canvas.PAD
    if layout.title:
        canvas.write(figure, canvas.PAD, y, layout.title, size=canvas.LARGE, weight="bold")
        y -= 0.27
    if found is not None:
        canvas.write(figure, canvas.PAD, y, found.caption, color=canvas.MUTED)
    for variable, name in enumerate(layout.names):
        x, y = layout.place(variable, layout.lags)
        x -= layout.radius + 0.1
        canvas.write(figure, x, y, name, size=layout.font, align=("right", "center_baseline"))
    top = layout.place(0, 0)[1] + layout.times_above
    for lag in range(layout.lags + 1):
        x, _ = layout.place(0, lag)
        text = f"t-{lag}" if lag else "t"
        canvas.write(figure, x, top, text, color=canvas.MUTED, align=("center", "bottom"))


def _handles() -> list[Artist]:
    from matplotlib.lines import Line2D

    return [
        Line2D([], [], color=colour, linewidth=1.6, linestyle=dashes)
        for _, colour, dashes in _KINDS.values()
    ]
