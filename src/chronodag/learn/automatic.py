"""A fit with nothing given: the edges are chosen by the evidence for them.

The evidence gives an order of the variables at lag 0; the networks are fitted with lag 0 held to
that order (so no cycle is possible, and no constraint is needed); evidence and strengths together
give each edge a probability; the graph holds the edges whose cut has the best expected F1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from chronodag.data import Panel, Scaling
from chronodag.evidence import EFFORTS, Evidence, belief, weigh
from chronodag.graph import TemporalGraph
from chronodag.knowledge import EdgeBounds
from chronodag.learn.fitting import Fitted, Setup, learn
from chronodag.learn.settings import Settings
from chronodag.solve import Callback


@dataclass(frozen=True)
class Choices:
    """What was chosen from the data, and why; `str()` is readable."""

    lags: int
    cut: float
    """Edges at least this likely are in the graph."""
    expected_f1: float
    """What the probabilities say of this graph; no truth was looked at."""
    effort: str
    windows: int
    """How many windows were weighed."""
    reasons: dict[str, str]
    notes: tuple[str, ...] = ()
    """What was cut short or left out."""

    def __str__(self) -> str:
        lines = [f"{name}: {reason}" for name, reason in self.reasons.items()]
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])


@dataclass(frozen=True)
class Chosen:
    """A fit with the evidence behind it."""

    fitted: Fitted
    evidence: Evidence
    choices: Choices


def learn_automatically(
    panel: Panel,
    settings: Settings,
    bounds: EdgeBounds,
    setup: Callable[[EdgeBounds], Setup],
    callback: Callback | None,
) -> Chosen:
    """Weigh the edges, fit the networks to the order found, and choose the graph."""
    scaled = Scaling.standard(panel).apply(panel)
    evidence = weigh(scaled, settings.lags, bounds, EFFORTS[settings.effort], callback)
    fitted = learn(setup(_held_to(evidence, bounds)), callback)
    strengths = fitted.graph.strengths
    possible = ~bounds.forbidden
    possible[0] &= evidence.possible
    confidence = belief.probabilities(evidence, strengths, possible)
    confidence = np.where(bounds.required, 1.0, confidence)
    cut, expected = belief.best_cut(confidence)
    graph = TemporalGraph(fitted.names, confidence >= cut, strengths, (), confidence)
    choices = _choices(settings, evidence, cut, expected)
    return Chosen(replace(fitted, graph=graph, bounds=bounds), evidence, choices)


def _held_to(evidence: Evidence, bounds: EdgeBounds) -> EdgeBounds:
    upper = bounds.upper.copy()
    upper[0] = np.where(evidence.possible, upper[0], 0.0)
    return EdgeBounds(bounds.lower, upper)


def _choices(settings: Settings, evidence: Evidence, cut: float, expected: float) -> Choices:
    lost = float(np.median(evidence.noise))
    reasons = {
        "loss": "the likelihood of Gaussian noise with a variance of its own for every variable, "
        f"in the evidence (the median variable keeps {lost:.0%} of its variance unexplained); "
        "squared error in the networks",
        "order at lag 0": "the order of the variables with the most evidence that was found",
        "threshold": f"edges with a confidence of {cut:.2f} or more; of all cuts this one has the "
        f"best expected F1, {expected:.2f}",
        "l1, l2, hidden": f"{settings.l1.flat[0]:.2g}, {settings.l2:.2g} and "
        f"{', '.join(map(str, settings.hidden))}; they shape the networks, not the graph's size, "
        "which the evidence decides",
    }
    return Choices(
        settings.lags, cut, expected, settings.effort, evidence.windows, reasons, evidence.notes
    )
