"""Cheap controls that every table carries: what is a score worth that these reach too?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from chronodag.data import Panel
from chronodag.knowledge import PriorKnowledge
from chronodag.rivals.base import Capabilities, Learned, check

_NOTHING = Capabilities(
    nonlinear=False,
    lagged=True,
    lag0=False,
    acyclic=True,
    knowledge=False,
    many_series=True,
    discrete=True,
)


@dataclass(frozen=True)
class Empty:
    """No edge at all."""

    name: ClassVar[str] = "empty"
    capabilities: ClassVar[Capabilities] = _NOTHING
    lags: int = 1

    def fit(self, panel: Panel, knowledge: PriorKnowledge | None = None) -> Learned:
        """Return the empty graph."""
        check(self, panel, knowledge)
        strengths = np.zeros((self.lags + 1, panel.dimension, panel.dimension))
        return Learned(panel.names, strengths, strengths > 0)


@dataclass(frozen=True)
class SelfLoops:
    """Every variable drives itself one moment later, and nothing else."""

    name: ClassVar[str] = "self-loops"
    capabilities: ClassVar[Capabilities] = _NOTHING
    lags: int = 1

    def fit(self, panel: Panel, knowledge: PriorKnowledge | None = None) -> Learned:
        """Return the self-loops at lag 1."""
        check(self, panel, knowledge)
        strengths = np.zeros((self.lags + 1, panel.dimension, panel.dimension))
        if self.lags:
            np.fill_diagonal(strengths[1], 1.0)
        return Learned(panel.names, strengths, strengths > 0)
