"""Which inputs are worth weighing, where there are very many."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from chronodag.evidence.experts import Experts

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]


def screened(experts: Experts, allowed: BoolArray, required: BoolArray, most: int) -> BoolArray:
    """Keep at most `most` inputs per target `[target, input]`, required ones among them.

    The measure is the largest correlation between the target or its square and the input, its
    square, or its sign: rough, and blind to causes that show only together with others.
    """
    if allowed.sum(axis=1).max(initial=0) <= most:
        return allowed
    inputs = np.concatenate(experts.inputs).astype(np.float64)
    targets = np.concatenate(experts.targets).astype(np.float64)
    closeness = np.max(
        [
            np.abs(_correlations(target, source))
            for target in (targets, targets**2)
            for source in (inputs, inputs**2, np.sign(inputs))
        ],
        axis=0,
    )
    closeness = np.where(required, np.inf, np.where(allowed, closeness, -np.inf))
    nearest = np.argsort(-closeness, axis=1, kind="stable")[:, :most]
    kept = np.zeros_like(allowed)
    np.put_along_axis(kept, nearest, True, axis=1)
    return np.asarray((kept & allowed) | required)


def _correlations(targets: FloatArray, inputs: FloatArray) -> FloatArray:
    def unit(columns: FloatArray) -> FloatArray:
        centred = columns - columns.mean(axis=0)
        lengths = np.linalg.norm(centred, axis=0)
        return np.asarray(centred / np.where(lengths > 0, lengths, 1.0))

    return np.asarray(unit(targets).T @ unit(inputs))
