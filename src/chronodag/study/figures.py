"""One picture of a study: every method's mean and interval under every heading."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronodag.study.scores import COUNTS, SPENT
from chronodag.study.summary import Summary
from chronodag.view.canvas import (
    BLUE,
    INK,
    MISSED,
    MUTED,
    PAD,
    RULE,
    SMALL,
    TURNED,
    WRONG,
    add_legend,
    legend_height,
    new_figure,
    place_axes,
    widest,
    write,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

COLOURS = (BLUE, WRONG, TURNED, MISSED, INK, MUTED)
MARKERS = "osD^vPX*"
LOGARITHMIC = frozenset(("seconds", "first_seconds"))
"""Metrics whose methods lie powers of ten apart."""
_ROW, _GROUP_GAP = 0.17, 0.16
_WIDTH = 4.6


def draw_summary(summary: Summary) -> Figure:
    """Draw a row per heading and method, a mark at the mean, a line for the 95 % interval.

    What has no value says why, in words, at its place.
    """
    group = _ROW * len(summary.methods) + _GROUP_GAP
    tall = group * len(summary.columns)
    left = PAD + widest(summary.columns, SMALL) + 0.1
    bottom = 0.45 + legend_height(summary.methods, left + _WIDTH)
    figure = new_figure(left + _WIDTH + PAD, bottom + tall + 0.4)
    axes = place_axes(figure, left, bottom, _WIDTH, tall)
    axes.set_ylim(len(summary.columns) * group, 0.0)
    handles = [_series(axes, summary, index, group) for index in range(len(summary.methods))]
    _finish(axes, summary, group)
    write(figure, PAD, bottom + tall + 0.22, _title(summary), weight="bold")
    add_legend(figure, handles, list(summary.methods))
    return figure


def _title(summary: Summary) -> str:
    against = "" if summary.truth == "truth" else f", truth “{summary.truth}”"
    return f"{summary.metric}{against}: mean and 95 % interval"


def _series(axes: Axes, summary: Summary, index: int, group: float) -> Line2D:
    """Draw one method under all headings; return its entry of the legend."""
    from matplotlib.lines import Line2D

    method = summary.methods[index]
    colour, marker = COLOURS[index % len(COLOURS)], MARKERS[index % len(MARKERS)]
    for number, column in enumerate(summary.columns):
        height = number * group + _GROUP_GAP / 2 + (index + 0.5) * _ROW
        entry = summary.entries.get((method, column))
        if entry is None:
            continue
        if entry.mean is None:
            reason = ", ".join(f"{many} {why}" for why, many in entry.lost.items())
            text = axes.text(
                0.01, height, f"{method}: {reason}", transform=axes.get_yaxis_transform()
            )
            text.set(fontsize=SMALL - 1, color=colour, va="center", parse_math=False)
            continue
        half = entry.mean.half or 0.0
        low = entry.mean.mean - half
        if summary.metric in LOGARITHMIC:
            low = floor_of(low, entry.mean.mean)
        axes.plot([low, entry.mean.mean + half], [height] * 2, color=colour)
        axes.plot([entry.mean.mean], [height], marker, color=colour, markersize=4.5)
    return Line2D([], [], color=colour, marker=marker, markersize=4.5)


def within_range(metric: str, low: float, high: float) -> tuple[float, float]:
    """Return the limits of an axis, cut where the metric cannot go, as wide intervals may."""
    low = max(low, -0.02 * min(high, 1.0)) if metric not in LOGARITHMIC else low
    return low, (high if metric in COUNTS or metric in SPENT else min(high, 1.02))


def floor_of(low: float, mean: float) -> float:
    """Return the lower end of an interval for a logarithmic axis, which has no place for 0."""
    return max(low, mean / 10)


def _finish(axes: Axes, summary: Summary, group: float) -> None:
    if summary.metric in LOGARITHMIC:
        axes.set_xscale("log")
    axes.set_xlim(*within_range(summary.metric, *axes.get_xlim()))
    axes.set_yticks([(number + 0.5) * group for number in range(len(summary.columns))])
    axes.set_yticklabels(summary.columns, fontsize=SMALL, color=INK, parse_math=False)
    axes.tick_params(which="both", length=0, labelsize=SMALL, labelcolor=MUTED)
    for number in range(1, len(summary.columns)):
        axes.axhline(number * group, color=RULE, linewidth=0.8)
    axes.grid(axis="x", color=RULE, linewidth=0.6)
    axes.set_axisbelow(True)
    for spine in axes.spines.values():
        spine.set_visible(False)
