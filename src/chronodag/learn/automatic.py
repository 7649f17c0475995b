"""A fit with nothing given: the edges are chosen by the evidence for them.

The evidence gives an order of the variables at lag 0; the networks are fitted with lag 0 held to
that order (so no cycle is possible, and no constraint is needed); evidence and strengths together
give each edge a probability; the graph holds the edges whose cut has the best expected F1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chronodag.data import Panel, Scaling
from chronodag.evidence import EFFORTS, Evidence, belief, weigh
from chronodag.graph import TemporalGraph
from chronodag.knowledge import EdgeBounds
from chronodag.learn.fitting import Fitted, Setup, learn
from chronodag.learn.settings import Settings
from chronodag.solve import Callback

FloatArray = NDArray[np.float64]

_WORTH_A_LAG = 1.0
"""Longer lags are kept if this many of the edges there can be expected to be true."""


@dataclass(frozen=True)
class Choices:
    """What was chosen from the data, and why; `str()` is readable."""

    lags: int
    cut: float | None
    """Edges at least this likely are in the graph; None = a graph without edges is likelier."""
    expected_f1: float
    """What the probabilities say of this graph; no truth was looked at."""
    effort: str
    windows: int
    """How many windows were weighed."""
    noise_free: bool
    """Whether the series are nearly free of noise, so that lag 0 was left out."""
    reasons: dict[str, str]
    notes: tuple[str, ...] = ()
    """What was cut short or left out."""

    def __str__(self) -> str:
        lines = [f"{name}: {reason}" for name, reason in self.reasons.items()]
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, as JSON can hold them."""
        return asdict(self) | {"notes": list(self.notes)}

    @classmethod
    def from_dict(cls, content: dict[str, Any]) -> Choices:
        """Rebuild what `to_dict` described."""
        return cls(**(content | {"notes": tuple(content["notes"])}))


@dataclass(frozen=True)
class Chosen:
    """A fit with the evidence behind it."""

    fitted: Fitted
    evidence: Evidence
    choices: Choices


def learn_automatically(
    panel: Panel,
    setup: Setup,
    again: Callable[[EdgeBounds], Setup],
    callback: Callback | None = None,
) -> Chosen:
    """Weigh the edges, fit the networks to the order found, and choose the graph.

    `setup` is that of the fit as asked for; `again(bounds)` makes one anew within other bounds,
    which may also have fewer lags.
    """
    settings, bounds = setup.settings, setup.bounds
    scaled = Scaling.standard(panel).apply(panel)
    effort = EFFORTS[settings.effort]
    keep_lag_0 = settings.instantaneous is True
    evidence = weigh(scaled, bounds, effort, callback, keep_lag_0=keep_lag_0)
    fitted = learn(again(_held_to(evidence, bounds)), callback)
    confidence = _confidence(evidence, fitted, bounds)
    asked, lags = bounds.lags, bounds.lags
    if settings.choose_lags:
        lags = _needed_lags(confidence, bounds)
    if lags < asked:
        evidence, bounds = evidence.up_to(lags), EdgeBounds(*_up_to(bounds, lags))
        fitted = learn(again(_held_to(evidence, bounds)), callback)
        confidence = _confidence(evidence, fitted, bounds)
    cut, expected = belief.best_cut(confidence)
    cells = fitted.graph.strengths
    risk = belief.direction_risks(evidence, confidence)
    graph = TemporalGraph(fitted.names, confidence >= cut, cells, (), confidence, risk)
    choices = _choices(fitted.settings, evidence, cut, expected, asked)
    return Chosen(replace(fitted, graph=graph, bounds=bounds), evidence, choices)


def _confidence(evidence: Evidence, fitted: Fitted, bounds: EdgeBounds) -> FloatArray:
    confidence = belief.probabilities(evidence, fitted.graph.strengths)
    return np.where(bounds.required, 1.0, confidence)


def _held_to(evidence: Evidence, bounds: EdgeBounds) -> EdgeBounds:
    """Close the edges that the order, or the regime, rules out at lag 0."""
    upper = bounds.upper.copy()
    upper[0] = np.where(evidence.possible[0], upper[0], 0.0)
    return EdgeBounds(bounds.lower, upper)


def _needed_lags(confidence: FloatArray, bounds: EdgeBounds) -> int:
    """Return the shortest lag beyond which fewer than one true edge can be expected."""
    cut, _ = belief.best_cut(confidence)
    expected = np.where(confidence >= cut, confidence, 0.0).sum(axis=(1, 2))
    required = np.flatnonzero(bounds.required.any(axis=(1, 2)))
    lags = max(1, int(required.max(initial=0)))
    while lags < bounds.lags and expected[lags + 1 :].sum() >= _WORTH_A_LAG:
        lags += 1
    return min(lags, bounds.lags)


def _up_to(bounds: EdgeBounds, lags: int) -> tuple[FloatArray, FloatArray]:
    return bounds.lower[: lags + 1], bounds.upper[: lags + 1]


def _choices(
    settings: Settings, evidence: Evidence, cut: float, expected: float, asked: int
) -> Choices:
    lost = float(np.median(evidence.noise))
    reasons = {}
    if settings.choose_lags:
        reasons["lags"] = (
            f"{settings.lags}; up to {asked} were weighed, and fewer than one true edge can be "
            "expected at longer ones"
        )
    noise_free = evidence.regime.noise_free and settings.instantaneous is None
    reasons |= {
        "loss": "the likelihood of Gaussian noise with a variance of its own for every variable, "
        f"in the evidence (the median variable keeps {lost:.0%} of its variance unexplained); "
        "squared error in the networks",
        "lag 0": "left out, the series being nearly free of noise"
        if noise_free
        else "in the order of the variables with the most evidence that was found",
        "threshold": _cut_told(cut, expected),
        "l1, l2, hidden": f"{settings.l1.flat[0]:.2g}, {settings.l2:.2g} and "
        f"{', '.join(map(str, settings.hidden))}; they shape the networks, not the graph's size, "
        "which the evidence decides",
    }
    return Choices(
        lags=settings.lags,
        cut=cut if np.isfinite(cut) else None,
        expected_f1=expected,
        effort=settings.effort,
        windows=evidence.windows,
        noise_free=noise_free,
        reasons=reasons,
        notes=evidence.notes,
    )


def _cut_told(cut: float, expected: float) -> str:
    if not np.isfinite(cut):
        return f"no edge is kept: that there is none has a probability of {expected:.2f}"
    return (
        f"edges with a confidence of {cut:.2f} or more; of all cuts this one has the best "
        f"expected F1, {expected:.2f}"
    )
