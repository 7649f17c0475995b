"""How much the data say for each edge, with no settings to choose (decision 11)."""

from chronodag.evidence import belief
from chronodag.evidence.effort import EFFORTS, Effort
from chronodag.evidence.estimate import estimate_seconds
from chronodag.evidence.weighing import Evidence, weigh

__all__ = ["EFFORTS", "Effort", "Evidence", "belief", "estimate_seconds", "weigh"]
