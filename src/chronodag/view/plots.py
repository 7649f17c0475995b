"""What pictures with a horizontal and a vertical scale share: plain axes, colours of the lags."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from chronodag.view import canvas

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLOURS = (canvas.BLUE, canvas.WRONG, canvas.TURNED, canvas.MISSED, "#b58900", "#6a4fb3")
# After six lags the colours begin anew, with another line.
_DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1.5, 1.2)), (0, (5, 1.5, 1.5, 1.5)))
FAINT = "#c3c9cf"


def style_of_lag(lag: int) -> dict[str, Any]:
    """Return the colour and the dashes of one lag's lines."""
    turn, place = divmod(lag, len(_COLOURS))
    return {"color": _COLOURS[place], "linestyle": _DASHES[turn % len(_DASHES)]}


def plain_axes(
    figure: Figure, left: float, bottom: float, width: float, height: float, across: str, up: str
) -> Axes:
    """Add axes at a place in inches, with their labels and no more lines than needed."""
    axes = canvas.place_axes(figure, left, bottom, width, height)
    axes.set_xlabel(across, fontsize=canvas.SMALL, color=canvas.MUTED)
    axes.set_ylabel(up, fontsize=canvas.SMALL, color=canvas.MUTED)
    axes.tick_params(labelsize=canvas.SMALL, labelcolor=canvas.INK, color=canvas.MUTED, length=3)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set(color=canvas.MUTED, linewidth=0.6)
    return axes


def mark(axes: Axes, x: float, label: str) -> None:
    """Draw an upright line at x."""
    axes.axvline(x, color=canvas.INK, linewidth=0.9, linestyle=(0, (2, 2)), label=label, zorder=1.5)


def write_title(figure: Figure, title: str | None) -> None:
    """Write the title in the upper left corner."""
    if title:
        _, height = figure.get_size_inches()
        y = height - canvas.PAD
        canvas.write(figure, canvas.PAD, y, title, size=canvas.LARGE, weight="bold")


def legend_below(figure: Figure, axes: Axes) -> None:
    """Put a legend of all named lines of the axes along the lower edge."""
    handles, labels = axes.get_legend_handles_labels()
    canvas.add_legend(figure, handles, labels)


def apart(places: Sequence[float], gap: float) -> list[float]:
    """Return places moved as little as is easy, so that no two are closer than the gap."""
    order = sorted(range(len(places)), key=lambda one: places[one])
    moved = list(places)
    groups: list[list[int]] = []
    for one in order:
        groups.append([one])
        # Neighbours that overlap become one group, centred on the mean of its places.
        while len(groups) > 1 and _low(groups[-1], places, gap) < _high(groups[-2], places, gap):
            last = groups.pop()
            groups[-1] += last
    for group in groups:
        low = _low(group, places, gap) + gap / 2
        for step, one in enumerate(group):
            moved[one] = low + step * gap
    return moved


def _low(group: list[int], places: Sequence[float], gap: float) -> float:
    return sum(places[one] for one in group) / len(group) - len(group) * gap / 2


def _high(group: list[int], places: Sequence[float], gap: float) -> float:
    return _low(group, places, gap) + len(group) * gap
