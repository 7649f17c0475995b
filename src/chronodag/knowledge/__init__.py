"""What is known before learning: rules about edges, and the bounds they put on strengths."""

from chronodag.knowledge.bounds import EdgeBounds
from chronodag.knowledge.kernels import kernel_bounds
from chronodag.knowledge.prior import PriorKnowledge

__all__ = ["EdgeBounds", "PriorKnowledge", "kernel_bounds"]
