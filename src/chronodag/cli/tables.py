"""Graphs and results as text for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronodag.graph import Edge, TemporalGraph, node_label

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from chronodag.data import Panel

SHOWN = 50
"""Longer tables are cut here: the file has them all."""
_BAR = 12
"""The length of the longest bar."""


def data_line(name: str, panel: Panel) -> str:
    """Return what the data is: `prices.csv: 7 variables × 1000 rows`."""
    line = f"{name}: {counted(panel.dimension, 'variable')} × {counted(panel.length, 'row')}"
    if len(panel.series) == 1:
        return line
    return (
        f"{line} in {len(panel.series)} series of {min(panel.lengths)} to {max(panel.lengths)} rows"
    )


def print_graph(console: Console, graph: TemporalGraph, limit: int | None, more_in: str) -> None:
    """Print how many edges there are, the strongest of them, and those that were removed."""
    edges = graph.edges()
    shown = edges if limit is None else edges[:limit]
    console.print(_headline(graph), style="bold")
    if shown:
        console.print(_edge_table(shown))
    if len(edges) > len(shown):
        console.print(f"… {len(edges) - len(shown)} more in {more_in}", style="dim")
    if graph.removed:
        cut = ", ".join(f"{edge} ({edge.strength:.3f})" for edge in graph.removed)
        console.print(f"Left out to keep lag 0 free of cycles: {cut}.")


def _headline(graph: TemporalGraph) -> str:
    count = int(graph.adjacency.sum())
    if count:
        per_lag = ", ".join(
            f"{int(cells.sum())} at lag {lag}" for lag, cells in enumerate(graph.adjacency)
        )
        return f"{counted(count, 'edge')}, strongest first ({per_lag}):"
    strongest = _strongest(graph)
    if graph.confidence is not None:
        return f"No edges: the likeliest has a confidence of {graph.confidence.max():.2f}."
    if strongest.strength == 0:
        return "No edges: every strength is 0. A smaller --l1 lets more through."
    return (
        f"No edges: no strength reaches the threshold; the largest is {strongest.strength:.3g}, "
        f"{strongest}. A lower --threshold shows more."
    )


def _strongest(graph: TemporalGraph) -> Edge:
    flat = int(graph.strengths.argmax())
    d = len(graph.names)
    lag, source, target = flat // (d * d), flat // d % d, flat % d
    strength = float(graph.strengths[lag, source, target])
    return Edge(graph.names[source], graph.names[target], lag, strength)


def _edge_table(edges: list[Edge]) -> Table:
    """Return the table: who drives whom, how strongly, and a bar to see it by."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("source", overflow="fold", justify="right")
    table.add_column("")
    table.add_column("target", overflow="fold")
    table.add_column("strength", justify="right", no_wrap=True)
    table.add_column("", style="cyan", no_wrap=True)
    weighed = edges[0].confidence is not None
    if weighed:
        table.add_column("confidence", justify="right", no_wrap=True)
        table.add_column("wrong way", justify="right", no_wrap=True)
    largest = edges[0].strength
    for edge in edges:
        chances = (_share(edge.confidence), _share(edge.direction_risk)) if weighed else ()
        table.add_row(
            node_label(edge.source, edge.lag),
            "->",
            node_label(edge.target, 0),
            f"{edge.strength:.3f}",
            "━" * max(1, round(_BAR * edge.strength / largest)) if edge.strength > 0 else "",
            *chances,
        )
    return table


def _share(chance: float | None) -> str:
    return "" if chance is None else f"{chance:.2f}"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: `1 row`, `2 rows`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
