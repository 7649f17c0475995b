"""How close an estimated graph is to the true one, by edges and by the ranking of strengths."""

from chronodag.metrics.compare import Comparison, compare
from chronodag.metrics.edges import Score
from chronodag.metrics.ranking import auprc, auroc

__all__ = ["Comparison", "Score", "auprc", "auroc", "compare"]
