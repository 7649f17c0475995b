"""The draws of windows: how many, in blocks, and the same whoever draws them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronodag.data import Panel
from chronodag.errors import SettingsError
from chronodag.learn.resampling import Resampling, resampling_of


def panel(*lengths):
    rng = np.random.default_rng(0)
    return Panel.from_any([rng.normal(size=(length, 2)) for length in lengths])


def runs(weights):
    """Lengths of the stretches of windows that count."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], weights > 0, [0]])))
    return edges[1::2] - edges[::2]


@given(st.integers(0, 1000), st.integers(10, 80), st.integers(1, 5))
def test_a_bootstrap_draws_as_many_windows_as_there_are(seed, count, block):
    weights = Resampling((count,), "bootstrap", block, seed).weights(0)
    assert weights.shape == (count,)
    assert weights.sum() == count
    # all blocks but the one that is cut short are whole
    assert sum(runs(weights) < block) <= 1


@given(st.integers(0, 1000), st.integers(10, 80), st.integers(1, 5))
def test_a_half_is_half_of_the_windows_once_each(seed, count, block):
    weights = Resampling((count,), "half", block, seed).weights(3)
    assert set(weights) == {0.0, 1.0}
    assert weights.sum() == count // 2


def test_blocks_stay_within_their_series():
    weights = Resampling((30, 20, 3), "bootstrap", 4, 0).weights(0)
    assert [part.sum() for part in np.split(weights, [30, 50])] == [30, 20, 3]


def test_whole_series_are_drawn_from_many():
    resampling = resampling_of(panel(*[12] * 8), 2, "bootstrap", None, 0)
    assert resampling.block is None
    parts = np.split(resampling.weights(0), 8)
    assert all(len(set(part)) == 1 for part in parts)
    assert sum(part[0] for part in parts) == 8
    half = resampling_of(panel(*[12] * 8), 2, "half", None, 0).weights(0)
    assert half.sum() == 4 * 10


def test_the_middle_windows_count_once_on_average():
    resampling = Resampling((40,), "bootstrap", 4, 1)
    mean = np.mean([resampling.weights(one) for one in range(2000)], axis=0)
    assert mean[4:-4] == pytest.approx(40 / 37, abs=0.15)


def test_a_replicate_does_not_depend_on_the_others():
    resampling = Resampling((40,), "bootstrap", 4, 7)
    np.testing.assert_array_equal(resampling.weights(5), resampling.weights(5))
    assert not np.array_equal(resampling.weights(5), resampling.weights(6))
    other = Resampling((40,), "bootstrap", 4, 8)
    assert not np.array_equal(resampling.weights(5), other.weights(5))


def test_the_length_of_blocks():
    assert resampling_of(panel(1003), 3, "bootstrap", None, 0).block == 10
    assert resampling_of(panel(40), 5, "bootstrap", None, 0).block == 6  # above the lags
    assert resampling_of(panel(40, 40), 1, "half", 7, 0).block == 7
    assert resampling_of(panel(*[40] * 9), 1, "half", 7, 0).block == 7  # asked for
    assert "in blocks of 10" in str(resampling_of(panel(1003), 3, "bootstrap", None, 0))
    assert "whole series" in str(resampling_of(panel(*[40] * 9), 1, "half", None, 0))


def test_refusals():
    with pytest.raises(SettingsError, match="resample is 'third'; expected one of 'bootstrap'"):
        resampling_of(panel(50), 1, "third", None, 0)
    with pytest.raises(SettingsError, match="block is 40; expected at most 24, half of the"):
        resampling_of(panel(50), 1, "half", 40, 0)
    with pytest.raises(SettingsError, match="block is 0; expected a whole number ≥ 1"):
        resampling_of(panel(50), 1, "half", 0, 0)
    with pytest.raises(SettingsError, match="longest series has 7 windows; blocks must be longer"):
        resampling_of(panel(12), 5, "half", None, 0)
