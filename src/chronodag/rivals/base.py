"""What every method declares and hands back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from chronodag.data import Panel
from chronodag.errors import GraphError, SettingsError
from chronodag.graph import TemporalGraph, break_cycles
from chronodag.graph.temporal import Edge
from chronodag.knowledge import EdgeBounds, PriorKnowledge


@dataclass(frozen=True, kw_only=True)
class Capabilities:
    """What a method can do; a contract test holds each method to it."""

    nonlinear: bool
    """It can find a dependence that no straight line shows."""
    lagged: bool
    """It returns edges from earlier moments."""
    lag0: bool
    """It returns edges within one moment."""
    acyclic: bool
    """What it returns never has a cycle at lag 0."""
    knowledge: bool
    """It takes a `PriorKnowledge`; then no forbidden edge is ever returned."""
    many_series: bool
    """It takes panels of several series."""
    discrete: bool
    """It is meant for counts and categories too."""
    undirected: bool = False
    """It may leave lag-0 edges undirected."""
    p_values: bool = False
    """It returns a p-value per edge."""


@dataclass(frozen=True, eq=False)
class Learned:
    """What a method found; arrays are `[lag, source, target]`, lag 0 first, read-only."""

    names: tuple[str, ...]
    strengths: NDArray[np.float64]
    """≥ 0, larger = stronger, before any cut; what rankings use."""
    adjacency: NDArray[np.bool_]
    """The directed edges, by the method's own cut. May hold a lag-0 cycle unless it is acyclic."""
    undirected: NDArray[np.bool_] | None = None
    """Lag-0 edges without a direction, marked both ways; none of them is in `adjacency`."""
    p_values: NDArray[np.float64] | None = None
    message: str = ""
    """What a reader should know of the run: why it stopped, what it left out."""
    finished: bool = True
    """Whether the method came to its own end, not to a limit before it."""

    def __post_init__(self) -> None:
        shape = self.strengths.shape
        for name in ("strengths", "adjacency", "undirected", "p_values"):
            given = getattr(self, name)
            if given is None:
                continue
            kind = bool if name in ("adjacency", "undirected") else np.float64
            array = np.array(given, dtype=kind)
            if array.shape != shape or array.shape[1:] != (len(self.names),) * 2:
                raise GraphError(
                    f"{name} has shape {array.shape}; expected [lag, source, target] = "
                    f"(K+1, {len(self.names)}, {len(self.names)}), as strengths."
                )
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    @property
    def graph(self) -> TemporalGraph:
        """The directed edges as a graph; where they form a lag-0 cycle, the weakest are left out.

        `graph.removed` lists those.
        """
        adjacency = self.adjacency.copy()
        adjacency[0] = break_cycles(self.strengths[0], adjacency[0], np.zeros_like(adjacency[0]))
        left_out = self.adjacency & ~adjacency
        removed = tuple(
            Edge(self.names[i], self.names[j], int(k), float(self.strengths[k, i, j]))
            for k, i, j in np.argwhere(left_out)
        )
        return TemporalGraph(self.names, adjacency, self.strengths, removed)


class Method(Protocol):
    """A method with its settings; a frozen dataclass whose first field is `lags`."""

    name: ClassVar[str]
    capabilities: ClassVar[Capabilities]

    @property
    def lags(self) -> int:
        """The largest lag, K."""
        ...

    def fit(self, panel: Panel, knowledge: PriorKnowledge | None = None) -> Learned:
        """Learn from a panel; refuse what `capabilities` rules out."""
        ...


def check(
    method: Method, panel: Panel, knowledge: PriorKnowledge | None, threshold: float = 0.0
) -> EdgeBounds:
    """Refuse panels and knowledge that the method cannot use; return the rules as bounds."""
    if not isinstance(method.lags, int) or isinstance(method.lags, bool) or method.lags < 0:
        raise SettingsError(f"lags is {method.lags!r}; expected a whole number ≥ 0.")
    panel.require_longer_than(method.lags)
    if len(panel.series) > 1 and not method.capabilities.many_series:
        raise SettingsError(
            f"{method.name} takes one series; the panel has {len(panel.series)}. Give it one "
            "series, or take a method with many_series among its capabilities."
        )
    rules = knowledge if knowledge is not None else PriorKnowledge()
    if len(rules.rules) and not method.capabilities.knowledge:
        raise SettingsError(
            f"{method.name} takes no knowledge; {len(rules.rules)} rules came. Leave them out, or "
            "take a method with knowledge among its capabilities."
        )
    return rules.compile(panel.names, method.lags, threshold)
