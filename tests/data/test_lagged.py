"""Windows of the lagged view, against a twin that copies every window out, series by series."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronodag.data import LaggedView, Panel, lagged_view
from chronodag.errors import DataError, SettingsError


def naive_windows(parts, lags):
    """The obvious twin: each row with `lags` rows before it, lag 0 first, side by side."""
    design = []
    for part in parts:
        for row in range(lags, len(part)):
            window = []
            for lag in range(lags + 1):
                window.extend(part[row - lag])
            design.append(window)
    return np.array(design)


def windows_of(view: LaggedView):
    """The same design, read from the view."""
    starts = np.flatnonzero(view.weights)
    return np.array([view.values[start : start + view.lags + 1][::-1].ravel() for start in starts])


@st.composite
def panels_and_lags(draw):
    lags = draw(st.integers(0, 4))
    lengths = draw(st.lists(st.integers(lags + 1, lags + 6), min_size=1, max_size=6))
    dimension = draw(st.integers(1, 3))
    # Every entry is different, and its column 0 says which series it came from.
    parts = []
    for number, rows in enumerate(lengths):
        part = np.arange(rows * dimension, dtype=float).reshape(rows, dimension) + 1000 * number
        part[:, 0] = number
        parts.append(part)
    return parts, lags


@given(panels_and_lags())
def test_windows_are_those_of_the_twin(drawn):
    parts, lags = drawn
    panel = Panel.from_any(parts, allow_constant=True)
    view = lagged_view(panel, lags)
    assert view.weights.shape == (panel.length - lags,)
    assert set(view.weights) <= {0.0, 1.0}
    assert view.windows == sum(len(part) - lags for part in parts)
    np.testing.assert_array_equal(windows_of(view), naive_windows(parts, lags))


@given(panels_and_lags())
def test_a_window_never_mixes_series(drawn):
    parts, lags = drawn
    view = lagged_view(Panel.from_any(parts, allow_constant=True), lags)
    for start, weight in enumerate(view.weights):
        owners = set(view.values[start : start + lags + 1, 0])
        assert (weight == 1.0) == (len(owners) == 1)


def test_nothing_is_copied_and_nothing_can_change():
    panel = Panel.from_any(np.random.default_rng(0).normal(size=(10, 2)))
    view = lagged_view(panel, np.int64(3))
    assert view.values is panel.values
    assert type(view.lags) is int
    assert view.windows == 7
    assert view.weights.dtype == np.float64
    with pytest.raises(ValueError, match="read-only"):
        view.weights[0] = 0
    with pytest.raises(AttributeError, match="cannot assign"):
        view.lags = 1


def test_short_series_and_wrong_lags_are_refused():
    panel = Panel.from_any({"a": np.eye(4), "b": np.eye(4)[:2]})
    with pytest.raises(DataError, match=r"With 2 lags .* at least 3 rows.*'b' \(2 rows\)"):
        lagged_view(panel, 2)
    with pytest.raises(SettingsError, match="lags must be a whole number"):
        lagged_view(panel, -1)
