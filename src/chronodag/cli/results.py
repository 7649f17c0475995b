"""The files of a fit, and the record of how it was made."""

from __future__ import annotations

import csv
import json
import platform
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from chronodag.data import Panel
    from chronodag.graph import TemporalGraph
    from chronodag.learn import NTSNotears

FORMAT = "chronodag-run"
VERSION = 1
FILES = (
    "fit.chronodag",
    "graph.json",
    "edges.csv",
    "strengths.csv",
    "run.json",
    "heatmap.png",
    "graph.png",
    "cut.png",
)


def write_results(
    folder: Path, learner: NTSNotears, run: dict[str, Any], truth: TemporalGraph | None
) -> None:
    """Write all files into the folder; numbers first, pictures last."""
    learner.save(folder / "fit.chronodag")
    write_graph(folder, learner.graph_, run, truth)


def write_graph(
    folder: Path, graph: TemporalGraph, run: dict[str, Any], truth: TemporalGraph | None
) -> None:
    """Write the files that any method's graph has: all but the fit itself."""
    graph.to_json(folder / "graph.json")
    graph.to_csv(folder / "edges.csv")
    write_strengths(folder / "strengths.csv", graph)
    text = json.dumps(run, indent=1, ensure_ascii=False) + "\n"
    (folder / "run.json").write_text(text, encoding="utf-8")
    draw(graph, truth, heatmap=folder / "heatmap.png", arrows=folder / "graph.png")
    draw_cut(graph, folder / "cut.png")


def draw(
    graph: TemporalGraph,
    truth: TemporalGraph | None = None,
    *,
    heatmap: Path | None,
    arrows: Path | None,
) -> None:
    """Draw the matrix and the time-series graph, each where a path is given."""
    from chronodag import view

    if heatmap is not None:
        view.save(view.heatmap(graph, truth=truth), heatmap)
    if arrows is not None:
        view.save(view.time_series_graph(graph, truth=truth), arrows)


def draw_cut(graph: TemporalGraph, path: Path) -> None:
    """Draw how many edges there are at every cut."""
    from chronodag import view

    view.save(view.edges_against_threshold(graph), path)


def write_strengths(path: Path, graph: TemporalGraph) -> None:
    """Write every cell, kept as an edge or not, in the order [lag, source, target]."""
    names = graph.names
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        chances = [] if graph.confidence is None else [graph.confidence]
        heads = ["confidence"] * len(chances)
        writer.writerow(["lag", "source", "target", "strength", "kept", *heads])
        for lag, source, target in np.ndindex(graph.strengths.shape):
            cell = lag, source, target
            strength, kept = float(graph.strengths[cell]), int(graph.adjacency[cell])
            sure = [float(array[cell]) for array in chances]
            writer.writerow([lag, names[source], names[target], strength, kept, *sure])


def describe_run(
    learner: NTSNotears, panel: Panel, data: Path, provisional: list[str], scores: Any
) -> dict[str, Any]:
    """Return everything needed to see how the result came about, and to repeat it."""
    status, solution = learner.status_, learner.solution_
    return {
        "format": FORMAT,
        "version": VERSION,
        "command": ["chronodag", *sys.argv[1:]],
        "status": {"name": status.name, "message": str(status), "success": status.success},
        "interrupted": status.name == "INTERRUPTED",
        "objective": solution.objective,
        "acyclicity": solution.h,
        "seconds": solution.seconds,
        "seed": learner.random_state,
        "settings": _settings(learner),
        "provisional_defaults": provisional,
        "choices": None if learner.choices_ is None else learner.choices_.to_dict(),
        "rules": [str(rule) for rule in learner.knowledge or ()],
        "data": describe_data(panel, data),
        "versions": versions(),
        "scores": scores,
        "trace": [{**asdict(one), "status": one.status.name} for one in solution.trace],
    }


def _settings(learner: NTSNotears) -> dict[str, Any]:
    settings = asdict(learner.settings_)
    # the command line sets λ1 per lag, so one number of each lag says it all
    settings["l1"] = learner.settings_.l1[:, 0, 0].tolist()
    settings["threshold"] = learner.settings_.threshold.tolist()
    return settings


def describe_data(panel: Panel, path: Path) -> dict[str, Any]:
    """Return the data's name, checksum and size."""
    import hashlib

    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {
        "file": str(path),
        "sha256": digest,
        "names": list(panel.names),
        "variables": panel.dimension,
        "rows": panel.length,
        "series": {"count": len(panel.series), "rows": list(panel.lengths)},
    }


def versions() -> dict[str, str]:
    """Return the versions of what computes."""
    import jax

    import chronodag

    return {
        "chronodag": chronodag.__version__,
        "jax": jax.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
    }
