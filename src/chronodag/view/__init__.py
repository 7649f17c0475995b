"""Pictures of temporal graphs, as matplotlib figures made without pyplot or any global state."""

from chronodag.view.files import save
from chronodag.view.matrix import heatmap
from chronodag.view.process import summary_graph
from chronodag.view.window import time_series_graph

__all__ = ["heatmap", "save", "summary_graph", "time_series_graph"]
