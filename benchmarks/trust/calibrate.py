"""Fit the logistic curves from evidence to probabilities, and see how they do on cases left out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from benchmarks.trust.collect import Weighed
from chronodag.evidence import belief
from chronodag.metrics import calibration

FloatArray = NDArray[np.float64]
_FOLDS = 5
_SPARSE_WEIGHT = 0.3
"""Of the cells of the sparse cases: they are many, and most tables that people bring have edges."""


@dataclass(frozen=True)
class Curve:
    """The weights of the features, and the odds where all are zero."""

    weights: FloatArray
    intercept: float

    def __call__(self, features: FloatArray) -> FloatArray:
        """Return probabilities."""
        return np.asarray(1.0 / (1.0 + np.exp(-(features @ self.weights + self.intercept))))


@dataclass(frozen=True)
class Sample:
    """The possible edges of one case: features, and whether they are true."""

    name: str
    features: FloatArray
    true: NDArray[np.bool_]
    missed: int
    """True edges that were not possible any more: they count in F1."""
    weight: float = 1.0
    """Of each of its edges in the fit."""


def edges(weighed: Weighed) -> Sample:
    """Return the possible edges with the features of their regime."""
    evidence = weighed.evidence
    features = (
        belief.noise_free_features if evidence.regime.noise_free else belief.noisy_features
    )(evidence, weighed.strengths)
    possible = evidence.possible
    missed = int((weighed.truth & ~possible).sum())
    weight = _SPARSE_WEIGHT if weighed.name.startswith("sparse") else 1.0
    return Sample(weighed.name, features[possible], weighed.truth[possible], missed, weight)


def directions(weighed: Weighed, curve: Curve) -> Sample:
    """Return the lag-0 edges of the graph that are not true: is the other direction?"""
    evidence = weighed.evidence
    chances = np.zeros(evidence.nats.shape)
    features = belief.noisy_features(evidence, weighed.strengths)
    chances[evidence.possible] = curve(features[evidence.possible])
    cut, _ = belief.best_cut(chances)
    wrong = (chances[0] >= cut) & evidence.possible[0] & ~weighed.truth[0]
    return Sample(
        weighed.name, belief.direction_features(evidence)[wrong], weighed.truth[0].T[wrong], 0
    )


def fit(samples: list[Sample]) -> Curve:
    """Fit a curve to all edges of all samples, with a mild ridge."""
    features = np.concatenate([sample.features for sample in samples])
    true = np.concatenate([sample.true for sample in samples])
    spread = features.std(axis=0)
    spread[spread < 1e-9] = 1.0
    weights = np.concatenate([np.full(len(sample.true), sample.weight) for sample in samples])
    model = LogisticRegression(C=1.0, max_iter=10_000).fit(features / spread, true, weights)
    return Curve(model.coef_[0] / spread, float(model.intercept_[0]))


def cross_validate(samples: list[Sample]) -> tuple[FloatArray, FloatArray, float]:
    """Return per case F1 at the chosen and at the best cut, and the calibration error of all."""
    fold = np.random.default_rng(0).permutation(len(samples)) % _FOLDS
    chosen, best = np.zeros(len(samples)), np.zeros(len(samples))
    chances: list[FloatArray] = [np.zeros(0)] * len(samples)
    for k in range(_FOLDS):
        curve = fit([sample for sample, at in zip(samples, fold, strict=True) if at != k])
        for i in np.flatnonzero(fold == k):
            chances[i] = curve(samples[i].features)
            score = scorer(samples[i], chances[i])
            chosen[i] = score(belief.best_cut(chances[i])[0])
            best[i] = max(score(cut) for cut in np.unique(chances[i]))
    error = calibration(np.concatenate(chances), np.concatenate([s.true for s in samples]))
    return chosen, best, error.expected_calibration_error


def scorer(sample: Sample, chances: FloatArray) -> Callable[[float], float]:
    """Return F1 as a function of the cut."""
    edges_ = sample.true.sum() + sample.missed

    def score(cut: float) -> float:
        taken = chances >= cut
        if not taken.sum() + edges_:
            return 1.0  # nothing to find and nothing claimed
        return float(2 * (taken & sample.true).sum() / (taken.sum() + edges_))

    return score
