"""Curved arrows between round nodes, computed in inches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Point = NDArray[np.float64]
"""(x, y) in inches."""
Bezier = NDArray[np.float64]
"""The four control points of a cubic curve, one (x, y) per row."""


def bowed(start: Point, end: Point, bow: float) -> Bezier:
    """Return a curve that leaves the straight line to its left by `bow` inches at the middle."""
    along = end - start
    length = float(np.hypot(*along)) or 1.0
    # The middle of a cubic lies three quarters of the way out to its two inner control points.
    out = np.array([-along[1], along[0]]) / length * bow * 4 / 3
    return np.array([start, start + along * 0.3 + out, end - along * 0.3 + out, end])


def arc(start: Point, end: Point, reach: float) -> Bezier:
    """Return a curve between two points above one another that swings out to the right."""
    out = np.array([reach * 4 / 3, 0.0])
    lift = (end - start) * 0.08
    return np.array([start, start + out + lift, end + out - lift, end])


def points_at(curve: Bezier, where: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the points of the curve at the places `where`, 0 for its start and 1 for its end."""
    powers = np.arange(4)
    weights = (
        np.array([1, 3, 3, 1]) * where[:, None] ** powers * (1 - where[:, None]) ** (3 - powers)
    )
    return np.asarray(weights @ curve)


def clearance(curve: Bezier, points: NDArray[np.float64]) -> float:
    """Return the least distance between the curve and any of the points `[point, xy]`."""
    along = points_at(curve, np.linspace(0.0, 1.0, 41))
    return float(np.hypot(*(along[:, None] - points).transpose(2, 0, 1)).min())


def shortened(curve: Bezier, start_gap: float, end_gap: float) -> Bezier:
    """Return the part of the curve that lies outside the nodes at its ends."""
    samples = np.linspace(0.0, 1.0, 201)
    points = points_at(curve, samples)
    leaves = np.hypot(*(points - curve[0]).T) > start_gap
    arrives = np.hypot(*(points - curve[3]).T) > end_gap
    first = samples[int(np.argmax(leaves))]
    last = samples[len(samples) - 1 - int(np.argmax(arrives[::-1]))]
    return _between(curve, float(first), float(last)) if first < last else curve


def _between(curve: Bezier, first: float, last: float) -> Bezier:
    """Return the piece of a curve as a curve of its own (its blossom at the two places)."""

    def blossom(*places: float) -> Point:
        points: NDArray[np.float64] = curve
        for place in places:
            points = (1 - place) * points[:-1] + place * points[1:]
        return np.asarray(points[0])

    return np.array(
        [
            blossom(first, first, first),
            blossom(first, first, last),
            blossom(first, last, last),
            blossom(last, last, last),
        ]
    )


def draw_arrow(axes: Axes, curve: Bezier, *, head: float, **style: Any) -> None:
    """Draw the curve with a filled head, `head` points long, at its end."""
    from matplotlib.patches import FancyArrowPatch
    from matplotlib.path import Path

    path = Path(curve.tolist(), [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])
    tip = f"-|>,head_length={head},head_width={0.4 * head}"
    axes.add_patch(
        FancyArrowPatch(path=path, arrowstyle=tip, mutation_scale=1.0, joinstyle="miter", **style)
    )
