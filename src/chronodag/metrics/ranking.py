"""Scores of a ranking: do the true edges have the larger strengths, whatever the threshold?"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chronodag.errors import DataError


def auroc(truth: ArrayLike, strengths: ArrayLike) -> float:
    """Return the chance that a true edge is stronger than a non-edge, ties counting one half.

    The two arrays have one shape, `truth` holding 0/1. NaN if there are no edges or no non-edges.
    """
    positive, values = _checked(truth, strengths)
    edges = int(positive.sum())
    others = positive.size - edges
    if edges == 0 or others == 0:
        return math.nan
    # Mann–Whitney: the rank sum of the edges, less the least it could be.
    wins = _midranks(values)[positive].sum() - edges * (edges + 1) / 2
    return float(wins / (edges * others))


def auprc(truth: ArrayLike, strengths: ArrayLike) -> float:
    """Return the average precision: the precision at each threshold, weighted by recall gained.

    Equal strengths enter together, and nothing is interpolated. The two arrays have one shape,
    `truth` holding 0/1. NaN if there are no edges or no non-edges.
    """
    positive, values = _checked(truth, strengths)
    edges = int(positive.sum())
    if edges in (0, positive.size):
        return math.nan
    # Distinct thresholds from strong to weak; hits and claims are counts down to each of them.
    _, group = np.unique(-values, return_inverse=True)
    new_hits = np.bincount(group, weights=positive)
    precision = np.cumsum(new_hits) / np.cumsum(np.bincount(group))
    return float((precision * new_hits).sum() / edges)


def _midranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ranks from 1, equal values sharing the mean of theirs."""
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    ranks: NDArray[np.float64] = (last - (sizes - 1) / 2)[group]
    return ranks


def _checked(
    truth: ArrayLike, strengths: ArrayLike
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    labels, values = np.asarray(truth), np.asarray(strengths, dtype=np.float64)
    if labels.shape != values.shape:
        raise DataError(
            f"The truth has shape {labels.shape} and the strengths {values.shape}; expected one "
            "strength per cell of the truth."
        )
    if not np.isin(labels, (0, 1)).all():
        raise DataError("The truth holds values other than 0 and 1; expected true/false per cell.")
    if np.isnan(values).any():
        raise DataError(
            f"{int(np.isnan(values).sum())} strengths are NaN and cannot be ranked; expected a "
            "number per cell. Give cells that were never tried the strength 0."
        )
    return labels.astype(bool).ravel(), values.ravel()
