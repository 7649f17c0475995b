"""The scores of one cell: every number a report may show."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chronodag.graph import TemporalGraph
from chronodag.metrics import Comparison, compare
from chronodag.rivals import Learned

METRICS = {
    "f1": "F1, all cells; an undirected edge is right if either direction is",
    "precision": "precision, counted as f1",
    "recall": "recall, counted as f1",
    "shd": "structural Hamming distance, counted as f1",
    "f1_strict": "F1, all cells; an undirected edge counts as absent",
    "precision_strict": "precision, counted as f1_strict",
    "recall_strict": "recall, counted as f1_strict",
    "shd_strict": "structural Hamming distance, counted as f1_strict",
    "f1_lag0": "F1 of the edges within one moment",
    "f1_lagged": "F1 of the lagged edges between different variables",
    "f1_self": "F1 of the lagged edges from a variable to itself",
    "f1_summary": "F1 of the summary graph: different variables, any lag",
    "auroc": "area under the ROC curve of the strengths, all cells",
    "auprc": "average precision of the strengths, all cells",
    "auroc_without_self": "auroc between different variables",
    "auprc_without_self": "auprc between different variables",
    "edges": "number of edges found",
    "true_edges": "number of true edges",
}
"""Every score, with what it says."""

SPENT = {
    "seconds": "seconds of the fit",
    "first_seconds": "seconds of the first fit in the cell, where the study fits twice",
    "peak_mib": "peak memory in MiB of the process, libraries included",
}
"""What a report can also show: what a cell cost."""
COUNTS = frozenset(("shd", "shd_strict", "edges", "true_edges"))
"""Scores that are numbers of edges; all others lie from 0 to 1."""
LESS_IS_BETTER = frozenset(("shd", "shd_strict", "seconds", "peak_mib"))


def score(truth: TemporalGraph, learned: Learned) -> dict[str, float | None]:
    """Return every score of what was learned against one truth; None where undefined."""
    order = [learned.names.index(name) for name in truth.names]
    strengths = learned.strengths[:, order][:, :, order]
    directed = learned.adjacency[:, order][:, :, order]
    favourable = directed
    if learned.undirected is not None:
        favourable = directed | oriented(truth, learned.undirected[:, order][:, :, order])
    found = compare(truth, favourable)
    values: dict[str, Any] = _edge_scores(found, "") | {
        "f1_lag0": found.lag0.f1,
        "f1_lagged": found.lagged_cross.f1,
        "f1_self": found.self_loops.f1,
        "f1_summary": found.summary.f1,
    }
    values |= _edge_scores(compare(truth, directed), "_strict")
    # Strengths come with a graph; this one claims no edge, so it is acyclic whatever was learned.
    ranked = TemporalGraph(truth.names, np.zeros_like(directed), strengths)
    rankings = compare(truth, ranked)
    for name in ("auroc", "auprc", "auroc_without_self", "auprc_without_self"):
        value = getattr(rankings, name)
        values[name] = None if np.isnan(value) else float(value)
    values["edges"] = float(favourable.sum())
    values["true_edges"] = float(truth.adjacency.sum())
    return values


def _edge_scores(found: Comparison, suffix: str) -> dict[str, float]:
    return {
        f"{name}{suffix}": float(getattr(found, name))
        for name in ("f1", "precision", "recall", "shd")
    }


def oriented(truth: TemporalGraph, undirected: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Turn each undirected lag-0 edge the way the truth has it; if it has none, one false edge."""
    either = undirected[0] | undirected[0].T
    right = either & truth.adjacency[0]
    wrong = np.triu(either & ~truth.adjacency[0] & ~truth.adjacency[0].T, k=1)
    turned = np.zeros_like(undirected)
    turned[0] = right | wrong
    return turned
