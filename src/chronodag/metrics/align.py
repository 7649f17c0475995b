"""Two graphs laid on one another: the same variables in the same order, the same number of lags."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chronodag.errors import GraphError
from chronodag.graph import TemporalGraph, default_names
from chronodag.metrics.undirected import checked_undirected

Cell = TypeVar("Cell", bound=np.generic)


@dataclass(frozen=True)
class Aligned:
    """A true and an estimated graph as arrays `[lag, source, target]` of one shape."""

    names: tuple[str, ...]
    true: NDArray[np.bool_]
    estimated: NDArray[np.bool_]
    strengths: NDArray[np.float64] | None
    """The estimate's strengths; None if it came as a bare array."""
    undirected: NDArray[np.bool_]
    """The estimate's undirected edges of lag 0, [source, target], marked both ways."""


def align(
    true: TemporalGraph | ArrayLike,
    estimated: TemporalGraph | ArrayLike,
    undirected: ArrayLike | None = None,
) -> Aligned:
    """Match names and lags; the result has the true graph's order of variables.

    Two graphs are matched by name. A bare array has no names and is read in the other's order.
    The one with fewer lags is padded with empty lags: what it cannot hold, it does not claim.
    `undirected` goes with the estimate, in its shape and its order.
    """
    truth, estimate = _adjacency(true, "true"), _adjacency(estimated, "estimated")
    if truth.shape[1] != estimate.shape[1]:
        raise GraphError(
            f"The true graph has {truth.shape[1]} variables and the estimated one "
            f"{estimate.shape[1]}; expected the same variables in both."
        )
    strengths = estimated.ranking if isinstance(estimated, TemporalGraph) else None
    marks = np.zeros_like(estimate[0])
    if undirected is not None:
        marks = checked_undirected(undirected, estimate)
    if isinstance(true, TemporalGraph) and isinstance(estimated, TemporalGraph):
        order = _order(true.names, estimated.names)
        estimate = estimate[:, order][:, :, order]
        strengths = estimated.ranking[:, order][:, :, order]
        marks = marks[order][:, order]
    lags = max(len(truth), len(estimate))
    return Aligned(
        _names(true, estimated, truth.shape[1]),
        _padded(truth, lags),
        _padded(estimate, lags),
        None if strengths is None else _padded(strengths, lags),
        marks,
    )


def _adjacency(graph: TemporalGraph | ArrayLike, role: str) -> NDArray[np.bool_]:
    if isinstance(graph, TemporalGraph):
        return graph.adjacency
    array = np.asarray(graph)
    if array.ndim != 3 or array.shape[0] == 0 or array.shape[1] != array.shape[2]:
        raise GraphError(
            f"The {role} graph is an array of shape {array.shape}; expected (K+1, d, d) = "
            "[lag, source, target], lag 0 first. A single matrix becomes one with array[None]."
        )
    if array.dtype.kind not in "biuf" or not np.isin(array, (0, 1)).all():
        raise GraphError(
            f"The {role} graph is an array with values other than 0 and 1; expected true/false "
            "per edge. Draw a graph from strengths with threshold_strengths(...) first."
        )
    adjacency = array.astype(bool)
    if adjacency[0].diagonal().any():
        raise GraphError(
            f"The {role} graph has a variable that drives itself at lag 0; expected False on the "
            "diagonal of lag 0. A dependence on its own past belongs at lag 1 or later."
        )
    return adjacency


def _order(names: tuple[str, ...], other: tuple[str, ...]) -> list[int]:
    missing = [name for name in names if name not in other]
    extra = [name for name in other if name not in names]
    if missing or extra:
        raise GraphError(
            f"The graphs have different variables: only the true one has {missing}, only the "
            f"estimated one has {extra}. Expected the same set of names, in any order."
        )
    return [other.index(name) for name in names]


def _names(true: object, estimated: object, count: int) -> tuple[str, ...]:
    for graph in (true, estimated):
        if isinstance(graph, TemporalGraph):
            return graph.names
    return default_names(count)


def _padded(array: NDArray[Cell], lags: int) -> NDArray[Cell]:
    padded = np.zeros((lags, *array.shape[1:]), dtype=array.dtype)
    padded[: len(array)] = array
    return padded
