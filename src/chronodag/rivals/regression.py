"""Regressions with a penalty, chosen by the Bayesian information criterion."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from chronodag.errors import DataError
from chronodag.rivals.design import FloatArray


def require_rows(table: FloatArray, name: str) -> None:
    """Refuse tables with too few rows to estimate the noise from."""
    rows, columns = table.shape
    if rows <= columns + 1:
        raise DataError(
            f"{name} regresses on up to {columns} columns and has {rows} rows with all lags; "
            f"expected at least {columns + 2}. Use fewer lags, or longer series."
        )


def lasso(sources: FloatArray, target: FloatArray, criterion: str = "bic") -> FloatArray:
    """Return the weights at the penalty with the least information criterion."""
    from sklearn.linear_model import LassoLarsIC
    from threadpoolctl import threadpool_limits

    if not sources.shape[1]:
        return np.zeros(0)
    with threadpool_limits(1, user_api="blas"):
        weights = LassoLarsIC(criterion=criterion).fit(sources, target).coef_
    return np.asarray(weights, dtype=np.float64)


def least_squares(sources: FloatArray, target: FloatArray) -> FloatArray:
    """Return the weights of least squares, with an intercept."""
    centred = sources - sources.mean(axis=0)
    weights = np.linalg.lstsq(centred, target - target.mean(axis=0), rcond=None)[0]
    return np.asarray(weights, dtype=np.float64)


def adaptive_lasso(sources: FloatArray, target: FloatArray, weights: FloatArray) -> FloatArray:
    """Penalise each source by the inverse of its least squares weight (Zou, 2006)."""
    sizes = np.abs(weights)
    return lasso(sources * sizes, target) * sizes


def regress_in_order(
    table: FloatArray, order: list[int], lags: int
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Regress each variable on all its predecessors of lag 0 and on all lags.

    Returns least squares weights `[target, (lag, source)]`, and which an adaptive lasso keeps.
    """
    d = len(order)
    weights = np.zeros((d, (lags + 1) * d))
    past = list(range(d, (lags + 1) * d))
    kept = np.zeros(weights.shape, dtype=bool)
    for place, target in enumerate(order):
        columns = order[:place] + past
        sources = table[:, columns]
        weights[target, columns] = least_squares(sources, table[:, target])
        pruned = adaptive_lasso(sources, table[:, target], weights[target, columns])
        kept[target, columns] = pruned != 0
    return weights, kept
