"""`summary_graph`: variables on a circle, one arrow per pair, its lags written on it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from chronodag.graph import TemporalGraph
from chronodag.view import arrows, canvas
from chronodag.view.differences import check_graph, magnitudes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_RADIUS = 0.09
_LOOP = 0.34
"""How far the arrow from a variable to itself reaches out, in inches."""
_SIZE = 7.0


def summary_graph(graph: TemporalGraph, *, title: str | None = None) -> Figure:
    """Draw each variable once, and an arrow for each pair joined at any lag.

    The lags stand on the arrow (0 = the same time); the strongest of them sets its width. An
    arrow from a variable to itself is a loop outside the circle.
    """
    check_graph(graph)
    values, _ = magnitudes(graph)
    layout = _Layout(graph.names, title)
    figure = canvas.new_figure(layout.width, layout.height)
    axes = canvas.drawing_axes(figure)
    strengths = np.where(graph.adjacency, values, 0.0).max(axis=0)
    largest = float(strengths.max(initial=0.0)) or 1.0
    taken = [*layout.places]
    pairs = np.argwhere(graph.adjacency.any(axis=0))
    for source, target in sorted(pairs.tolist(), key=lambda pair: float(strengths[tuple(pair)])):
        share = float(strengths[source, target]) / largest
        curve = layout.loop(source) if source == target else layout.chord(source, target)
        _draw(axes, curve, share)
        lags = ", ".join(str(lag) for lag in np.flatnonzero(graph.adjacency[:, source, target]))
        where = _free_place(curve, np.array(taken), own=source == target)
        taken.append(where)
        _write_lags(axes, where, lags)
    _draw_nodes(axes, layout)
    loops = np.array([graph.adjacency[:, i, i].any() for i in range(len(graph.names))])
    _write_names(figure, layout, loops)
    return figure


@dataclass(frozen=True)
class _Layout:
    """Where everything stands, in inches."""

    names: tuple[str, ...]
    title: str | None

    @cached_property
    def ring(self) -> float:
        """The radius of the circle."""
        return max(1.1, 0.15 * len(self.names))

    @cached_property
    def margin(self) -> tuple[float, float]:
        """The room for loops and names, across and up."""
        beyond = _RADIUS + _LOOP + 0.12 + canvas.PAD
        return beyond + canvas.widest(self.names, canvas.NORMAL), beyond + 0.2

    @cached_property
    def width(self) -> float:
        titled = canvas.text_width(self.title or "", canvas.LARGE) * 1.1 + 0.4
        return max(2 * (self.ring + self.margin[0]), titled)

    @cached_property
    def height(self) -> float:
        return 2 * (self.ring + self.margin[1]) + (0.3 if self.title else 0.0)

    @cached_property
    def centre(self) -> NDArray[np.float64]:
        return np.array([self.width / 2, self.ring + self.margin[1]])

    @cached_property
    def outward(self) -> NDArray[np.float64]:
        """Unit vectors `[variable, xy]` from the centre, clockwise from the top."""
        turns = 2 * np.pi * np.arange(len(self.names)) / len(self.names)
        return np.stack([np.sin(turns), np.cos(turns)], axis=1)

    @cached_property
    def places(self) -> NDArray[np.float64]:
        """The centres of the nodes `[variable, xy]`."""
        return np.asarray(self.centre + self.ring * self.outward)

    def chord(self, source: int, target: int) -> arrows.Bezier:
        """Return a curve that bows to the inside, where no other node stands.

        It bows more in one direction than in the other: there and back again are two arrows.
        """
        start, end = self.places[source], self.places[target]
        clockwise = (target - source) % len(self.names) <= len(self.names) / 2
        share = -0.05 if clockwise else 0.13
        bow = share * float(np.hypot(*(end - start)))
        return arrows.shortened(arrows.bowed(start, end, bow), _RADIUS + 0.02, _RADIUS + 0.03)

    def loop(self, variable: int) -> arrows.Bezier:
        """Return a curve that leaves a node outwards and comes back to it."""
        place, out = self.places[variable], self.outward[variable]
        side = np.array([-out[1], out[0]])
        reach = _LOOP * 4 / 3
        return np.array(
            [
                place + _RADIUS * (0.7 * out + 0.7 * side),
                place + reach * (out + 0.7 * side),
                place + reach * (out - 0.7 * side),
                place + (_RADIUS + 0.03) * (0.7 * out - 0.7 * side),
            ]
        )


def _free_place(curve: arrows.Bezier, taken: NDArray[np.float64], *, own: bool) -> arrows.Point:
    """Return the point of the curve nearest its middle that has room for its lags.

    Without any such point, the roomiest one serves.
    """
    if own:
        return np.asarray(arrows.points_at(curve, np.array([0.5]))[0])
    order = [0.5, 0.58, 0.42, 0.66, 0.34, 0.74, 0.26, 0.8, 0.2]
    points = arrows.points_at(curve, np.array(order))
    room = np.hypot(*(points[:, None] - taken).transpose(2, 0, 1)).min(axis=1)
    fits = room > 0.2
    return np.asarray(points[np.argmax(fits) if fits.any() else np.argmax(room)])


def _draw(axes: Axes, curve: arrows.Bezier, share: float) -> None:
    arrows.draw_arrow(
        axes,
        curve,
        head=4.5 + 2.5 * share,
        label="edge",
        color=canvas.tint(canvas.BLUE, 0.4 + 0.6 * share),
        linewidth=0.7 + 1.6 * share,
    )


def _write_lags(axes: Axes, where: arrows.Point, lags: str) -> None:
    box = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none"}
    axes.text(
        float(where[0]),
        float(where[1]),
        lags,
        fontsize=_SIZE,
        color=canvas.INK,
        ha="center",
        va="center",
        bbox=box,
        zorder=4,
    )


def _draw_nodes(axes: Axes, layout: _Layout) -> None:
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Circle

    circles = [Circle((float(x), float(y)), _RADIUS) for x, y in layout.places]
    nodes = PatchCollection(circles, label="variables", facecolor=canvas.INK, edgecolor="none")
    nodes.set_zorder(3)
    axes.add_collection(nodes, autolim=False)


def _write_names(figure: Figure, layout: _Layout, loops: NDArray[np.bool_]) -> None:
    if layout.title:
        y = layout.height - canvas.PAD
        canvas.write(figure, canvas.PAD, y, layout.title, size=canvas.LARGE, weight="bold")
    for variable, name in enumerate(layout.names):
        out = layout.outward[variable]
        away = _RADIUS + 0.12 + (_LOOP if loops[variable] else 0.0)
        x, y = layout.places[variable] + out * away
        across = "left" if out[0] > 0.2 else "right" if out[0] < -0.2 else "center"
        canvas.write(figure, x, y, name, size=canvas.NORMAL, align=(across, "center"))
