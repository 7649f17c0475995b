"""`heatmap`, `confidences`: a matrix per lag, parents in rows, children in columns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from chronodag.errors import GraphError
from chronodag.graph import TemporalGraph
from chronodag.view import canvas, marks
from chronodag.view.differences import Differences, check_graph, differences, magnitudes, padded

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from chronodag.learn.stability import Bootstrap

_WIDEST = 17.0
"""Panels wrap to a new line beyond this many inches."""
_TICKS = 40
"""With more variables than this, only every second (third, …) name is written."""
_GAP = 0.3
_HEAD = 0.3
"""The room for the heading of a panel, in inches."""
_BAR = 0.95
"""The room for the colour bar and its numbers, in inches."""


def heatmap(
    graph: TemporalGraph,
    truth: TemporalGraph | None = None,
    *,
    strengths: bool = True,
    title: str | None = None,
) -> Figure:
    """Draw one panel per lag: parents in rows, children in columns, strength as colour.

    Edges of the graph are outlined; strengths that did not become an edge are faint. With
    `strengths=False` only the edges are filled. With a `truth`, its panels stand below, and every
    difference bears a mark: the marks are as many as the structural Hamming distance.
    """
    check_graph(graph)
    found = None if truth is None else differences(graph, truth)
    values, label = magnitudes(graph) if strengths else (graph.adjacency.astype(float), "")
    # Plain edges get a middling blue, so that outlines and marks stand out from it.
    colours = marks.Colours(float(values.max(initial=0.0)) if strengths else 1.3, label)
    legend = marks.legend(bool((values > 0)[~graph.adjacency].any()), found)
    return _draw(graph.names, values, graph.adjacency, colours, legend, title, found)


def confidences(
    result: Bootstrap | TemporalGraph, *, min_presence: float = 0.5, title: str | None = None
) -> Figure:
    """Draw one panel per lag: how often each edge is present in the replicates of a bootstrap.

    Edges present in at least `min_presence` of them are outlined. Of a graph that was chosen by
    evidence, its confidences are drawn, its edges outlined.
    """
    from chronodag.learn.stability import Bootstrap  # heavy, and there already if one came

    if isinstance(result, TemporalGraph) and result.confidence is not None:
        values, kept, words = result.confidence, result.adjacency, ("edge", "no edge")
        colours = marks.Colours(1.0, "confidence")
    elif isinstance(result, Bootstrap):
        values, kept = result.presence, result.presence >= min_presence
        share = f"in {min_presence:.0%} of the replicates"
        words = f"{share} or more", f"in fewer than {min_presence:.0%}"
        colours = marks.Colours(1.0, "share of replicates")
    else:
        raise GraphError(
            f"confidences came with a {type(result).__name__} without confidences; expected what "
            "chronodag.bootstrap(...) returns, or a graph whose edges the evidence chose."
        )
    entries = marks.legend(bool((values > 0)[~kept].any()), None)
    legend = dict(zip(words, entries.values(), strict=False))
    return _draw(result.names, values, kept, colours, legend, title)


def _draw(
    names: tuple[str, ...],
    values: NDArray[np.float64],
    kept: NDArray[np.bool_],
    colours: marks.Colours,
    legend: dict[str, Artist],
    title: str | None,
    found: Differences | None = None,
) -> Figure:
    """Draw the matrices of all lags, and with differences the true ones below them."""
    lags = len(values) - 1 if found is None else len(found.truth) - 1
    kept = padded(kept.astype(float), lags) > 0
    layout = _Layout(names, lags, found is not None, bool(colours.label), title, tuple(legend))
    figure = canvas.new_figure(layout.width, layout.height)
    for lag, cells in enumerate(padded(values, lags)):
        axes = _panel(figure, layout, lag, below=False)
        marks.fill(axes, cells, kept[lag], colours)
        marks.forbid_diagonal(axes, lag, len(cells))
        marks.outline(axes, kept[lag], layout.cell)
        if found is not None:
            marks.differ(axes, found, lag, layout.cell)
            below = _panel(figure, layout, lag, below=True)
            marks.fill_true(below, found.truth[lag])
            marks.forbid_diagonal(below, lag, len(cells))
    if layout.with_bar:
        x, y = layout.corner(layout.columns - 1, below=False)
        bar = canvas.place_axes(figure, x + layout.panel + 0.2, y, 0.13, layout.panel)
        marks.colour_bar(bar, colours)
    _write_around(figure, layout, found)
    canvas.add_legend(figure, list(legend.values()), list(legend))
    return figure


@dataclass(frozen=True)
class _Layout:
    """Where everything stands, in inches."""

    names: tuple[str, ...]
    lags: int
    with_truth: bool
    with_bar: bool
    title: str | None
    legend: tuple[str, ...]

    @cached_property
    def panel(self) -> float:
        """The side of a panel: large cells for few variables, at most 6 inches for many."""
        count = len(self.names)
        return max(min(0.8 * count, 2.4), min(0.165 * count, 6.0), 1.0)

    @cached_property
    def cell(self) -> float:
        return self.panel / len(self.names)

    @cached_property
    def every(self) -> int:
        """Every which name is written."""
        return -(-len(self.names) // _TICKS)

    @cached_property
    def font(self) -> float:
        return float(np.clip(self.cell * self.every * 72 * 0.65, 5.0, canvas.NORMAL))

    @cached_property
    def names_across(self) -> float:
        return canvas.widest(self.names, self.font) + 0.08

    @cached_property
    def upright(self) -> bool:
        """Whether the names of the columns must stand upright to fit."""
        return self.names_across > self.cell * self.every

    @cached_property
    def names_down(self) -> float:
        return self.names_across if self.upright else 0.18

    @cached_property
    def left(self) -> float:
        return canvas.PAD + (0.28 if self.with_truth else 0.0) + 0.2 + self.names_across

    @cached_property
    def right(self) -> float:
        return canvas.PAD + (_BAR if self.with_bar else 0.0)

    @cached_property
    def pitch(self) -> float:
        heading = canvas.text_width(_heading(self.lags), canvas.NORMAL)
        return max(self.panel, heading) + _GAP

    @cached_property
    def columns(self) -> int:
        fit = max(1, int((_WIDEST - self.left - self.right) / self.pitch))
        rows = -(-(self.lags + 1) // fit)
        return -(-(self.lags + 1) // rows)

    @cached_property
    def lines(self) -> int:
        return -(-(self.lags + 1) // self.columns) * (2 if self.with_truth else 1)

    @cached_property
    def line(self) -> float:
        """The height of one line of panels, from heading to names."""
        return _HEAD + self.panel + self.names_down + _GAP

    @cached_property
    def width(self) -> float:
        needed = self.left + self.columns * self.pitch - _GAP + self.right
        return max(needed, canvas.text_width(self.title or "", canvas.LARGE) * 1.1 + 0.4, 4.2)

    @cached_property
    def foot(self) -> float:
        return 0.12 + canvas.legend_height(self.legend, self.width - 2 * canvas.PAD)

    @cached_property
    def top(self) -> float:
        """The room for the title and for how the graph does against the truth."""
        return canvas.PAD + (0.26 if self.title else 0.0) + (0.18 if self.with_truth else 0.0)

    @cached_property
    def height(self) -> float:
        return self.foot + self.lines * self.line + self.top

    def corner(self, lag: int, *, below: bool) -> tuple[float, float]:
        """Return the lower left corner of a panel; a true one stands below its estimate."""
        row, column = divmod(lag, self.columns)
        line = 2 * row + below if self.with_truth else row
        bottom = self.height - self.top - line * self.line - _HEAD - self.panel
        return self.left + column * self.pitch, bottom


def _heading(lag: int) -> str:
    return f"lag {lag}: X(t-{lag})" if lag else "same time (t)"


def _panel(figure: Figure, layout: _Layout, lag: int, *, below: bool) -> Axes:
    """Add the empty panel of one lag, with its heading and the names along its sides."""
    x, y = layout.corner(lag, below=below)
    axes = canvas.place_axes(figure, x, y, layout.panel, layout.panel)
    axes.set_title(_heading(lag), fontsize=canvas.NORMAL, color=canvas.INK, pad=5)
    places = range(0, len(layout.names), layout.every)
    names = [layout.names[place] for place in places]
    axes.set_xticks(list(places), names, parse_math=False)
    axes.set_yticks(list(places), names, parse_math=False)
    axes.tick_params(length=0, labelsize=layout.font, labelcolor=canvas.INK, pad=2)
    axes.tick_params(axis="x", labelrotation=90 if layout.upright else 0)
    axes.tick_params(axis="y", labelleft=lag % layout.columns == 0)
    _rule(axes, len(layout.names))
    return axes


def _rule(axes: Axes, count: int) -> None:
    """Draw thin lines between the cells and around them."""
    between = np.arange(count + 1) - 0.5
    axes.hlines(between, -0.5, count - 0.5, colors=canvas.RULE, linewidth=0.5, zorder=0.9)
    axes.vlines(between, -0.5, count - 0.5, colors=canvas.RULE, linewidth=0.5, zorder=0.9)
    axes.set_xlim(-0.5, count - 0.5)
    axes.set_ylim(count - 0.5, -0.5)
    for spine in axes.spines.values():
        spine.set(color=canvas.MUTED, linewidth=0.6)


def _write_around(figure: Figure, layout: _Layout, found: Differences | None) -> None:
    """Write the title, the caption, and what rows and columns mean."""
    y = layout.height - canvas.PAD
    if layout.title:
        canvas.write(figure, canvas.PAD, y, layout.title, size=canvas.LARGE, weight="bold")
        y -= 0.26
    if found is not None:
        canvas.write(figure, canvas.PAD, y, found.caption, color=canvas.MUTED)
    for row in range(0, layout.lags + 1, layout.columns):
        for below in (False, True)[: 1 + layout.with_truth]:
            x, bottom = layout.corner(row, below=below)
            middle = bottom + layout.panel / 2
            _sideways(figure, x - layout.names_across - 0.12, middle, "parent", canvas.MUTED)
            if layout.with_truth:
                side = "truth" if below else "estimate"
                _sideways(figure, canvas.PAD + 0.08, middle, side, canvas.INK)
    first_of_last_row = layout.lags // layout.columns * layout.columns
    x, bottom = layout.corner(first_of_last_row, below=layout.with_truth)
    middle, under = x + layout.panel / 2, bottom - layout.names_down - 0.14
    align = ("center", "center")
    canvas.write(figure, middle, under, "child, at time t", color=canvas.MUTED, align=align)


def _sideways(figure: Figure, x: float, y: float, text: str, color: str) -> None:
    weight = "bold" if color == canvas.INK else "normal"
    canvas.write(
        figure, x, y, text, color=color, weight=weight, align=("center", "center"), rotation=90
    )
