"""The picture of a metric along an axis: a panel per kind of data, a line per method."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronodag.study.curves import Curves
from chronodag.study.figures import COLOURS, LOGARITHMIC, MARKERS, floor_of, within_range
from chronodag.study.summary import Mean
from chronodag.view.canvas import (
    INK,
    MUTED,
    PAD,
    RULE,
    SMALL,
    add_legend,
    legend_height,
    new_figure,
    place_axes,
    write,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

_WIDE, _TALL = 2.7, 2.2
_ACROSS, _ABOVE, _BELOW, _LEFT = 0.5, 0.35, 0.5, 0.55
_MOST_BESIDE = 4
_NUDGE = 0.012
"""Lines stand beside one another by this share of the axis, so that intervals do not hide."""


def draw_curves(found: Curves) -> Figure:
    """Draw the means with their 95 % intervals; methods with no place on the axis are dashed."""
    beside = min(len(found.panels), _MOST_BESIDE)
    rows = -(-len(found.panels) // beside)
    scale = 1.7 if len(found.panels) == 1 else 1.0
    wide, tall = _WIDE * scale, _TALL * scale
    across = PAD + _LEFT + beside * wide + (beside - 1) * _ACROSS + PAD
    bottom = 0.1 + legend_height(found.lines, across - 2 * PAD)
    high = bottom + rows * (tall + _ABOVE + _BELOW) + 0.3
    figure = new_figure(across, high)
    write(figure, PAD, high - 0.22, f"{found.metric}: mean and 95 % interval", weight="bold")
    handles: list[Line2D] = []
    placed: list[Axes] = []
    for number, panel in enumerate(found.panels):
        left = PAD + _LEFT + (number % beside) * (wide + _ACROSS)
        low = high - 0.3 - (number // beside + 1) * (tall + _ABOVE + _BELOW) + _BELOW
        axes = place_axes(figure, left, low, wide, tall)
        handles = [_line(axes, found, panel, index) for index in range(len(found.lines))]
        _finish(axes, found, panel)
        placed.append(axes)
    _same_height(placed, found.metric)
    add_legend(figure, handles, found.lines)
    return figure


def _line(axes: Axes, found: Curves, panel: str, index: int) -> Line2D:
    """Draw one method in one panel; return its entry of the legend."""
    from matplotlib.lines import Line2D

    key = (panel, found.lines[index])
    colour, marker = COLOURS[index % len(COLOURS)], MARKERS[index % len(MARKERS)]
    flat = all((one, found.lines[index]) not in found.points for one in found.panels)
    if key in found.level:
        axes.axhline(found.level[key].mean, color=colour, linestyle="--", linewidth=1.0)
    places = found.places
    width = places[-1] - places[0] if places else 0.0
    shift = (index - (len(found.lines) - 1) / 2) * _NUDGE * width
    points = sorted(found.points.get(key, {}).items())
    for place, mean in points:
        axes.plot([place + shift] * 2, _ends(found, mean), color=colour, linewidth=0.9)
    at, means = [place + shift for place, _ in points], [mean.mean for _, mean in points]
    axes.plot(at, means, marker=marker, color=colour, markersize=4.0, linewidth=1.2)
    if flat:
        return Line2D([], [], color=colour, linestyle="--")
    return Line2D([], [], color=colour, marker=marker, markersize=4.0)


def _ends(found: Curves, mean: Mean) -> tuple[float, float]:
    half = mean.half or 0.0
    low = mean.mean - half
    return (floor_of(low, mean.mean) if found.metric in LOGARITHMIC else low), mean.mean + half


def _same_height(placed: list[Axes], metric: str) -> None:
    """Give all panels one scale, so that they can be compared."""
    low, high = zip(*(axes.get_ylim() for axes in placed), strict=True)
    limits = within_range(metric, min(low), max(high))
    for axes in placed:
        axes.set_ylim(*limits)


def _finish(axes: Axes, found: Curves, panel: str) -> None:
    if found.metric in LOGARITHMIC:
        axes.set_yscale("log")
    if found.places:
        axes.set_xticks(found.places)
        axes.set_xticklabels([f"{place:g}" for place in found.places])
    axes.set_xlabel(found.axis, fontsize=SMALL, color=MUTED)
    axes.set_title(panel, fontsize=SMALL, color=INK, loc="left", parse_math=False)
    axes.tick_params(which="both", length=0, labelsize=SMALL, labelcolor=MUTED)
    axes.grid(axis="y", color=RULE, linewidth=0.6)
    axes.set_axisbelow(True)
    for side, spine in axes.spines.items():
        spine.set_visible(side == "bottom")
        spine.set_color(RULE)
