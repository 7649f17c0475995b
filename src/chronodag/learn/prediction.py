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
_LARGEST_CHUNK = 4096


def predict_series(
    parameters: Parameters, scaling: Scaling, panel: Panel
) -> dict[str, NDArray[np.float64]]:
    """Return predictions (T_s, d) by series; the first K rows, which have no past, are NaN."""
    lags = parameters.kernels.shape[0] - 1
    windows = predict_windows(parameters, scaling.apply_array(panel.values))
    answer = {}
    for key, values, start in zip(panel.keys, panel.series, panel.offsets, strict=True):
        rows = np.full(values.shape, np.nan)
        rows[lags:] = scaling.undo_array(windows[start : start + len(values) - lags])
        answer[key] = rows
    return answer


def predict_windows(parameters: Parameters, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Predict every window of rows laid end to end: (N, d) -> (N−K, d).

    Chunks of few sizes, powers of two, so that panels of many lengths share compiled code and
    memory does not grow with N.
    """
    lags = parameters.kernels.shape[0] - 1
    count = len(values) - lags
    size = min(_LARGEST_CHUNK, 2 ** (count - 1).bit_length())
    answer = np.empty((count, values.shape[1]))
    with jax.enable_x64(True):
        for start in range(0, count, size):
            chunk = values[start : start + size + lags]
            missing = size + lags - len(chunk)
            padded = np.pad(chunk, ((0, missing), (0, 0))) if missing else chunk
            predicted = np.asarray(_compiled(parameters, padded))
            answer[start : start + size] = predicted[: size - missing]
    return answer


def r_squared(panel: Panel, predictions: dict[str, NDArray[np.float64]], lags: int) -> float:
    """1 − residual/total sum of squares, averaged over variables, on the rows predicted."""
    truth = np.concatenate([values[lags:] for values in panel.series])
    guess = np.concatenate([predictions[key][lags:] for key in panel.keys])
    return float(r2_score(truth, guess))
