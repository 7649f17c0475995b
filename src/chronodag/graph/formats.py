"""Graphs as JSON, CSV and networkx."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from chronodag.errors import GraphError
from chronodag.graph.temporal import Edge, TemporalGraph, node_label

if TYPE_CHECKING:
    import networkx as nx

FORMAT = "chronodag-graph"
VERSION = 1
_CHANCES = ("confidence", "direction_risk")  # written only where there are some


def to_dict(graph: TemporalGraph) -> dict[str, Any]:
    """Return the graph as plain lists and numbers; floats keep every digit."""
    chances = {name: getattr(graph, name) for name in _CHANCES}
    weighed = {name: array.tolist() for name, array in chances.items() if array is not None}
    return {
        "format": FORMAT,
        "version": VERSION,
        "names": list(graph.names),
        "lags": graph.lags,
        "axes": ["lag", "source", "target"],
        "edges": [_plain(edge) for edge in graph.edges()],
        "removed": [_plain(edge) for edge in graph.removed],
        "strengths": graph.strengths.tolist(),
        **weighed,
    }


def _plain(edge: Edge) -> dict[str, Any]:
    return {name: value for name, value in edge._asdict().items() if value is not None}


def from_dict(content: Any) -> TemporalGraph:
    """Build the graph that `to_dict` described."""
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise GraphError(
            f'Not a chronodag graph: expected a JSON object with "format": "{FORMAT}".'
        )
    if content.get("version") != VERSION:
        raise GraphError(
            f"The graph file has version {content.get('version')!r}; this program reads version "
            f"{VERSION}. A newer chronodag may be needed."
        )
    try:
        names = tuple(content["names"])
        strengths = np.array(content["strengths"], dtype=np.float64)
        adjacency = np.zeros(strengths.shape, dtype=bool)
        for edge in content["edges"]:
            source, target = names.index(edge["source"]), names.index(edge["target"])
            adjacency[_lag(edge["lag"]), source, target] = True
        removed = tuple(Edge(**edge) for edge in content["removed"])
        chances = {
            name: np.array(content[name], dtype=np.float64) for name in _CHANCES if name in content
        }
    except (KeyError, ValueError, TypeError, IndexError) as error:
        raise GraphError(
            f"The graph file is damaged ({type(error).__name__}: {error}); expected names, edges, "
            "removed and strengths as to_json() writes them."
        ) from error
    return TemporalGraph(names, adjacency, strengths, removed, **chances)


def _lag(lag: Any) -> int:
    if type(lag) is not int or lag < 0:
        raise ValueError(f"lag {lag!r} is not a whole number ≥ 0")
    return lag


def to_json(graph: TemporalGraph) -> str:
    """Return `to_dict` as text."""
    return json.dumps(to_dict(graph), indent=1) + "\n"


def from_json(source: str | Path) -> TemporalGraph:
    """Read JSON text, or the file behind a path."""
    if isinstance(source, Path) or source.strip().endswith(".json"):
        path = Path(source)
        if not path.is_file():
            raise GraphError(f"No file {path}; expected a graph written by to_json().")
        try:
            source = path.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise GraphError(f"{path} is not text; expected a graph by to_json().") from error
    try:
        content = json.loads(source)
    except json.JSONDecodeError as error:
        raise GraphError(f"Not JSON ({error}); expected text written by to_json().") from error
    return from_dict(content)


def to_csv(graph: TemporalGraph) -> str:
    """Return one line per edge, strongest first."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    unknown = {name for name in _CHANCES if getattr(graph, name) is None}
    columns = [name for name in Edge._fields if name not in unknown]
    writer.writerow(columns)
    writer.writerows([getattr(edge, name) for name in columns] for edge in graph.edges())
    return out.getvalue()


def to_networkx(graph: TemporalGraph) -> nx.DiGraph:
    """Return the window graph with one node per variable and lag."""
    import networkx as nx

    window = nx.DiGraph()
    for lag in range(graph.lags, -1, -1):
        for name in graph.names:
            window.add_node(node_label(name, lag), variable=name, lag=lag)
    for edge in graph.edges():
        window.add_edge(
            node_label(edge.source, edge.lag),
            node_label(edge.target, 0),
            lag=edge.lag,
            strength=edge.strength,
            **{name: value for name in _CHANCES if (value := getattr(edge, name)) is not None},
        )
    return window
