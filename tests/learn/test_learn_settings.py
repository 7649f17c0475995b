"""Every setting is checked when `fit` is called, and says what it expected."""

import numpy as np
import pandas as pd
import pytest

from chronodag.errors import SettingsError
from chronodag.graph import threshold_strengths
from chronodag.knowledge import PriorKnowledge
from chronodag.learn import NTSNotears
from chronodag.model import Parameters

SMALL = {"hidden": 2, "random_state": 0, "solver": "scipy"}

BAD = [
    ("lags", -1, "lags is -1; expected a whole number ≥ 0"),
    ("lags", 1.0, r"lags is 1\.0; expected a whole number"),
    ("lags", True, "lags is True; expected a whole number"),
    ("lags", None, "lags is None; expected a whole number"),
    ("hidden", 0, "hidden is 0; expected a whole number ≥ 1"),
    ("hidden", "4", "hidden is '4'; expected a whole number"),
    ("hidden", (), "hidden is empty"),
    ("hidden", (4, 0), "hidden is 0; expected a whole number ≥ 1"),
    ("l1", -0.1, "l1 is -0.1; expected finite numbers ≥ 0"),
    ("l1", np.nan, "l1 is nan; expected finite numbers ≥ 0"),
    ("l1", "much", "l1 is 'much'; expected a number or an array"),
    ("l1", [0.1, 0.2, 0.3], r"l1 has shape \(3,\); expected one number, one per lag \(2, lag 0"),
    ("l1", np.ones((2, 3)), r"one per edge, \[lag, source, target\] = \(2, 3, 3\)"),
    ("l2", -1, "l2 is -1; expected a finite number ≥ 0"),
    ("l2", np.inf, "l2 is inf; expected a finite number ≥ 0"),
    ("effort", "much", "effort is 'much'; expected one of 'low', 'normal', 'high'"),
    ("instantaneous", "yes", "instantaneous is 'yes'; expected True, False or 'auto'"),
    ("instantaneous", 1, "instantaneous is 1; expected True, False or 'auto'"),
    ("lags", "many", "lags is 'many'; expected a whole number ≥ 0, or 'auto'"),
    ("threshold", -0.3, "threshold is -0.3; expected finite numbers ≥ 0"),
    ("threshold", [0.3, 0.3, 0.3], r"2 numbers \(one per lag 0..1, lag 0 first\)"),
    ("threshold", object(), "expected one number, or one per lag"),
    ("knowledge", {"forbid": ["a -> b"]}, "knowledge is a dict; expected a PriorKnowledge"),
    ("standardize", "no", "standardize is 'no'; expected True or False"),
    ("standardize", None, "standardize is None; expected True or False"),
    ("solver", "adam", "solver is 'adam'; expected one of 'device', 'scipy'"),
    ("solver", None, "solver is None; expected one of"),
    ("solver", np.array(["scipy", "device"]), "expected one of 'device', 'scipy'"),
    ("dtype", "float16", "dtype is 'float16'; expected one of 'float64', 'float32'"),
    ("dtype", np.int64, "dtype is 'int64'; expected one of"),
    ("dtype", None, "dtype is None; expected one of"),
    ("dtype", 5, "dtype is 5; expected one of"),
    ("device", "tpu", "device is 'tpu'; expected one of 'auto', 'cpu', 'gpu'"),
    ("memory_limit", -1, "memory_limit is -1; expected a finite number ≥ 0"),
    ("h_tol", -1e-9, "h_tol is -1e-09; expected a finite number ≥ 0"),
    ("h_tol", "small", "h_tol is 'small'; expected a finite number"),
    ("rho_max", 0.5, "rho_max is 0.5; expected a finite number ≥ 1"),
    ("rho_max", np.inf, "rho_max is inf; expected a finite number"),
    ("max_iter", 0, "max_iter is 0; expected a whole number ≥ 1"),
    ("max_iter", 1e2, r"max_iter is 100\.0; expected a whole number"),
    ("random_state", "lucky", "random_state is 'lucky' .*expected a whole number ≥ 0"),
    ("random_state", -1, "random_state is -1 .*expected a whole number ≥ 0"),
]


@pytest.mark.parametrize(("name", "value", "message"), BAD)
def test_a_bad_setting_is_refused(chain, name, value, message):
    learner = NTSNotears(**{name: value})  # the constructor only stores
    assert getattr(learner, name) is value
    with pytest.raises(SettingsError, match=message):
        learner.fit(chain)
    assert not hasattr(learner, "graph_")


