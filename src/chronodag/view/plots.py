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


def apart(places: Sequence[float], gap: float, limits: tuple[float, float]) -> list[float]:
    """Return places moved as little as is easy: none closer than the gap, all within the limits."""
    order = sorted(range(len(places)), key=lambda one: places[one])
    groups: list[list[int]] = []

    def low(group: list[int]) -> float:
        """Return the lower end of a group centred on the mean of its places."""
        centre = sum(places[one] for one in group) / len(group)
        height = len(group) * gap
        return min(max(centre - height / 2, limits[0]), limits[1] - height)

    for one in order:
        groups.append([one])
        # Neighbours that overlap become one group.
        while len(groups) > 1 and low(groups[-1]) < low(groups[-2]) + len(groups[-2]) * gap:
            last = groups.pop()
            groups[-1] += last
    moved = list(places)
    for group in groups:
        for step, one in enumerate(group):
            moved[one] = low(group) + (step + 0.5) * gap
    return moved
