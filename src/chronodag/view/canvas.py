"""What all pictures share: colours, figures laid out in inches, text that is measured, legends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

INK = "#1f2933"
MUTED = "#5f6b76"
RULE = "#d9dee3"
BLUE = "#1f66a8"
# Told apart with any kind of colour vision, and each has its own symbol or line as well.
WRONG = "#d55e00"
MISSED = "#b8468b"
TURNED = "#00896b"

PAD = 0.18
"""The margin around every figure, in inches."""
LINE = 0.2
"""The height of one line of small text, in inches."""
SMALL, NORMAL, LARGE = 8.0, 9.0, 11.0
"""Font sizes in points."""
_HANDLE = 0.55
"""The width of a legend entry besides its text, in inches."""


def new_figure(width: float, height: float) -> Figure:
    """Return an empty white figure, its size in inches, that no pyplot knows of."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), facecolor="white")
    figure.set_layout_engine("none")
    return figure


def place_axes(figure: Figure, left: float, bottom: float, width: float, height: float) -> Axes:
    """Add axes at a place given in inches from the lower left corner."""
    across, up = figure.get_size_inches()
    axes = figure.add_axes((left / across, bottom / up, width / across, height / up))
    axes.set_facecolor("white")
    axes.grid(False)
    return axes


def drawing_axes(figure: Figure) -> Axes:
    """Add bare axes over the whole figure whose coordinates are inches."""
    across, up = figure.get_size_inches()
    axes = place_axes(figure, 0.0, 0.0, across, up)
    axes.set_xlim(0.0, across)
    axes.set_ylim(0.0, up)
    axes.set_axis_off()
    return axes


def write(
    figure: Figure,
    x: float,
    y: float,
    text: str,
    *,
    size: float = SMALL,
    color: str = INK,
    weight: str = "normal",
    align: tuple[str, str] = ("left", "center"),
    rotation: float = 0.0,
) -> Text:
    """Write plain text (a `$` is a dollar) at a place in inches; `align` is across and up."""
    across, up = figure.get_size_inches()
    written = figure.text(
        x / across,
        y / up,
        text,
        fontsize=size,
        color=color,
        fontweight=weight,
        rotation=rotation,
        rotation_mode="anchor",
        parse_math=False,
    )
    written.set_horizontalalignment(align[0])  # type: ignore[arg-type]
    written.set_verticalalignment(align[1])  # type: ignore[arg-type]
    return written


def tint(colour: str, share: float) -> tuple[float, float, float]:
    """Return the colour mixed with white: what `alpha=share` gives where nothing overlaps."""
    from matplotlib.colors import to_rgb

    red, green, blue = (1 - share * (1 - part) for part in to_rgb(colour))
    return red, green, blue


def text_width(text: str, size: float) -> float:
    """Return how wide a text is, in inches, without drawing it."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    width, _, _ = text_to_path.get_text_width_height_descent(text, FontProperties(size=size), False)
    return float(width) / 72


def widest(texts: Sequence[str], size: float) -> float:
    """Return the width of the widest text, in inches."""
    return max((text_width(text, size) for text in texts), default=0.0)


def legend_columns(labels: Sequence[str], width: float) -> int:
    """Return how many legend entries fit side by side in a width."""
    if not labels:
        return 1
    return max(1, min(len(labels), int(width / (widest(labels, SMALL) + _HANDLE))))


def legend_height(labels: Sequence[str], width: float) -> float:
    """Return the height that `add_legend` needs, in inches; 0 without entries."""
    rows = -(-len(labels) // legend_columns(labels, width))
    return rows * LINE + 0.1 if rows else 0.0


def add_legend(figure: Figure, handles: Sequence[Artist], labels: Sequence[str]) -> None:
    """Put a legend along the lower edge of the figure."""
    if not labels:
        return
    across, up = figure.get_size_inches()
    figure.legend(
        handles,
        labels,
        loc="lower left",
        bbox_to_anchor=(PAD / across, 0.5 * PAD / up),
        ncols=legend_columns(labels, across - 2 * PAD),
        fontsize=SMALL,
        labelcolor=INK,
        frameon=False,
        borderpad=0.0,
        borderaxespad=0.0,
        handlelength=2.0,
        handletextpad=0.6,
        columnspacing=1.4,
        labelspacing=0.5,
    )
