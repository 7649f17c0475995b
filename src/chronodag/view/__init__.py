"""Pictures of temporal graphs, as matplotlib figures made without pyplot or any global state."""

from chronodag.view.cuts import edges_against_threshold
from chronodag.view.files import save
from chronodag.view.matrix import confidences, heatmap
from chronodag.view.path import l1_path
from chronodag.view.process import summary_graph
from chronodag.view.window import time_series_graph

__all__ = [
    "confidences",
    "edges_against_threshold",
    "heatmap",
    "l1_path",
    "save",
    "summary_graph",
    "time_series_graph",
]
