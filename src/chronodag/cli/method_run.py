"""One run of a method other than NTS-NOTEARS: learn, write the files, print the result."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chronodag.cli.exits import ExitCode, print_error

if TYPE_CHECKING:
    from chronodag.data import Panel
    from chronodag.graph import TemporalGraph
    from chronodag.knowledge import PriorKnowledge
    from chronodag.rivals import Learned, Method


def run(
    method: Method,
    panel: Panel,
    knowledge: PriorKnowledge,
    data: Path,
    folder: Path,
    truth: TemporalGraph | None,
) -> ExitCode:
    """Learn, write the files, print the result."""
    import time

    from chronodag.cli import folders, results
    from chronodag.metrics import compare

    before = time.perf_counter()
    try:
        learned = method.fit(panel, knowledge)
    except KeyboardInterrupt:
        print_error(f"interrupted; {method.name} has no result yet, so nothing was written.")
        return ExitCode.INTERRUPTED
    seconds = time.perf_counter() - before
    graph = learned.graph
    scores = None if truth is None else compare(truth, graph)
    record = {
        **_record(method, learned, knowledge),
        "seconds": seconds,
        "data": results.describe_data(panel, data),
        "scores": None if scores is None else scores.to_dict(),
    }
    folders.clear(folder, results.FILES)
    results.write_graph(folder, graph, record, truth)
    _print(learned, graph, panel, record, folder, None if scores is None else scores.table())
    return ExitCode.DONE if learned.finished else ExitCode.STOPPED_EARLY


def _record(method: Method, learned: Learned, knowledge: PriorKnowledge) -> dict[str, Any]:
    from chronodag.cli import results

    status = "FINISHED" if learned.finished else "STOPPED"
    return {
        "format": results.FORMAT,
        "version": results.VERSION,
        "command": ["chronodag", *sys.argv[1:]],
        "method": method.name,
        "status": {"name": status, "message": learned.message, "success": learned.finished},
        "interrupted": False,
        "settings": asdict(method),  # type: ignore[call-overload]
        "rules": [str(rule) for rule in knowledge],
        "undirected": _undirected(learned),
        "p_values": None if learned.p_values is None else learned.p_values.tolist(),
        "versions": results.versions(),
    }


def _undirected(learned: Learned) -> list[list[str]]:
    """Return the pairs of names joined at lag 0 without a direction, each once."""
    import numpy as np

    if learned.undirected is None:
        return []
    pairs = np.argwhere(np.triu(learned.undirected[0])).tolist()
    return [[learned.names[i], learned.names[j]] for i, j in pairs]


def _print(
    learned: Learned,
    graph: TemporalGraph,
    panel: Panel,
    record: dict[str, Any],
    folder: Path,
    scores: str | None,
) -> None:
    from chronodag.cli import results, tables
    from chronodag.cli.terminal import stdout

    console = stdout()
    console.print(tables.data_line(Path(record["data"]["file"]).name, panel))
    console.print(
        f"{record['method']}: {learned.message or 'done'}",
        style="green" if learned.finished else "bold yellow",
    )
    console.print(f"{record['seconds']:.1f} s", style="dim")
    console.print()
    if graph.adjacency.any():
        tables.print_graph(console, graph, tables.SHOWN, str(folder / "edges.csv"))
    else:
        console.print("No directed edges.", style="bold")
    if record["undirected"]:
        console.print("\nAt lag 0, without a direction:", style="bold")
        console.print("\n".join(f"  {one}(t) -- {other}(t)" for one, other in record["undirected"]))
    if record["rules"]:
        console.print("\nRules in force:", style="bold")
        console.print("\n".join(f"  {rule}" for rule in record["rules"]))
    if scores is not None:
        console.print("\nAgainst the truth:", style="bold")
        console.print(scores)
    files = [name for name in results.FILES if name != "fit.chronodag"]
    console.print(f"\nFiles in {folder}/: {', '.join(files)}")
    console.print(f"See it again: chronodag show {folder}", style="dim")
