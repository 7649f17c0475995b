"""`TemporalGraph`: the result of learning, and the truth it is compared with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chronodag.errors import GraphError
from chronodag.graph.acyclic import find_cycle

if TYPE_CHECKING:
    import networkx as nx


class Edge(NamedTuple):
    """One arrow: `source` at time t − `lag` drives `target` at time t."""

    source: str
    target: str
    lag: int
    strength: float
    confidence: float | None = None
    """How likely the edge is true, by the data; None where nothing weighed it."""
    direction_risk: float | None = None
    """At lag 0, how likely the edge points the wrong way; None where nothing weighed it."""

    def __str__(self) -> str:
        return f"{node_label(self.source, self.lag)} -> {node_label(self.target, 0)}"


def node_label(name: str, lag: int) -> str:
    """Return how a variable at a lag is written: `X(t)`, `X(t-1)`."""
    return f"{name}(t-{lag})" if lag else f"{name}(t)"


@dataclass(frozen=True, eq=False)
class TemporalGraph:
    """A directed graph over d variables at lags 0..K, always acyclic at lag 0.

    Arrays are indexed `[lag, source, target]`, lag 0 first, and are read-only.
    """

    names: tuple[str, ...]
    adjacency: NDArray[np.bool_]
    strengths: NDArray[np.float64]
    removed: tuple[Edge, ...] = field(default=())
    """Edges above the threshold that were left out because they would have closed a lag-0 cycle."""
    confidence: NDArray[np.float64] | None = None
    """How likely each possible edge is true, between 0 and 1, kept in the graph or not."""
    direction_risk: NDArray[np.float64] | None = None
    """`[source, target]`: how likely a lag-0 edge points the wrong way, between 0 and 1."""

    def __post_init__(self) -> None:
        names = tuple(str(name) for name in self.names)
        adjacency = np.array(self.adjacency, dtype=bool)
        strengths = np.array(self.strengths, dtype=np.float64)
        _check_shapes(names, adjacency, strengths)
        _check_acyclic(names, adjacency)
        adjacency.flags.writeable = False
        strengths.flags.writeable = False
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "adjacency", adjacency)
        object.__setattr__(self, "strengths", strengths)
        object.__setattr__(self, "removed", tuple(Edge(*edge) for edge in self.removed))
        for field_, shape in (
            ("confidence", adjacency.shape),
            ("direction_risk", adjacency.shape[1:]),
        ):
            if getattr(self, field_) is not None:
                chances = np.array(getattr(self, field_), dtype=np.float64)
                _check_chances(field_, chances, shape)
                chances.flags.writeable = False
                object.__setattr__(self, field_, chances)

    @classmethod
    def from_adjacency(
        cls,
        adjacency: ArrayLike,
        names: Sequence[str] | None = None,
        strengths: ArrayLike | None = None,
    ) -> TemporalGraph:
        """Build a graph from a 0/1 array `[lag, source, target]`; names default to X1, X2, …"""
        array = np.asarray(adjacency)
        if array.ndim != 3:
            raise GraphError(
                f"The adjacency has shape {array.shape}; expected three axes "
                "[lag, source, target], lag 0 first. A single matrix becomes one with array[None]."
            )
        if not np.isin(array, (0, 1)).all():
            raise GraphError(
                "The adjacency holds values other than 0 and 1; expected true/false per edge. "
                "Use threshold_strengths(...) to draw a graph from strengths."
            )
        weights = array.astype(np.float64) if strengths is None else np.asarray(strengths)
        labels = default_names(array.shape[-1]) if names is None else tuple(names)
        return cls(labels, array.astype(bool), weights)

    @property
    def lags(self) -> int:
        """The maximum lag K."""
        return len(self.adjacency) - 1

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TemporalGraph):
            return NotImplemented
        return (
            self.names == other.names
            and np.array_equal(self.adjacency, other.adjacency)
            and np.array_equal(self.strengths, other.strengths)
            and self.removed == other.removed
            and _same(self.confidence, other.confidence)
            and _same(self.direction_risk, other.direction_risk)
        )

    def __hash__(self) -> int:
        return hash((self.names, self.adjacency.tobytes()))

    def __repr__(self) -> str:
        count = int(self.adjacency.sum())
        return f"TemporalGraph({len(self.names)} variables, lags 0..{self.lags}, {count} edges)"

    def edges(self) -> list[Edge]:
        """Return the edges, strongest first (ties by lag, source, target)."""
        found = [
            Edge(
                self.names[i],
                self.names[j],
                int(k),
                float(self.strengths[k, i, j]),
                None if self.confidence is None else float(self.confidence[k, i, j]),
                None if k or self.direction_risk is None else float(self.direction_risk[i, j]),
            )
            for k, i, j in np.argwhere(self.adjacency)
        ]
        return sorted(found, key=lambda edge: -edge.strength)

    @property
    def ranking(self) -> NDArray[np.float64]:
        """What ranks the edges: the confidence where there is one, else the strengths."""
        return self.strengths if self.confidence is None else self.confidence

    def at_false_discovery_rate(self, level: float) -> TemporalGraph:
        """Return the graph with as many edges as the confidences allow at this share of false ones.

        Edges come in from the surest down while the mean of 1 - confidence stays at `level` or
        below. So the rate is the one the confidences expect; required edges count as sure.
        """
        if self.confidence is None:
            raise GraphError(
                "The graph has no confidences, so no false discovery rate can be held; expected "
                "one learned with threshold='auto' (or nothing given)."
            )
        if isinstance(level, bool) or not 0 < level < 1:
            raise GraphError(f"level is {level!r}; expected a rate between 0 and 1, such as 0.1.")
        likely = np.sort(self.confidence[self.confidence > 0])[::-1]
        expected = np.cumsum(1.0 - likely) / np.arange(1, likely.size + 1)
        held = np.flatnonzero(expected <= level)
        cut = likely[held[-1]] if held.size else np.inf
        adjacency = self.confidence >= cut
        return replace(self, adjacency=adjacency, removed=())

    def parents(self, target: str) -> list[Edge]:
        """Return the edges into one variable, strongest first."""
        if target not in self.names:
            raise GraphError(f"No variable named {target!r}; the graph has {list(self.names)}.")
        return [edge for edge in self.edges() if edge.target == target]

    def summary(self) -> str:
        """Return a few readable lines: how many edges at which lag, and each edge by strength."""
        per_lag = ", ".join(
            f"{int(self.adjacency[k].sum())} at lag {k}" for k in range(self.lags + 1)
        )
        lines = [f"{len(self.names)} variables, {int(self.adjacency.sum())} edges: {per_lag}."]
        lines += [f"  {edge}  {_described(edge)}" for edge in self.edges()]
        if self.removed:
            cut = ", ".join(str(edge) for edge in self.removed)
            lines.append(f"Left out to keep lag 0 free of cycles: {cut}.")
        return "\n".join(lines)

    def to_paper_matrix(self, *, strengths: bool = False) -> NDArray[Any]:
        """Return the paper's `(K+1)d × (K+1)d` matrix: rows drive columns, oldest lag first.

        Only the last d columns (time t) can hold edges.
        """
        lags_plus_one, d, _ = self.adjacency.shape
        cells = np.where(self.adjacency, self.strengths, 0.0) if strengths else self.adjacency
        matrix = np.zeros((lags_plus_one * d, lags_plus_one * d), dtype=cells.dtype)
        matrix[:, -d:] = cells[::-1].reshape(lags_plus_one * d, d)
        return matrix

    def to_networkx(self) -> nx.DiGraph:
        """Return a window graph: nodes `X(t-1)` with `variable`, `lag`; edges with `strength`."""
        from chronodag.graph.formats import to_networkx

        return to_networkx(self)

    def to_json(self, path: str | Path | None = None) -> str:
        """Return the graph as JSON text that `from_json` reads back exactly; also write it."""
        from chronodag.graph.formats import to_json

        text = to_json(self)
        if path is not None:
            Path(path).write_text(text, encoding="utf-8")
        return text

    @classmethod
    def from_json(cls, source: str | Path) -> TemporalGraph:
        """Read a graph from JSON text, or from a file given as a `Path` or ending in `.json`."""
        from chronodag.graph.formats import from_json

        return from_json(source)

    def to_csv(self, path: str | Path | None = None) -> str:
        """Return the edge table as CSV text (source, target, lag, strength); also write it."""
        from chronodag.graph.formats import to_csv

        text = to_csv(self)
        if path is not None:
            Path(path).write_text(text, encoding="utf-8")
        return text


def _described(edge: Edge) -> str:
    text = f"strength {edge.strength:.3f}"
    if edge.confidence is not None:
        text += f"  confidence {edge.confidence:.2f}"
    if edge.direction_risk is not None:
        text += f"  risk of the other direction {edge.direction_risk:.2f}"
    return text


def _same(one: NDArray[np.float64] | None, other: NDArray[np.float64] | None) -> bool:
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other)


def default_names(count: int) -> tuple[str, ...]:
    """Return X1, X2, … for variables that came without names."""
    return tuple(f"X{index + 1}" for index in range(count))


def _check_shapes(
    names: tuple[str, ...], adjacency: NDArray[np.bool_], strengths: NDArray[np.float64]
) -> None:
    d = len(names)
    if len(set(names)) != d:
        raise GraphError(f"The names {list(names)} are not distinct; give each variable its own.")
    if adjacency.ndim != 3 or adjacency.shape[1:] != (d, d) or len(adjacency) == 0:
        raise GraphError(
            f"The adjacency has shape {adjacency.shape}; expected [lag, source, target] = "
            f"(K+1, {d}, {d}) for the {d} names given."
        )
    if strengths.shape != adjacency.shape:
        raise GraphError(
            f"The strengths have shape {strengths.shape} and the adjacency {adjacency.shape}; "
            "expected the same shape [lag, source, target]."
        )
    if not np.isfinite(strengths).all():
        lag, source, target = np.argwhere(~np.isfinite(strengths))[0]
        raise GraphError(
            f"Some strengths are not finite, the first at {node_label(names[source], int(lag))} -> "
            f"{node_label(names[target], 0)}; expected a number for every edge, 0 where there is "
            "none."
        )


def _check_chances(name: str, chances: NDArray[np.float64], shape: tuple[int, ...]) -> None:
    if chances.shape != shape:
        raise GraphError(f"{name} has shape {chances.shape}; expected {shape}, as the edges have.")
    if not ((chances >= 0) & (chances <= 1)).all():
        raise GraphError(f"{name} holds numbers outside 0 to 1; expected a probability each.")


def _check_acyclic(names: tuple[str, ...], adjacency: NDArray[np.bool_]) -> None:
    cycle = find_cycle(adjacency[0])
    if cycle is not None:
        path = " -> ".join(names[node] for node in [*cycle, cycle[0]])
        raise GraphError(
            f"The lag-0 edges hold the cycle {path}; expected none. "
            "threshold_strengths(...) draws an acyclic graph from strengths."
        )
