"""Sections 3 and 4 of the paper: the networks, the strengths, the loss and the constraint."""

from chronodag.model.constraint import Acyclicity, acyclicity
from chronodag.model.network import Architecture, Parameters
from chronodag.model.objective import SmoothLoss, Windows, strengths

__all__ = [
    "Acyclicity",
    "Architecture",
    "Parameters",
    "SmoothLoss",
    "Windows",
    "acyclicity",
    "strengths",
]
