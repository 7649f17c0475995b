"""Predictions of a fitted network, series by series, in the data's own units."""

from __future__ import annotations

import jax
import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import r2_score

from chronodag.data import Panel, Scaling
from chronodag.model import Parameters
from chronodag.model.network import predict

_compiled = jax.jit(predict)


def predict_series(
    parameters: Parameters, scaling: Scaling, panel: Panel
) -> dict[str, NDArray[np.float64]]:
    """Return predictions (T_s, d) by series; the first K rows, which have no past, are NaN."""
    lags = parameters.kernels.shape[0] - 1
    answer = {}
    with jax.enable_x64(True):
        for key, values in zip(panel.keys, panel.series, strict=True):
            rows = np.full(values.shape, np.nan)
            scaled = np.asarray(_compiled(parameters, scaling.apply_array(values)))
            rows[lags:] = scaling.undo_array(scaled)
            answer[key] = rows
    return answer


def r_squared(panel: Panel, predictions: dict[str, NDArray[np.float64]], lags: int) -> float:
    """1 − residual/total sum of squares, averaged over variables, on the rows predicted."""
    truth = np.concatenate([values[lags:] for values in panel.series])
    guess = np.concatenate([predictions[key][lags:] for key in panel.keys])
    return float(r2_score(truth, guess))
