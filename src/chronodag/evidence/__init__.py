"""How much the data say for each edge, with no settings to choose (decision 11)."""

from chronodag.evidence.effort import EFFORTS, Effort
from chronodag.evidence.weighing import Evidence, weigh

__all__ = ["EFFORTS", "Effort", "Evidence", "weigh"]
