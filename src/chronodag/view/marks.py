"""The cells of a heatmap: fills, outlines, marks where the truth differs, and their legend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chronodag.view import canvas
from chronodag.view.differences import Cells, Differences

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.colors import LinearSegmentedColormap

_FAINT = 0.65
_TRUE_EDGE = "#4a5560"
_IMPOSSIBLE = "#e9ecef"
# The marks, by the name of their cells in `Differences`: text in the legend, symbol, colour.
_SYMBOLS = {
    "wrong": ("wrong edge", "x", canvas.WRONG),
    "missed": ("missed edge", "o", canvas.MISSED),
    "turned": ("reversed edge", r"$\leftrightarrow$", canvas.TURNED),
}


@dataclass(frozen=True)
class Colours:
    """The one scale from strength to colour that all panels share."""

    largest: float
    label: str

    @property
    def top(self) -> float:
        """The strength that gets the darkest colour; 1 if every strength is 0."""
        return self.largest or 1.0

    def map(self) -> LinearSegmentedColormap:
        """Return a sequential map from white to dark blue, light enough for dark outlines."""
        from matplotlib import colormaps
        from matplotlib.colors import LinearSegmentedColormap

        shades = colormaps["Blues"](np.linspace(0.08, 0.9, 255))
        return LinearSegmentedColormap.from_list("strength", [(1, 1, 1, 1), *shades])


def fill(axes: Axes, values: NDArray[np.float64], kept: Cells, colours: Colours) -> None:
    """Fill cells by strength; those that are no edge are faint."""
    axes.imshow(
        values,
        cmap=colours.map(),
        vmin=0.0,
        vmax=colours.top,
        alpha=np.where(kept, 1.0, _FAINT),
        interpolation="nearest",
        origin="upper",
        aspect="auto",
    )


def fill_true(axes: Axes, edges: Cells) -> None:
    """Fill the true edges with one neutral colour: a truth has edges, not strengths."""
    from matplotlib.colors import ListedColormap

    axes.imshow(
        edges.astype(float),
        cmap=ListedColormap(["white", _TRUE_EDGE]),
        vmin=0.0,
        vmax=1.0,
        interpolation="nearest",
        origin="upper",
        aspect="auto",
    )


def outline(axes: Axes, kept: Cells, cell: float) -> None:
    """Draw a frame just inside each cell that is an edge."""
    line = float(np.clip(cell * 72 * 0.07, 0.5, 1.4))
    style = {"facecolor": "none", "edgecolor": canvas.INK, "linewidth": line}
    _squares(axes, kept, "kept", inset=min(0.06, 0.03 / cell), **style)


def forbid_diagonal(axes: Axes, lag: int, count: int) -> None:
    """Grey out the cells that can hold no edge: a variable and itself at the same time."""
    cells = np.eye(count, dtype=bool) & (lag == 0)
    _squares(axes, cells, "impossible", inset=0.0, facecolor=_IMPOSSIBLE, edgecolor="none")


def differ(axes: Axes, found: Differences, lag: int, cell: float) -> None:
    """Mark wrong, missed and reversed edges, each mark with a white halo."""
    from matplotlib.patheffects import withStroke

    size = float(np.clip(cell * 72 * 0.42, 3.0, 11.0))
    for kind, (_, symbol, colour) in _SYMBOLS.items():
        parents, children = np.nonzero(getattr(found, kind)[lag])
        (marks,) = axes.plot(children, parents, label=kind, **_style(symbol, colour, size))
        halo = 0.45 * size if symbol in "xo" else 0.25 * size
        marks.set_path_effects([withStroke(linewidth=halo, foreground="white")])


def colour_bar(axes: Axes, colours: Colours) -> None:
    """Draw the scale of strengths into narrow axes."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    scale = ScalarMappable(Normalize(0.0, colours.top), colours.map())
    figure = axes.get_figure(root=True)
    assert figure is not None
    bar = figure.colorbar(scale, cax=axes)
    bar.set_label(colours.label, fontsize=canvas.SMALL, color=canvas.MUTED)
    bar.outline.set_visible(False)
    bar.ax.tick_params(
        labelsize=canvas.SMALL - 0.5, length=2, color=canvas.MUTED, labelcolor=canvas.INK
    )


def legend(faint: bool, found: Differences | None) -> dict[str, Artist]:
    """Return the entries that this picture needs, by their text."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    blue = canvas.BLUE
    entries: dict[str, Artist] = {
        "edge": Patch(facecolor=blue, edgecolor=canvas.INK, linewidth=1.0)
    }
    if faint:
        entries["strength, but no edge"] = Patch(facecolor=blue, alpha=0.25)
    if found is not None:
        entries["true edge"] = Patch(facecolor=_TRUE_EDGE)
        for text, symbol, colour in _SYMBOLS.values():
            entries[text] = Line2D([], [], **_style(symbol, colour, 6.5))
    return entries


def _style(symbol: str, colour: str, size: float) -> dict[str, Any]:
    glyph = symbol.startswith("$")
    return {
        "linestyle": "none",
        "marker": symbol,
        "markersize": size * (1.5 if glyph else 1.0),
        "markerfacecolor": colour if glyph else "none",
        "markeredgecolor": colour,
        "markeredgewidth": 0.5 if glyph else max(1.0, 0.2 * size),
    }


def _squares(axes: Axes, cells: Cells, label: str, *, inset: float, **style: Any) -> None:
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    side = 1.0 - 2 * inset
    squares = [
        Rectangle((child - side / 2, parent - side / 2), side, side)
        for parent, child in np.argwhere(cells)
    ]
    axes.add_collection(PatchCollection(squares, label=label, **style), autolim=False)
