"""What a picture shows of a graph, and where it differs from the truth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chronodag.errors import GraphError
from chronodag.graph import TemporalGraph
from chronodag.metrics import compare
from chronodag.metrics.align import align
from chronodag.metrics.edges import reversed_edges

Cells = NDArray[np.bool_]


@dataclass(frozen=True)
class Differences:
    """Every edge of the estimate or the truth, in one of four arrays `[lag, source, target]`.

    Wrong, missed and turned edges together are as many as the structural Hamming distance.
    """

    correct: Cells
    wrong: Cells
    missed: Cells
    turned: Cells
    """Estimated lag-0 edges that point the other way in the truth (not in `missed` as well)."""
    truth: Cells
    caption: str


def differences(graph: TemporalGraph, truth: TemporalGraph) -> Differences:
    """Lay the truth on the graph, in the graph's order of variables."""
    check_graph(truth, "truth")
    pair = align(truth, graph)
    order = [pair.names.index(name) for name in graph.names]
    true = pair.true[:, order][:, :, order]
    estimated = pair.estimated[:, order][:, :, order]
    turned = np.zeros_like(true)
    turned[0] = reversed_edges(true[0], estimated[0])
    missed = true & ~estimated
    missed[0] &= ~turned[0].T
    result = compare(truth, graph)
    caption = f"against the truth: F1 {result.f1:.2f}, SHD {result.shd}"
    return Differences(true & estimated, estimated & ~true & ~turned, missed, turned, true, caption)


def check_graph(graph: object, role: str = "graph") -> None:
    """Refuse anything but a `TemporalGraph`."""
    if not isinstance(graph, TemporalGraph):
        raise GraphError(
            f"The {role} is a {type(graph).__name__}; expected a TemporalGraph. A fitted "
            "estimator holds one as graph_; an array becomes one with "
            "TemporalGraph.from_adjacency(...)."
        )


def magnitudes(graph: TemporalGraph) -> tuple[NDArray[np.float64], str]:
    """Return the strengths as sizes ≥ 0, and what to call them."""
    signed = bool((graph.strengths < 0).any())
    return np.abs(graph.strengths), "size of strength" if signed else "strength"


def padded(cells: NDArray[np.float64], lags: int) -> NDArray[np.float64]:
    """Return the array with empty lags added up to `lags` (K)."""
    return np.concatenate([cells, np.zeros((lags + 1 - len(cells), *cells.shape[1:]))])
