"""From nats of evidence to probabilities of edges, and to the cut with the best expected F1.

Under perfect models the odds of an edge would be its prior odds times e^nats. Ours are not
perfect: θ is fitted rather than integrated out, and edges compete. So the odds are a fitted
logistic function of the evidence, its curve corrected on simulated processes whose truth is known
(`benchmarks/trust`, command and seeds in docs/results/trust.md), never on the data at hand.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from chronodag.evidence.weighing import Evidence

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

FEATURES = (
    "sqrt(nats)",
    "ln(1 + nats)",
    "nats > 0",
    "nats > 0 at lag 0",
    "nats = 0 at lag 0",
    "ln(inputs)",
    "ln(windows)",
    "ln(share of cells above 3 nats + 0.01)",
    "ln(1 + nats) at lag 0",
    "ln(strength + 0.02)",
    "ln(strength + 0.02) at lag 0",
)
COEFFICIENTS = (
    0.1817,
    1.1225,
    -0.4322,
    1.33,
    1.0054,
    -1.1353,
    -0.1409,
    -0.7034,
    -0.3578,
    0.8098,
    -0.1205,
)
INTERCEPT = 1.9627


def features(evidence: Evidence, strengths: FloatArray) -> FloatArray:
    """Return the features of all cells, `[lag, source, target, feature]`."""
    nats = evidence.nats
    found, lag0 = nats > 0, np.zeros(nats.shape)
    lag0[0] = 1.0
    cells = possible_cells(nats.shape)
    dense = np.log((nats > 3)[cells].mean() + 0.01)
    strength = np.log(strengths + 0.02)
    whole = np.ones(nats.shape)
    return np.stack(
        [
            np.sqrt(nats),
            np.log1p(nats),
            found,
            found * lag0,
            ~found * lag0,
            whole * np.log(nats.shape[0] * nats.shape[1]),
            whole * np.log(evidence.windows),
            whole * dense,
            np.log1p(nats) * lag0,
            strength,
            strength * lag0,
        ],
        axis=-1,
    )


def probabilities(evidence: Evidence, strengths: FloatArray, allowed: BoolArray) -> FloatArray:
    """Return how likely each edge is, `[lag, source, target]`; 0 where it is not allowed."""
    odds = features(evidence, strengths) @ np.asarray(COEFFICIENTS) + INTERCEPT
    return np.where(allowed, 1.0 / (1.0 + np.exp(-odds)), 0.0)


def best_cut(probability: FloatArray) -> tuple[float, float]:
    """Return the cut whose graph has the largest expected F1, and that F1.

    With p sorted downwards, the k likeliest edges hold Σ p of the true ones, of Σ_all p in all:
    F1(k) ≈ 2 Σ_{≤k} p / (k + Σ_all p).
    """
    ranked = np.sort(probability[probability > 0])[::-1]
    if not ranked.size:
        return 1.0, 0.0
    expected = 2.0 * np.cumsum(ranked) / (np.arange(1, ranked.size + 1) + ranked.sum())
    best = int(expected.argmax())
    return float(ranked[best]), float(expected[best])


def possible_cells(shape: tuple[int, ...]) -> BoolArray:
    """All cells but the self-loops at lag 0."""
    cells = np.ones(shape, dtype=bool)
    np.fill_diagonal(cells[0], False)
    return cells
