"""From strengths to a graph: a pure function, never a part of fitting."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chronodag.errors import GraphError, SettingsError
from chronodag.graph.acyclic import break_cycles, find_cycle
from chronodag.graph.temporal import Edge, TemporalGraph, default_names


def threshold_per_lag(threshold: ArrayLike, lags: int) -> NDArray[np.float64]:
    """Return one cut per lag, lag 0 first, from a number or from one number per lag."""
    try:
        values = np.asarray(threshold, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise SettingsError(
            f"threshold is {threshold!r}; expected one number, or one per lag (lag 0 first)."
        ) from error
    if values.ndim > 1 or (values.ndim == 1 and len(values) != lags + 1):
        raise SettingsError(
            f"threshold has shape {values.shape}; expected one number, or {lags + 1} numbers "
            f"(one per lag 0..{lags}, lag 0 first)."
        )
    if not (np.isfinite(values).all() and (values >= 0).all()):
        raise SettingsError(f"threshold is {threshold!r}; expected finite numbers ≥ 0.")
    return np.broadcast_to(values, (lags + 1,)).copy()


def threshold_strengths(
    strengths: ArrayLike,
    threshold: ArrayLike,
    names: Sequence[str] | None = None,
    *,
    keep: NDArray[np.bool_] | None = None,
) -> TemporalGraph:
    """Draw the graph of all edges with `strength ≥ threshold` (and > 0), acyclic at lag 0.

    If the threshold leaves a cycle, the weakest edges in the way go and stand in `removed`.
    Edges in `keep` (required ones) stay, whatever the threshold and the other edges.
    """
    cells = np.asarray(strengths, dtype=np.float64)
    _check_cells(cells, keep)
    cuts = threshold_per_lag(threshold, len(cells) - 1)
    kept = np.zeros(cells.shape, dtype=bool) if keep is None else np.asarray(keep, dtype=bool)
    # A required edge that its bounds pin to the threshold may lie a rounding error below it.
    above = ((cells >= cuts[:, None, None]) | kept) & (cells > 0)
    adjacency = above.copy()
    np.fill_diagonal(adjacency[0], False)
    adjacency[0] = break_cycles(cells[0], adjacency[0], kept[0])
    labels = default_names(cells.shape[-1]) if names is None else tuple(names)
    lost = [
        Edge(labels[i], labels[j], int(k), float(cells[k, i, j]))
        for k, i, j in np.argwhere(above & ~adjacency)
        if i != j
    ]
    lost.sort(key=lambda edge: -edge.strength)
    return TemporalGraph(labels, adjacency, cells, tuple(lost))


def _check_cells(cells: NDArray[np.float64], keep: NDArray[np.bool_] | None) -> None:
    if cells.ndim != 3 or cells.shape[1] != cells.shape[2] or 0 in cells.shape:
        raise GraphError(
            f"The strengths have shape {cells.shape}; expected three axes "
            "[lag, source, target], lag 0 first."
        )
    if keep is not None and np.shape(keep) != cells.shape:
        raise GraphError(
            f"keep has shape {np.shape(keep)} and the strengths {cells.shape}; expected the same."
        )
    if keep is not None and find_cycle(np.asarray(keep, dtype=bool)[0]) is not None:
        raise GraphError("The lag-0 edges of keep hold a cycle; expected none.")
