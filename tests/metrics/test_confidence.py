"""Calibration and false discoveries against slow twins and scikit-learn."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss

from chronodag.errors import DataError, SettingsError
from chronodag.metrics import calibration, false_discovery

CELLS = st.lists(
    st.tuples(
        st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0])), st.booleans()
    ),
    min_size=1,
    max_size=40,
)


def slow_error(chances, truth, bins):
    """Bin by bin, with a look at every cell."""
    total, worst = 0.0, 0.0
    limits = np.linspace(0, 1, bins + 1)
    for b in range(bins):
        inside = [
            k
            for k, chance in enumerate(chances)
            if (limits[b] < chance or b == 0) and (chance <= limits[b + 1] or b == bins - 1)
        ]
        if inside:
            mean = sum(chances[k] for k in inside) / len(inside)
            share = sum(truth[k] for k in inside) / len(inside)
            total += abs(mean - share) * len(inside) / len(chances)
            worst = max(worst, abs(mean - share))
    return total, worst


@given(CELLS, st.integers(1, 12))
def test_calibration_matches_the_twin_and_sklearn(cells, bins):
    chances, truth = (np.array(side) for side in zip(*cells, strict=True))
    ours = calibration(chances, truth, bins)
    expected, worst = slow_error(chances, truth, bins)
    assert ours.expected_calibration_error == pytest.approx(expected, abs=1e-12)
    assert ours.largest_error == pytest.approx(worst, abs=1e-12)
    share, mean = calibration_curve(truth, chances, n_bins=bins)
    filled = ours.counts > 0
    np.testing.assert_allclose(ours.share_true[filled], share, atol=1e-12)
    np.testing.assert_allclose(ours.mean_confidence[filled], mean, atol=1e-12)
    assert np.isnan(ours.share_true[~filled]).all()
    assert ours.counts.sum() == len(cells)
    assert len(ours.edges) == bins + 1
    assert ours.brier == pytest.approx(brier_score_loss(truth, chances, labels=[False, True]))


def slow_discovery(chances, truth, level):
    """Try every threshold; keep the lowest whose expected share of false edges is allowed."""
    best = (math.inf, [])
    for cut in sorted(set(chances), reverse=True):
        taken = [k for k, chance in enumerate(chances) if chance >= cut]
        if sum(1 - chances[k] for k in taken) / len(taken) <= level + 1e-12:
            best = (cut, taken)
    cut, taken = best
    return cut, len(taken), sum(not truth[k] for k in taken)


@given(CELLS, st.sampled_from([0.0, 0.05, 0.1, 0.3, 1.0]))
def test_false_discovery_matches_the_twin(cells, level):
    chances, truth = (np.array(side) for side in zip(*cells, strict=True))
    ours = false_discovery(chances, truth, level)
    cut, count, false = slow_discovery(chances, truth, level)
    assert (ours.cut, ours.discoveries) == (cut, count)
    assert ours.actual == pytest.approx(false / count if count else 0.0)
    assert ours.stated <= level + 1e-12
    if truth.any():
        assert ours.recall == pytest.approx((count - false) / truth.sum())
    else:
        assert math.isnan(ours.recall)


def test_honest_confidences_are_calibrated_and_keep_the_level():
    rng = np.random.default_rng(0)
    chances = rng.random((4, 100, 100))
    truth = rng.random(chances.shape) < chances
    assert calibration(chances, truth).expected_calibration_error < 0.01
    assert false_discovery(chances, truth, 0.1).actual == pytest.approx(0.1, abs=0.01)
    boastful = np.sqrt(chances)
    assert calibration(boastful, truth).expected_calibration_error > 0.1
    assert false_discovery(boastful, truth, 0.1).actual > 0.15


def test_bad_input_is_refused():
    with pytest.raises(DataError, match=r"confidences have shape \(2,\) and the truth \(1,\)"):
        calibration([0.1, 0.2], [1])
    with pytest.raises(DataError, match="at least one cell"):
        calibration([], [])
    with pytest.raises(DataError, match="outside 0 to 1; expected probabilities"):
        false_discovery([1.2], [1], 0.1)
    with pytest.raises(DataError, match="NaN or outside"):
        calibration([math.nan], [1])
    with pytest.raises(DataError, match="values other than 0 and 1"):
        calibration([0.5], [2])
    with pytest.raises(SettingsError, match="bins is 0"):
        calibration([0.5], [1], bins=0)
    with pytest.raises(SettingsError, match="level is 5"):
        false_discovery([0.5], [1], 5)
