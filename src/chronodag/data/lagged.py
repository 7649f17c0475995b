"""Rows with their past, without a copy of the past: one array and a weight per window."""

from dataclasses import dataclass

import numpy as np

from chronodag.data.checks import FloatArray
from chronodag.data.panel import Panel


@dataclass(frozen=True, eq=False)
class LaggedView:
    """All series end to end, and which windows of `lags + 1` rows lie within one series.

    Window t covers the rows t .. t + lags of `values`; its last row is the target, the rows
    before it are the past. Nothing is copied per lag, so memory does not grow with the lags.

    Attributes:
        values: (N, d), the panel's own array.
        lags: the number of past rows in a window, K.
        weights: (N - K,), 1 for a window within one series, 0 for one that crosses into the next.
    """

    values: FloatArray
    lags: int
    weights: FloatArray

    @property
    def windows(self) -> int:
        """The number of usable windows: over the series, the sum of their lengths minus K."""
        return int(self.weights.sum())


def lagged_view(panel: Panel, lags: int) -> LaggedView:
    """The windows of a panel; every series must be longer than the lags."""
    panel.require_longer_than(lags)
    lags = int(lags)
    weights = np.ones(panel.length - lags)
    for start in panel.offsets[1:]:
        # The window from t mixes two series where t < start <= t + lags.
        weights[start - lags : start] = 0.0
    weights.flags.writeable = False
    return LaggedView(panel.values, lags, weights)
