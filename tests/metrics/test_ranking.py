"""AUROC and AUPRC against scikit-learn and against their definitions."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score

from chronodag.errors import DataError
from chronodag.metrics import auprc, auroc

CELLS = st.lists(
    # Few distinct values, so that ties are common.
    st.tuples(st.booleans(), st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0, 3.0, -1.0])),
    min_size=2,
    max_size=40,
)


def split(cells):
    truth, strengths = zip(*cells, strict=True)
    return np.array(truth), np.array(strengths)


def slow_auroc(truth, strengths):
    duels = [
        0.5 if edge == other else float(edge > other)
        for edge in strengths[truth]
        for other in strengths[~truth]
    ]
    return sum(duels) / len(duels)


def slow_auprc(truth, strengths):
    area, recall = 0.0, 0.0
    for cut in sorted(set(strengths), reverse=True):
        claimed = strengths >= cut
        reached = truth[claimed].sum() / truth.sum()
        area += (reached - recall) * truth[claimed].mean()
        recall = reached
    return area


@given(CELLS)
def test_both_match_sklearn_and_the_slow_twins(cells):
    truth, strengths = split(cells)
    if truth.all() or not truth.any():
        assert math.isnan(auroc(truth, strengths))
        assert math.isnan(auprc(truth, strengths))
        return
    assert auroc(truth, strengths) == pytest.approx(roc_auc_score(truth, strengths), abs=1e-14)
    assert auroc(truth, strengths) == pytest.approx(slow_auroc(truth, strengths), abs=1e-14)
    expected = average_precision_score(truth, strengths)
    assert auprc(truth, strengths) == pytest.approx(expected, abs=1e-14)
    assert auprc(truth, strengths) == pytest.approx(slow_auprc(truth, strengths), abs=1e-14)


@given(CELLS)
def test_only_the_order_of_the_strengths_matters(cells):
    truth, strengths = split(cells)
    for measure in (auroc, auprc):
        np.testing.assert_equal(measure(truth, strengths), measure(truth, np.exp(strengths)))


def test_large_continuous_case_matches_sklearn():
    rng = np.random.default_rng(0)
    truth = rng.random((4, 20, 20)) < 0.1
    strengths = rng.gamma(1.0, size=truth.shape) + truth
    assert auroc(truth, strengths) == pytest.approx(
        roc_auc_score(truth.ravel(), strengths.ravel()), abs=1e-14
    )
    assert auprc(truth, strengths) == pytest.approx(
        average_precision_score(truth.ravel(), strengths.ravel()), abs=1e-14
    )


def test_perfect_and_worst_ranking():
    truth = np.array([0, 0, 1, 1])
    assert auroc(truth, [0.1, 0.2, 0.3, 0.4]) == auprc(truth, [0.1, 0.2, 0.3, 0.4]) == 1.0
    assert auroc(truth, [0.4, 0.3, 0.2, 0.1]) == 0.0
    assert auroc(truth, [1, 1, 1, 1]) == auprc(truth, [1, 1, 1, 1]) == 0.5


@pytest.mark.parametrize("measure", [auroc, auprc])
def test_bad_input_is_refused(measure):
    with pytest.raises(DataError, match=r"shape \(2,\) and the strengths \(3,\)"):
        measure([0, 1], [0.1, 0.2, 0.3])
    with pytest.raises(DataError, match="values other than 0 and 1"):
        measure([0, 2], [0.1, 0.2])
    with pytest.raises(DataError, match="1 strengths are NaN"):
        measure([0, 1], [0.1, math.nan])


def test_undefined_gives_nan_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert math.isnan(auroc([], []))
        assert math.isnan(auprc([], []))
        assert math.isnan(auprc([1, 1], [0.1, 0.2]))
