"""A whole fit: what it finds, and what must not change what it finds."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.linalg import expm
from sklearn.exceptions import ConvergenceWarning

import naive
from chronodag.data import Panel
from chronodag.errors import DataError
from chronodag.graph import find_cycle
from chronodag.learn import NTSNotears
from chronodag.simulate import random_process
from chronodag.solve import InnerStatus, Status

CHAIN = ["X1(t-1) -> X2(t)", "X1(t-1) -> X3(t)", "X2(t) -> X3(t)"]
SETTINGS = {"lags": 1, "hidden": 4, "l1": 0.02, "random_state": 0}
QUICK = {
    "hidden": 1,
    "solver": "scipy",
}  # where the answer does not matter: compiles fast
STRENGTH_ERROR = {"scipy": 1e-4, "device": 3e-3}  # what the solvers' tolerances leave open

every_solver = pytest.mark.parametrize("solver", ["scipy", "device"])


def standardized(series):
    rows = np.concatenate(series)
    return [(values - rows.mean(axis=0)) / rows.std(axis=0) for values in series]


@every_solver
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_it_finds_the_edges_that_are_there_and_no_others(chain, seed, solver):
    learner = NTSNotears(**{**SETTINGS, "random_state": seed}, solver=solver).fit(chain)
    assert sorted(map(str, learner.graph_.edges())) == CHAIN
    assert learner.graph_.removed == ()
    assert learner.status_ is (Status.SETTLED if solver == "device" else Status.H_REACHED)


def test_the_fitted_attributes_agree_with_each_other(chain, learned):
    parameters, settings = learned.parameters_, learned.settings_
    np.testing.assert_allclose(learned.strengths_, naive.strengths(parameters), rtol=1e-14)
    assert learned.graph_.strengths is learned.strengths_
    assert (learned.graph_.adjacency == (learned.strengths_ >= 0.3)).all()
    h = np.trace(expm(learned.strengths_[0] ** 2)) - 3
    assert learned.acyclicity_ == pytest.approx(h, abs=1e-12)
    assert 0 <= learned.acyclicity_ <= settings.h_tol
    objective = naive.objective(parameters, standardized([chain]), settings.l1, settings.l2)
    assert learned.objective_ == pytest.approx(objective, rel=1e-10)
    assert learned.names_ == ("X1", "X2", "X3")
    assert learned.n_iter_ == learned.solution_.iterations > 0


@pytest.mark.parametrize(
    "changes",
    [
        {"lags": 0},
        {"lags": 2, "hidden": (3, 2)},
        {"standardize": False},
        {"l1": [0.05, 0.01]},
        {"solver": "device"},
    ],
    ids=str,
)
def test_the_objective_is_the_papers(chain, changes):
    learner = NTSNotears(**{**SETTINGS, "solver": "scipy", **changes}).fit(chain[:120])
    series = [chain[:120]] if changes.get("standardize") is False else standardized([chain[:120]])
    settings = learner.settings_
    expected = naive.objective(learner.parameters_, series, settings.l1, settings.l2)
    assert learner.objective_ == pytest.approx(expected, rel=1e-10)
    assert naive.is_acyclic(learner.graph_.adjacency[0])
    assert (np.diagonal(learner.strengths_[0]) == 0).all()


def test_one_variable_without_lags_is_no_graph_but_no_crash(chain):
    learner = NTSNotears(lags=0, **QUICK).fit(chain[:50, :1])
    assert learner.status_ is Status.UNCONSTRAINED
    assert learner.graph_.edges() == []


@every_solver
def test_permuting_the_variables_permutes_the_answer(chain, solver):
    learner = NTSNotears(**SETTINGS, solver=solver).fit(chain)
    order = np.array([2, 0, 1])
    start = naive.permuted(learner.initial_parameters_, order)
    moved = NTSNotears(**SETTINGS, solver=solver).fit(chain[:, order], start=start)
    expected = learner.strengths_[:, order][:, :, order]
    np.testing.assert_allclose(moved.strengths_, expected, atol=STRENGTH_ERROR[solver])
    assert (moved.graph_.adjacency == learner.graph_.adjacency[:, order][:, :, order]).all()
    assert moved.objective_ == pytest.approx(learner.objective_, rel=1e-6)


@every_solver
def test_units_do_not_matter_to_standardized_strengths(chain, solver):
    learner = NTSNotears(**SETTINGS, solver=solver).fit(chain)
    other = NTSNotears(**SETTINGS, solver=solver).fit(chain * [1000, 1e-3, 1] + [5e3, 0, -9])
    np.testing.assert_allclose(other.strengths_, learner.strengths_, atol=STRENGTH_ERROR[solver])


def test_both_solvers_find_the_same_optimum(chain):
    fits = [NTSNotears(**SETTINGS, solver=solver).fit(chain) for solver in ("scipy", "device")]
    assert fits[0].objective_ == pytest.approx(fits[1].objective_, rel=1e-4)
    np.testing.assert_allclose(fits[0].strengths_, fits[1].strengths_, atol=5e-3)


def test_without_standardization_the_data_is_taken_as_it_is(chain):
    learner = NTSNotears(**QUICK, standardize=False).fit(chain[:60])
    scaling = learner.fitted_.scaling
    assert (scaling.mean == 0).all()
    assert (scaling.scale == 1).all()


@pytest.mark.parametrize(
    "wrap",
    [
        lambda rows: [rows],
        lambda rows: {"game": rows},
        Panel.from_any,
        pd.DataFrame,
        lambda rows: pl.DataFrame(rows, schema=["X1", "X2", "X3"]),
        lambda rows: pd.DataFrame(rows).assign(game="a"),
        np.asfortranarray,
    ],
    ids=["list", "dict", "panel", "pandas", "polars", "long", "fortran"],
)
def test_one_series_in_any_wrapping_is_the_series(chain, learned, wrap):
    data = wrap(chain)
    long = hasattr(data, "columns") and "game" in data.columns
    again = NTSNotears(**SETTINGS).fit(data, series="game" if long else None)
    assert again.strengths_.tobytes() == learned.strengths_.tobytes()


def test_a_panel_of_two_series_never_looks_across_the_border(chain):
    parts = [chain[:100], chain[100:]]  # as many rows as the chain: no new shapes to compile
    learner = NTSNotears(**SETTINGS).fit(parts)
    assert sorted(map(str, learner.graph_.edges())) == CHAIN
    settings = learner.settings_
    expected = naive.objective(learner.parameters_, standardized(parts), settings.l1, settings.l2)
    assert learner.objective_ == pytest.approx(expected, rel=1e-10)


def test_the_input_is_left_alone(chain):
    rows = chain[:60].copy()
    frame = pd.DataFrame(rows, columns=["a", "b", "c"])
    before, frame_before = rows.copy(), frame.copy()
    learner = NTSNotears(**QUICK).fit(rows)
    learner.predict(rows)
    learner.score(rows)
    assert (rows == before).all()
    NTSNotears(**QUICK).fit(frame).predict(frame)
    pd.testing.assert_frame_equal(frame, frame_before)


def test_what_was_learned_is_read_only(learned):
    for array in (learned.strengths_, *learned.parameters_[:2], learned.parameters_.layers[0][0]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_the_same_seed_gives_the_same_bytes(chain, learned):
    again = NTSNotears(**SETTINGS).fit(chain)
    assert again.solution_.x.tobytes() == learned.solution_.x.tobytes()
    assert again.objective_ == learned.objective_
    twins = [NTSNotears(**SETTINGS, solver="scipy").fit(chain).solution_.x for _ in range(2)]
    assert twins[0].tobytes() == twins[1].tobytes()
    generator = np.random.default_rng(0)
    drawn = NTSNotears(**{**SETTINGS, "random_state": generator}).fit(chain)
    assert drawn.solution_.x.tobytes() == learned.solution_.x.tobytes()
    other = NTSNotears(**{**SETTINGS, "random_state": 1}).fit(chain)
    assert other.fitted_.initial.tobytes() != learned.fitted_.initial.tobytes()


def test_global_random_state_is_neither_read_nor_changed(chain):
    np.random.seed(1)  # noqa: NPY002
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    NTSNotears(**QUICK).fit(chain[:60])
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002


def test_a_start_replaces_the_random_one(chain, learned):
    again = NTSNotears(**{**SETTINGS, "random_state": 99}).fit(
        chain, start=learned.initial_parameters_
    )
    assert again.solution_.x.tobytes() == learned.solution_.x.tobytes()
    onward = NTSNotears(**SETTINGS).fit(chain, start=learned.parameters_)
    assert onward.objective_ <= learned.objective_ + 1e-4


def test_refitting_forgets_the_earlier_fit(chain):
    learner = NTSNotears(**QUICK).fit(pd.DataFrame(chain[:60], columns=["a", "b", "c"]))
    assert learner.feature_names_in_.tolist() == ["a", "b", "c"]
    learner.fit(chain[:60, :2])
    assert not hasattr(learner, "feature_names_in_")
    assert learner.names_ == ("X1", "X2")
    assert learner.n_features_in_ == 2


def test_used_up_rounds_warn_and_say_so(chain):
    with pytest.warns(ConvergenceWarning, match="max_iter rounds were used up"):
        learner = NTSNotears(**SETTINGS, max_iter=1, h_tol=0.0).fit(chain)
    assert learner.status_ is Status.ROUNDS_USED_UP
    assert not learner.status_.success


@every_solver
def test_a_callback_may_stop_the_fit(chain, solver):
    seen = []

    def callback(progress):
        seen.append(progress)
        return True

    with pytest.warns(ConvergenceWarning, match="interrupted"):
        learner = NTSNotears(**SETTINGS, solver=solver).fit(chain, callback=callback)
    assert learner.status_ is Status.INTERRUPTED
    assert learner.solution_.trace[-1].status is InnerStatus.INTERRUPTED
    assert len(seen) == 1
    assert learner.objective_ <= seen[0].objective + 1e-12
    assert naive.is_acyclic(learner.graph_.adjacency[0])


@every_solver
def test_a_callback_that_only_looks_changes_nothing(chain, solver):
    seen = []
    quiet = NTSNotears(**SETTINGS, solver=solver).fit(chain)
    watched = NTSNotears(**SETTINGS, solver=solver).fit(chain, callback=seen.append)
    assert watched.solution_.x.tobytes() == quiet.solution_.x.tobytes()
    assert seen
    assert [one.round for one in seen] == sorted(one.round for one in seen)


def test_series_too_short_for_the_lags_are_refused(chain):
    with pytest.raises(DataError, match="every series needs at least 6 rows"):
        NTSNotears(lags=5).fit([chain, chain[:5]])


def test_a_constant_column_is_refused():
    with pytest.raises(DataError, match="'X2'"):
        NTSNotears().fit(np.column_stack([np.arange(9.0), np.ones(9)]))


@pytest.mark.parametrize("seed", range(3))
def test_a_settled_fit_has_no_cycle_at_all(seed):
    process = random_process(6, 2, rng=seed, mechanism="AIM")
    data = process.sample(400, rng=seed)
    learner = NTSNotears(lags=2, l1=0.005, random_state=0).fit(data)
    assert learner.status_ is Status.SETTLED
    assert learner.acyclicity_ == 0.0
    assert find_cycle(learner.strengths_[0] > 0) is None
