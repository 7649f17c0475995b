"""NTS-NOTEARS under the signature of the rivals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from chronodag.data import Panel
from chronodag.knowledge import PriorKnowledge
from chronodag.learn import NTSNotears
from chronodag.rivals.base import Capabilities, Learned, check


@dataclass(frozen=True)
class NtsNotears:
    """Our flagship; None = the learner's own default, so that the data choose."""

    name: ClassVar[str] = "nts-notears"
    capabilities: ClassVar[Capabilities] = Capabilities(
        nonlinear=True,
        lagged=True,
        lag0=True,
        acyclic=True,
        knowledge=True,
        many_series=True,
        discrete=True,
    )
    lags: int = 1
    hidden: Any = None
    l1: Any = None
    l2: float | None = None
    threshold: Any = None
    effort: str = "normal"
    seed: int = 0

    def fit(self, panel: Panel, knowledge: PriorKnowledge | None = None) -> Learned:
        """Fit the learner with these settings."""
        check(self, panel, knowledge)
        given = {"hidden": self.hidden, "l1": self.l1, "l2": self.l2, "threshold": self.threshold}
        chosen = {name: value for name, value in given.items() if value is not None}
        learner = NTSNotears(
            lags=self.lags,
            knowledge=knowledge,
            random_state=self.seed,
            effort=self.effort,
            **chosen,
        ).fit(panel)
        graph = learner.graph_
        return Learned(
            graph.names,
            graph.ranking,
            graph.adjacency,
            message=str(learner.status_),
            finished=learner.status_.success,
        )
