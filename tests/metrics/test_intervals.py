"""Intervals against SciPy's own, and against their promise."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from chronodag.errors import DataError, SettingsError
from chronodag.metrics import mean_interval, paired_interval

VALUES = st.lists(st.floats(-100, 100), min_size=2, max_size=20)


@given(VALUES, st.floats(0.5, 0.999))
def test_matches_scipy(values, confidence):
    ours = mean_interval(values, confidence)
    assert ours.mean == pytest.approx(np.mean(values))
    assert (ours.count, ours.confidence) == (len(values), confidence)
    if np.std(values) > 1e-9:
        theirs = stats.ttest_1samp(values, 0.0).confidence_interval(confidence)
        assert (ours.lower, ours.upper) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=3, max_size=20))
def test_pairs_match_scipys_paired_test(pairs):
    a, b = np.array(pairs).T
    if np.std(a - b) > 1e-9:
        theirs = stats.ttest_rel(a, b)
        ours = paired_interval(a, b)
        low, high = theirs.confidence_interval(0.95)
        assert (ours.lower, ours.upper) == pytest.approx((low, high), abs=1e-9)
        if abs(theirs.pvalue - 0.05) > 1e-6:
            assert ours.excludes_zero == (theirs.pvalue < 0.05)


def test_it_covers_as_often_as_it_says():
    rng = np.random.default_rng(0)
    intervals = [mean_interval(rng.normal(1.0, 2.0, 6), 0.9) for _ in range(1000)]
    assert np.mean([one.lower <= 1.0 <= one.upper for one in intervals]) == pytest.approx(
        0.9, abs=0.03
    )


def test_what_pairs_share_cancels():
    hardness = np.array([0.0, 10.0, 20.0, 30.0])
    difference = paired_interval(hardness + np.array([1.1, 0.9, 1.0, 1.0]), hardness)
    assert difference.excludes_zero
    assert difference.upper - difference.lower < 0.3
    assert str(difference) == "1.000 [0.870, 1.130], n = 4"
    assert paired_interval([1.0, 2.0], [0.0, 1.0]).to_dict() == {
        "mean": 1.0,
        "lower": 1.0,
        "upper": 1.0,
        "confidence": 0.95,
        "count": 2,
    }


def test_bad_input_is_refused():
    with pytest.raises(DataError, match=r"values has shape \(1,\); expected a list of at least 2"):
        mean_interval([1.0])
    with pytest.raises(DataError, match="1 entries of b are NaN"):
        paired_interval([1.0, 2.0], [1.0, np.nan])
    with pytest.raises(DataError, match="a holds 3 values and b 2"):
        paired_interval([1.0, 2.0, 3.0], [1.0, 2.0])
    with pytest.raises(SettingsError, match="confidence is 95"):
        mean_interval([1.0, 2.0], 95)
    with pytest.raises(dataclasses.FrozenInstanceError, match="mean"):
        mean_interval([1.0, 2.0]).mean = 0.0
