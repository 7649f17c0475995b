"""Temporal graphs, drawing them from strengths, and their file formats."""

from chronodag.graph.acyclic import break_cycles, find_cycle, topological_order
from chronodag.graph.equivalent import equivalent_thresholds
from chronodag.graph.temporal import Edge, TemporalGraph, default_names, node_label
from chronodag.graph.threshold import threshold_per_lag, threshold_strengths

__all__ = [
    "Edge",
    "TemporalGraph",
    "break_cycles",
    "default_names",
    "equivalent_thresholds",
    "find_cycle",
    "node_label",
    "threshold_per_lag",
    "threshold_strengths",
    "topological_order",
]
