"""From nats of evidence to probabilities of edges, and to the cut with the best expected F1.

Under perfect models the odds of an edge would be its prior odds times e^nats. Ours are not
perfect: θ is fitted rather than integrated out, and edges compete. So the odds are a fitted
logistic function of the evidence and of the strength in the networks, its curve learned from
simulated processes whose truth is known (`benchmarks.trust`), never from the data at hand.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from chronodag.evidence import coefficients
from chronodag.evidence.weighing import Evidence

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

NOISY_FEATURES = (
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
    "ln(1 + nats) · ln(strength + 0.02)",
    "ln(1 + nats of turning) at lag 0",
    "ln(noise of the target + 0.01)",
    "share of the target's largest strength",
    "share of the target's largest nats",
    "ln(1 + rank among the target's inputs)",
    "ln(share of cells above strength 0.15 + 0.01)",
    "ln(share of cells above 8 nats + 0.003)",
    "ln(share of cells above strength 0.3 + 0.003)",
    "ln(windows per input) · ln(1 + nats)",
)
NOISE_FREE_FEATURES = (
    "ln(variance lost + 0.001)",
    "ln(share of the target's largest nats + 0.01)",
    "ln(strength + 0.02)",
    "ln(1 + rank among the target's inputs)",
    "ln(windows)",
    "ln(noise of the target + 0.001)",
    "share of the target's largest strength",
    "ln(nats per window + 0.01)",
)
DIRECTION_FEATURES = ("ln(1 + nats of turning)", "ln(1 + nats)", "ln(windows)")

_LARGEST_LOSS = 10.0
"""Variances lost beyond this say no more; e^nats may be beyond all numbers."""
_LARGEST_TURNING = 1e3


def noisy_features(evidence: Evidence, strengths: FloatArray) -> FloatArray:
    """Return `NOISY_FEATURES` of all cells, `[lag, source, target, feature]`."""
    nats, shape = evidence.nats, evidence.nats.shape
    cells, whole, lag0 = _cells(shape), np.ones(shape), np.zeros(shape)
    lag0[0] = 1.0
    found, log_nats, log_strength = nats > 0, np.log1p(nats), np.log(strengths + 0.02)
    turning = np.zeros(shape)
    turning[0] = np.log1p(np.clip(evidence.turning, 0.0, 50.0)) * found[0]
    return np.stack(
        [
            np.sqrt(nats),
            log_nats,
            found,
            found * lag0,
            ~found * lag0,
            whole * np.log(shape[0] * shape[1]),
            whole * np.log(evidence.windows),
            whole * np.log((nats > 3)[cells].mean() + 0.01),
            log_nats * lag0,
            log_strength,
            log_strength * lag0,
            log_nats * log_strength,
            turning,
            whole * np.log(evidence.noise + 0.01),
            _shares(strengths),
            _shares(nats),
            np.log1p(_ranks(nats)),
            whole * np.log((strengths > 0.15)[cells].mean() + 0.01),
            whole * np.log((nats > 8)[cells].mean() + 0.003),
            whole * np.log((strengths > 0.3)[cells].mean() + 0.003),
            log_nats * np.log(evidence.windows / (shape[0] * shape[1])),
        ],
        axis=-1,
    )


def _shares(values: FloatArray) -> FloatArray:
    """Every cell beside the largest of its target."""
    return np.asarray(values / np.maximum(values.max(axis=(0, 1)), 1e-9))


def _ranks(values: FloatArray) -> FloatArray:
    """The place of every cell among its target's inputs, 0 the largest."""
    flat = values.reshape(-1, values.shape[-1])
    order = np.argsort(-flat, axis=0, kind="stable")
    return np.argsort(order, axis=0, kind="stable").reshape(values.shape).astype(np.float64)


def noise_free_features(evidence: Evidence, strengths: FloatArray) -> FloatArray:
    """Return `NOISE_FREE_FEATURES` of all cells, `[lag, source, target, feature]`.

    Without noise every weak path leaves endless evidence, so its size counts: the variance that
    would be unexplained without the edge, and the evidence beside that of the strongest edge.
    """
    nats = evidence.nats
    per_window = np.minimum(2.0 * nats / evidence.windows, 50.0)
    lost = np.minimum(evidence.noise * np.expm1(per_window), _LARGEST_LOSS)
    whole = np.ones(nats.shape)
    return np.stack(
        [
            np.log(lost + 0.001),
            np.log(_shares(nats) + 0.01),
            np.log(strengths + 0.02),
            np.log1p(_ranks(nats)),
            whole * np.log(evidence.windows),
            whole * np.log(evidence.noise + 0.001),
            _shares(strengths),
            np.log(nats / evidence.windows + 0.01),
        ],
        axis=-1,
    )


def probabilities(evidence: Evidence, strengths: FloatArray) -> FloatArray:
    """Return how likely each edge is, `[lag, source, target]`; 0 where it is not possible."""
    if not evidence.possible.any():
        return np.zeros(evidence.nats.shape)
    if evidence.regime.noise_free:
        features = noise_free_features(evidence, strengths)
        odds = features @ np.asarray(coefficients.NOISE_FREE) + coefficients.NOISE_FREE_INTERCEPT
    else:
        features = noisy_features(evidence, strengths)
        odds = features @ np.asarray(coefficients.NOISY) + coefficients.NOISY_INTERCEPT
    return np.where(evidence.possible, _logistic(odds), 0.0)


def direction_features(evidence: Evidence) -> FloatArray:
    """Return `DIRECTION_FEATURES` of the lag-0 cells, `[source, target, feature]`."""
    nats = evidence.nats[0]
    turning = np.clip(evidence.turning, 0.0, _LARGEST_TURNING)
    windows = np.full(nats.shape, np.log(evidence.windows))
    return np.stack([np.log1p(turning), np.log1p(nats), windows], axis=-1)


def direction_risks(evidence: Evidence, confidence: FloatArray) -> FloatArray:
    """Return how likely each lag-0 edge is true in the other direction, `[source, target]`.

    It is a share of what the confidence leaves open: the rest is for no edge at all.
    """
    features = direction_features(evidence)
    odds = features @ np.asarray(coefficients.DIRECTION) + coefficients.DIRECTION_INTERCEPT
    return np.where(evidence.possible[0], (1.0 - confidence[0]) * _logistic(odds), 0.0)


def best_cut(probability: FloatArray) -> tuple[float, float]:
    """Return the cut whose graph has the largest expected F1, and that F1.

    With p sorted downwards, the k likeliest edges hold Σ p of the true ones, of Σ_all p in all:
    F1(k) ≈ 2 Σ_{≤k} p / (k + Σ_all p). Without any edge F1 is 1 if none is true, so with the
    probability Π (1 − p); where that is more, the cut is infinite.
    """
    ranked = np.sort(probability[probability > 0])[::-1]
    nothing = float(np.prod(1.0 - ranked))
    if not ranked.size:
        return np.inf, nothing
    expected = 2.0 * np.cumsum(ranked) / (np.arange(1, ranked.size + 1) + ranked.sum())
    best = int(expected.argmax())
    if nothing > expected[best]:
        return np.inf, nothing
    return float(ranked[best]), float(expected[best])


def _logistic(odds: FloatArray) -> FloatArray:
    return np.asarray(1.0 / (1.0 + np.exp(-odds)))


def _cells(shape: tuple[int, ...]) -> BoolArray:
    """All cells but the self-loops at lag 0."""
    cells = np.ones(shape, dtype=bool)
    np.fill_diagonal(cells[0], False)
    return cells
