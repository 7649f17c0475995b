"""scikit-learn's conventions, and the few that a learner of time series cannot keep."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, TimeSeriesSplit
from sklearn.utils.estimator_checks import check_estimator

from chronodag.knowledge import PriorKnowledge
from chronodag.learn import NTSNotears

WORDING = "the same input is refused, in our own words: "
EXPECTED_FAILURES = {
    # what a time series is
    "check_methods_sample_order_invariance": "rows are moments in order; shuffling them changes "
    "what each row's past is",
    "check_methods_subset_invariance": "a row alone has no past to be predicted from",
    # refused on purpose, where scikit-learn converts
    "check_dtype_object": "columns of Python objects are refused, not converted in silence",
    # refused as the check demands; it only looks for scikit-learn's own sentence
    "check_complex_data": WORDING + "give the real and the imaginary part as two columns",
    "check_estimators_empty_data_messages": WORDING + "The data is empty: 12 rows, 0 columns",
    "check_fit2d_1sample": WORDING + "a time series needs at least 2 rows",
    "check_fit2d_predict1d": WORDING + "expected two dimensions (time, variable)",
    "check_estimator_sparse_tag": WORDING + "expected a frame or an array; got csr_matrix",
    "check_estimator_sparse_array": WORDING + "expected a frame or an array; got csr_array",
    "check_estimator_sparse_matrix": WORDING + "expected a frame or an array; got csr_matrix",
}


def test_scikit_learns_checks_pass_but_for_the_expected():
    # Without lag 0 there is nothing to compile but the loss, for each of some forty shapes.
    no_lag_0 = PriorKnowledge().forbid("*@0 -> *")
    learner = NTSNotears(hidden=1, knowledge=no_lag_0, solver="scipy", random_state=0)
    with warnings.catch_warnings():
        # the checks skip what is not installed, and one round does not converge
        warnings.simplefilter("ignore")
        results = check_estimator(learner, on_skip=None, on_fail=None)
    failed = {one["check_name"]: one["exception"] for one in results if one["status"] == "failed"}
    unexpected = {name: error for name, error in failed.items() if name not in EXPECTED_FAILURES}
    assert not unexpected
    assert set(failed) == set(EXPECTED_FAILURES), "a reason is out of date: take it off the list"
    assert sum(one["status"] == "passed" for one in results) >= 30


def test_parameters_are_stored_untouched_and_cloned():
    l1, knowledge = np.array([0.1, 0.2]), PriorKnowledge().forbid("a -> b")
    learner = NTSNotears(lags=2, hidden=(3, 2), l1=l1, knowledge=knowledge, random_state=7)
    parameters = learner.get_params()
    assert parameters["l1"] is l1
    assert parameters["knowledge"] is knowledge
    twin = clone(learner)
    assert twin is not learner
    assert twin.knowledge == knowledge
    assert twin.hidden == (3, 2)
    assert (twin.l1 == l1).all()
    assert twin.set_params(lags=1, l2=0.5) is twin
    assert (twin.lags, twin.l2, learner.lags) == (1, 0.5, 2)
    with pytest.raises(ValueError, match="Invalid parameter 'lag'"):
        twin.set_params(lag=3)


def test_fitting_does_not_change_the_parameters(chain):
    learner = NTSNotears(hidden=1, l1=[0.1, 0.2], random_state=0, solver="scipy")
    before = dict(learner.get_params())
    assert learner.fit(chain[:60]) is learner
    assert learner.get_params() == before
    assert not hasattr(clone(learner), "graph_")


def test_the_repr_names_what_is_not_the_default():
    assert repr(NTSNotears(lags=3, l1=0.1)) == "NTSNotears(l1=0.1, lags=3)"


def test_settings_can_be_searched_on_later_data(chain):
    search = GridSearchCV(
        NTSNotears(lags=1, hidden=1, random_state=0, solver="scipy"),
        {"l1": [0.02, 5.0]},
        cv=TimeSeriesSplit(2),
        error_score="raise",
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        search.fit(chain)
    assert search.best_params_ == {"l1": 0.02}
