"""The table that linear methods regress on: every row with its past beside it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chronodag.data import Panel

FloatArray = NDArray[np.float64]


def lagged_table(panel: Panel, lags: int) -> FloatArray:
    """Return `[moment, (lag, variable)]`, lag 0 first; no row reaches from one series to another.

    The panel's series must be longer than the lags.
    """
    parts = [
        np.concatenate([part[lags - lag : len(part) - lag] for lag in range(lags + 1)], axis=1)
        for part in panel.series
    ]
    return np.concatenate(parts)


def as_cells(weights: NDArray[Any], lags: int) -> NDArray[Any]:
    """Return weights `[target, (lag, source)]` as `[lag, source, target]`."""
    targets = len(weights)
    return np.moveaxis(weights.reshape(targets, lags + 1, -1), 0, -1)


def as_rows(cells: FloatArray) -> FloatArray:
    """Return cells `[lag, source, target]` as `[target, (lag, source)]`; undoes `as_cells`."""
    return np.moveaxis(cells, -1, 0).reshape(cells.shape[-1], -1)
