"""Whether confidences mean what they say: calibration, and false discoveries at a nominal rate."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chronodag.errors import DataError, SettingsError

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Calibration:
    """Confidences against the share of them that came true; arrays have one entry per bin."""

    expected_calibration_error: float
    """|mean confidence - share true|, averaged over the cells."""
    largest_error: float
    """The same gap in the worst bin."""
    brier: float
    """The mean of (confidence - truth)²."""
    edges: FloatArray
    """The bins' limits, bins + 1 of them; a bin holds its upper limit, the first its lower too."""
    counts: NDArray[np.int64]
    mean_confidence: FloatArray
    """NaN where a bin is empty, here and in `share_true`."""
    share_true: FloatArray


@dataclass(frozen=True)
class FalseDiscovery:
    """The edges that confidences allow at a nominal false discovery rate, held to the truth."""

    level: float
    """The rate asked for."""
    cut: float
    """Every cell with at least this confidence is taken; infinite if none is."""
    discoveries: int
    stated: float
    """The rate that the confidences themselves expect among those taken."""
    actual: float
    """The share of those taken that is false; 0 if none is taken."""
    recall: float
    """The share of the true edges among those taken; NaN if there is no true edge."""


def calibration(confidences: ArrayLike, truth: ArrayLike, bins: int = 10) -> Calibration:
    """Measure how far confidences, probabilities that an edge is there, can be believed.

    The bins are equally wide (Guo et al., 2017). Most cells of a graph are empty and easily so:
    look at the bins, too, and not at the one number alone.
    """
    chances, true = _checked(confidences, truth)
    if isinstance(bins, bool) or not isinstance(bins, int | np.integer) or bins < 1:
        raise SettingsError(f"bins is {bins!r}; expected a whole number of 1 or more.")
    edges = np.linspace(0.0, 1.0, int(bins) + 1)
    place = np.searchsorted(edges[1:-1], chances)
    counts = np.bincount(place, minlength=len(edges) - 1)
    filled = np.where(counts, counts, np.nan)
    mean = np.bincount(place, chances, len(counts)) / filled
    share = np.bincount(place, true, len(counts)) / filled
    gaps = np.abs(mean - share)[counts > 0]
    return Calibration(
        expected_calibration_error=float(gaps @ counts[counts > 0] / chances.size),
        largest_error=float(gaps.max()),
        brier=float(np.mean((chances - true) ** 2)),
        edges=edges,
        counts=counts,
        mean_confidence=mean,
        share_true=share,
    )


def false_discovery(confidences: ArrayLike, truth: ArrayLike, level: float) -> FalseDiscovery:
    """Take as many edges as the confidences allow at a false discovery rate, and count the false.

    Cells are taken from the surest down while the mean of 1 - confidence stays at `level` or below
    (Newton et al., 2004); equal confidences are taken together or not at all.
    """
    chances, true = _checked(confidences, truth)
    if not 0 <= level <= 1:
        raise SettingsError(f"level is {level!r}; expected a rate between 0 and 1, such as 0.1.")
    order = np.argsort(-chances, kind="stable")
    falling = chances[order]
    # The mean never falls along the list, so the allowed cells are its beginning.
    stated = np.cumsum(1.0 - falling) / np.arange(1, falling.size + 1)
    ends_a_tie = np.append(falling[1:] != falling[:-1], True)
    allowed = np.flatnonzero((stated <= level + 1e-12) & ends_a_tie)
    edges = int(true.sum())
    if not allowed.size:
        return FalseDiscovery(float(level), math.inf, 0, 0.0, 0.0, 0.0 if edges else math.nan)
    last = int(allowed[-1])
    hits = int(true[order[: last + 1]].sum())
    return FalseDiscovery(
        level=float(level),
        cut=float(falling[last]),
        discoveries=last + 1,
        stated=float(stated[last]),
        actual=1.0 - hits / (last + 1),
        recall=hits / edges if edges else math.nan,
    )


def _checked(confidences: ArrayLike, truth: ArrayLike) -> tuple[FloatArray, NDArray[np.bool_]]:
    chances, labels = np.asarray(confidences, dtype=np.float64), np.asarray(truth)
    if chances.shape != labels.shape or chances.size == 0:
        raise DataError(
            f"The confidences have shape {chances.shape} and the truth {labels.shape}; expected "
            "one confidence per cell of the truth, and at least one cell."
        )
    if not ((chances >= 0) & (chances <= 1)).all():
        raise DataError(
            "Some confidences are NaN or outside 0 to 1; expected probabilities. Strengths are "
            "none: rank those with auroc(...) and auprc(...)."
        )
    if not np.isin(labels, (0, 1)).all():
        raise DataError("The truth holds values other than 0 and 1; expected true/false per cell.")
    return chances.ravel(), labels.astype(bool).ravel()