def test_every_setting_has_a_bad_value_above():
    assert {name for name, _, _ in BAD} == set(NTSNotears().get_params())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda start: start._replace(kernels=start.kernels[:, :, :, :1]), "start holds arrays of"),
        (lambda start: start._replace(kernels=start.kernels.reshape(3, 2, 3, 4)), "of the shapes"),
        (lambda start: start._replace(biases=start.biases * np.nan), "start holds NaN"),
        (lambda start: start.kernels, "start holds arrays of the shapes"),
        (lambda start: Parameters(start.kernels, start.biases, ()), "start holds arrays of"),
    ],
)
def test_a_bad_start_is_refused(chain, learned, change, message):
    with pytest.raises(SettingsError, match=message):
        NTSNotears(hidden=4).fit(chain, start=change(learned.initial_parameters_))


def test_numpy_numbers_are_numbers(chain):
    rows = chain[:60]
    plain = NTSNotears(lags=1, hidden=2, l2=0.02, random_state=3, solver="scipy").fit(rows)
    numpy = NTSNotears(
        lags=np.int64(1),
        hidden=np.int32(2),
        l2=np.float64(0.02),
        random_state=np.int64(3),
        standardize=np.True_,
        dtype=np.float64,
        solver="scipy",
    ).fit(rows)
    assert numpy.strengths_.tobytes() == plain.strengths_.tobytes()


@pytest.mark.parametrize(
    ("forms", "names"),
    [
        ([0.05, [0.05, 0.05], np.full((2, 3, 3), 0.05)], "one value"),
        ([[0.05, 0.01], np.array([0.05, 0.01])[:, None, None] * np.ones((2, 3, 3))], "per lag"),
        ([None, 2 / 60, (2 / 60, 2 / 60)], "2/T"),
    ],
)
def test_forms_of_l1_that_say_the_same_do_the_same(chain, forms, names):
    fits = [NTSNotears(**SMALL, threshold=0.3, l1=l1).fit(chain[:60]) for l1 in forms]
    assert len({fit.strengths_.tobytes() for fit in fits}) == 1, names
    assert fits[0].settings_.l1.shape == (2, 3, 3)


def test_the_default_l1_counts_the_rows_of_all_series(chain):
    fit = NTSNotears(**SMALL).fit([chain[:20], chain[20:60]])
    assert (fit.settings_.l1 == 2 / 60).all()


def test_l1_of_one_edge_presses_on_that_edge(chain):
    l1 = np.full((2, 3, 3), 0.02)
    l1[1, 0, 1] = 100.0  # X1(t-1) -> X2(t), the strongest
    fit = NTSNotears(**SMALL, l1=l1).fit(chain[:60])
    assert fit.strengths_[1, 0, 1] == 0
    assert fit.graph_.adjacency.any()


@pytest.mark.parametrize("threshold", [0.0, 0.3, 2.0, [0.1, 1.5]])
def test_the_threshold_does_not_take_part_in_learning(chain, threshold):
    fits = [NTSNotears(**SMALL, threshold=cut).fit(chain[:60]) for cut in (0.3, threshold)]
    assert fits[0].strengths_.tobytes() == fits[1].strengths_.tobytes()
    assert fits[1].graph_ == threshold_strengths(fits[0].strengths_, threshold)


def test_hidden_may_be_left_out_a_number_or_a_tuple(chain):
    rows = chain[:60]
    assert NTSNotears(solver="scipy", random_state=0).fit(rows).settings_.hidden == (3,)
    assert NTSNotears(solver="scipy", hidden=2, random_state=0).fit(rows).settings_.hidden == (2,)
    deep = NTSNotears(solver="scipy", hidden=[2, 3], random_state=0).fit(rows)
    assert deep.settings_.hidden == (2, 3)
    assert [layer.weights.shape for layer in deep.parameters_.layers] == [(3, 2, 3), (3, 3, 1)]


def test_names_reach_the_graph(chain):
    frame = pd.DataFrame(chain[:60], columns=["rain", "river", "sea"])
    assert NTSNotears(**SMALL).fit(frame).graph_.names == ("rain", "river", "sea")


def test_scipy_refuses_single_precision(chain):
    with pytest.raises(SettingsError, match="SciPy's optimiser computes in float64"):
        NTSNotears(solver="scipy", dtype="float32").fit(chain)


def test_bounds_too_large_for_single_precision_are_refused(chain):
    knowledge = PriorKnowledge().bound("X1", "X2", 1, lower=1e50)
    with pytest.raises(SettingsError, match="too large for float32"):
        NTSNotears(dtype="float32", knowledge=knowledge).fit(chain)
