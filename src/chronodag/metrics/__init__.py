"""How close an estimated graph is to the true one: edges, the ranking of strengths, confidences."""

from chronodag.metrics.compare import Comparison, compare
from chronodag.metrics.confidence import Calibration, FalseDiscovery, calibration, false_discovery
from chronodag.metrics.edges import Score
from chronodag.metrics.intervals import Interval, mean_interval, paired_interval
from chronodag.metrics.ranking import auprc, auroc

__all__ = [
    "Calibration",
    "Comparison",
    "FalseDiscovery",
    "Interval",
    "Score",
    "auprc",
    "auroc",
    "calibration",
    "compare",
    "false_discovery",
    "mean_interval",
    "paired_interval",
]
