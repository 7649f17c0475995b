"""The cuts on strengths that come nearest to a graph that was chosen in another way."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chronodag.errors import GraphError

FloatArray = NDArray[np.float64]


def equivalent_thresholds(strengths: ArrayLike, adjacency: ArrayLike) -> FloatArray:
    """Return one cut per lag; edges with `strength ≥ cut` agree with the adjacency best, by F1.

    Of equally good cuts the highest counts, and it lies halfway to the strongest cell below it. A
    lag without any edge is cut above its own strengths and at least as high as the other lags.
    """
    cells = np.asarray(strengths, dtype=np.float64)
    edges = np.asarray(adjacency, dtype=bool)
    if cells.ndim != 3 or cells.shape != edges.shape or 0 in cells.shape:
        raise GraphError(
            f"The strengths have shape {cells.shape} and the adjacency {edges.shape}; expected "
            "the same shape [lag, source, target]."
        )
    cuts = [_cut(cells[lag], edges[lag]) for lag in range(len(cells))]
    highest = max((cut for cut in cuts if cut is not None), default=0.0)
    return np.array(
        [
            float(np.nextafter(max(cells[lag].max(), highest), np.inf)) if cut is None else cut
            for lag, cut in enumerate(cuts)
        ]
    )


def _cut(cells: FloatArray, edges: NDArray[np.bool_]) -> float | None:
    """Return the best cut of one lag, or None where no cell above 0 is an edge."""
    # Strengths are sizes; an edge of strength 0 can be kept by no cut.
    values = np.unique(cells[cells > 0])[::-1]
    found = np.array([(edges & (cells >= value)).sum() for value in values])
    if not found.any():
        return None
    kept = np.array([(cells >= value).sum() for value in values])
    best = int((2.0 * found / (kept + edges.sum())).argmax())
    below = values[best + 1] if best + 1 < len(values) else 0.0
    return float((values[best] + below) / 2)
