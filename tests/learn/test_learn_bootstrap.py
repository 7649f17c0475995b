"""The bootstrap: what it counts, that it is the same for all jobs, and that it goes on."""

import numpy as np
import pytest
from sklearn.base import clone

from chronodag.errors import GraphError, SettingsError
from chronodag.graph import equivalent_thresholds, threshold_strengths
from chronodag.knowledge import PriorKnowledge
from chronodag.learn import Bootstrap, NTSNotears, bootstrap, fit_many
from chronodag.learn.resampling import Resampling

LEARNER = NTSNotears(lags=1, hidden=4, l1=0.02, random_state=0)


class Killed(Exception):
    """The process is gone."""


@pytest.fixture(scope="module")
def result(chain):
    return bootstrap(LEARNER, chain, replicates=10)


@pytest.fixture(scope="module")
def halves(chain):
    return bootstrap(LEARNER, chain, replicates=6, resample="half", random_state=1)


def test_it_counts_what_fits_of_the_replicates_find(chain, result):
    draws = Resampling((249,), "bootstrap", result.block, 0)
    weights = np.array([draws.weights(one) for one in range(10)])
    learners = [clone(LEARNER) for _ in weights]
    fit_many(learners, chain, weights=weights, warm=False)
    adjacency = np.array([one.graph_.adjacency for one in learners])
    strengths = np.array([one.strengths_ for one in learners])
    np.testing.assert_allclose(result.presence, adjacency.mean(axis=0), atol=0.11)
    np.testing.assert_allclose(result.strength_mean, strengths.mean(axis=0), atol=5e-3)
    low, high = np.quantile(strengths, [0.025, 0.975], axis=0)
    np.testing.assert_allclose(result.strength_low, low, atol=2e-2)
    np.testing.assert_allclose(result.strength_high, high, atol=2e-2)


def test_the_true_edges_are_stable(result):
    found = {str(edge): edge for edge in result.edges(0.9)}
    assert {"X1(t-1) -> X2(t)", "X2(t) -> X3(t)", "X1(t-1) -> X3(t)"} <= set(found)
    assert found["X2(t) -> X3(t)"].direction == pytest.approx(1.0)
    assert found["X1(t-1) -> X2(t)"].direction is None
    assert result.block == 6
    assert result.replicates == 10
    assert result.failed == 0
    assert "blocks of 6" in result.message
    assert "X2(t) -> X3(t)  presence 1.00  this way 1.00" in result.summary()


def test_directions_add_up_and_are_nan_where_there_is_no_edge(result):
    both = result.presence[0] + result.presence[0].T
    total = result.direction + result.direction.T
    np.testing.assert_allclose(total[both > 0], 1.0)
    assert np.isnan(total[both == 0]).all()


def test_edges_are_listed_most_frequent_first(result):
    shares = [edge.presence for edge in result.edges(0.0)]
    assert shares == sorted(shares, reverse=True)
    assert len(shares) == 3 * 2 + 9  # all cells but self-loops at lag 0
    assert not result.edges(1.1)


def test_arrays_are_read_only(result):
    with pytest.raises(ValueError, match="read-only"):
        result.presence[0, 0, 0] = 1


@pytest.mark.parametrize("options", [{"jobs": 2}, {"jobs": 2, "backend": "loky"}])
def test_jobs_do_not_change_a_byte(chain, result, options):
    assert bootstrap(LEARNER, chain, replicates=10, **options).to_json() == result.to_json()


@pytest.mark.filterwarnings("ignore")
def test_a_cluster_does_not_change_a_byte(chain, result):
    pytest.importorskip("distributed")
    spread = bootstrap(LEARNER, chain, replicates=10, jobs=1, backend="dask")
    assert spread.to_json() == result.to_json()


def test_a_generator_gives_a_seed(chain):
    one, other = (
        bootstrap(LEARNER, chain, replicates=2, random_state=np.random.default_rng(5))
        for _ in range(2)
    )
    assert one == other
    assert one != bootstrap(LEARNER, chain, replicates=2)


@pytest.mark.parametrize("options", [{"jobs": 2}, {"jobs": 2, "backend": "loky"}])
def test_a_callback_may_raise_while_others_work(chain, result, tmp_path, options):
    def kill(progress):
        if progress.done >= 4:
            raise Killed

    with pytest.raises(Killed):
        bootstrap(LEARNER, chain, replicates=10, store=tmp_path, callback=kill, **options)
    assert bootstrap(LEARNER, chain, replicates=10, store=tmp_path, **options) == result


def test_it_goes_on_where_it_was_killed(chain, result, tmp_path):
    def kill(progress):
        if progress.done >= 4:
            raise Killed

    with pytest.raises(Killed):
        bootstrap(LEARNER, chain, replicates=10, store=tmp_path, callback=kill)
    seen = []
    again = bootstrap(LEARNER, chain, replicates=10, store=tmp_path, callback=seen.append)
    assert again.to_json() == result.to_json()
    assert [one.done for one in seen] == [4, 8, 10]
    assert [one.fitted for one in seen] == [0, 4, 6]
    assert seen[0].seconds_left is None
    assert seen[-1].seconds_left == 0
    nothing_left = []
    bootstrap(LEARNER, chain, replicates=8, store=tmp_path, callback=nothing_left.append)
    assert nothing_left == []
    assert not list(tmp_path.glob(".*"))


def test_a_damaged_chunk_is_fitted_again(chain, tmp_path):
    before = bootstrap(LEARNER, chain, replicates=2, store=tmp_path)
    for path in tmp_path.glob("*.npz"):
        path.write_bytes(b"PK half a file")
    assert bootstrap(LEARNER, chain, replicates=2, store=tmp_path) == before


def test_a_store_keeps_different_questions_apart(chain, tmp_path):
    first = bootstrap(LEARNER, chain, replicates=2, store=tmp_path)
    count = len(list(tmp_path.iterdir()))
    assert bootstrap(LEARNER, chain[1:], replicates=2, store=tmp_path) != first
    assert bootstrap(LEARNER, chain, replicates=2, random_state=1, store=tmp_path) != first
    assert len(list(tmp_path.iterdir())) > count
    # another threshold counts the same strengths
    seen = []
    cut = clone(LEARNER).set_params(threshold=0.9)
    bootstrap(cut, chain, replicates=2, store=tmp_path, callback=seen.append)
    assert seen == []


def test_a_callback_stops_it(chain):
    stopped = bootstrap(LEARNER, chain, replicates=10, callback=lambda seen: seen.done >= 4)
    assert stopped.replicates == 4
    assert stopped.message.endswith("stopped with 6 to go")
    with pytest.raises(SettingsError, match="None of 0 replicates ended in a solution"):
        bootstrap(LEARNER, chain, replicates=4, callback=lambda seen: True)


def test_replicates_that_fail_are_left_out_and_counted(chain):
    slow = clone(LEARNER).set_params(solver="scipy", max_iter=1, h_tol=0.0)
    with pytest.raises(SettingsError, match="None of 2 replicates ended in a solution"):
        bootstrap(slow, chain, replicates=2)


def test_knowledge_holds_in_every_replicate(chain):
    known = PriorKnowledge().forbid("X1 -> *").require("X3@1 -> X2")
    told = bootstrap(clone(LEARNER).set_params(knowledge=known), chain, replicates=3)
    assert not told.presence[:, 0].any()
    assert told.presence[1, 2, 1] == 1
    assert not told.candidates[1, 2, 1]
    assert told.candidates.sum() == 3 * 2 + 9 - 2 - 3 - 1


def test_whole_series_are_drawn_from_a_panel_of_many(chain):
    panel = [chain[30 * one : 30 * one + 30] for one in range(8)]
    told = bootstrap(LEARNER, panel, replicates=2)
    assert told.block is None
    assert "whole series" in told.message


def test_a_learner_that_chooses_by_evidence_is_cut_like_its_graph(chain, tmp_path):
    learner = NTSNotears(lags=1, hidden=4, random_state=0, effort="low").fit(chain)
    graph = learner.graph_
    cut = equivalent_thresholds(graph.strengths, graph.adjacency)
    told = bootstrap(learner, chain, replicates=2)
    np.testing.assert_array_equal(told.cut, cut)
    fresh = bootstrap(clone(learner), chain, replicates=2, store=tmp_path)
    np.testing.assert_allclose(fresh.cut, cut, rtol=1e-6)
    assert len(list(tmp_path.glob("cut-*"))) == 1
    assert bootstrap(clone(learner), chain, replicates=2, store=tmp_path) == fresh
    drawn = threshold_strengths(graph.strengths, told.cut).adjacency
    assert (drawn == graph.adjacency).mean() > 0.8


def test_the_bound_on_false_edges_by_hand(halves):
    cells = halves.candidates
    q, p = halves.presence[cells].sum(), 3 * 2 + 9
    assert halves.stability_bound(0.9) == pytest.approx(q**2 / (0.8 * p))
    assert halves.stability_bound(1) == pytest.approx(q**2 / p)


def test_the_bound_is_refused_where_it_does_not_hold(result, halves):
    with pytest.raises(SettingsError, match="resample='bootstrap'; the bound holds for halves"):
        result.stability_bound(0.9)
    with pytest.raises(SettingsError, match=r"cutoff is 0.5; expected a share above 0.5 and up to"):
        halves.stability_bound(0.5)


def test_json_and_csv(result, tmp_path):
    path = tmp_path / "bootstrap.json"
    text = result.to_json(path)
    assert Bootstrap.from_json(text) == Bootstrap.from_json(path) == result
    assert Bootstrap.from_json(str(path)).to_json() == text
    assert hash(Bootstrap.from_json(path)) == hash(result)
    lines = result.to_csv(tmp_path / "bootstrap.csv").splitlines()
    assert lines[0] == (
        "source,target,lag,presence,direction,strength_mean,strength_low,strength_high"
    )
    assert len(lines) == 1 + 15
    assert (tmp_path / "bootstrap.csv").read_text() == "\n".join(lines) + "\n"


def test_files_that_are_none(result, tmp_path):
    with pytest.raises(GraphError, match="Not a bootstrap: expected a JSON object"):
        Bootstrap.from_json("{}")
    with pytest.raises(GraphError, match="has version 9; this program reads version 1"):
        Bootstrap.from_json(result.to_json().replace('"version": 1', '"version": 9'))
    with pytest.raises(GraphError, match=r"damaged .KeyError: 'presence'.; expected what"):
        Bootstrap.from_json(result.to_json().replace('"presence"', '"absence"'))
    with pytest.raises(GraphError, match="its arrays do not fit 1 names"):
        Bootstrap.from_json(
            '{"names": ["a"],' + result.to_json().partition("{")[2].replace('"names"', '"others"')
        )
    with pytest.raises(GraphError, match="Not JSON"):
        Bootstrap.from_json("nothing")
    with pytest.raises(GraphError, match=r"No file .*; expected a bootstrap"):
        Bootstrap.from_json(tmp_path / "none.json")


def test_refusals(chain, tmp_path):
    with pytest.raises(SettingsError, match="replicates is 0; expected a whole number ≥ 1"):
        bootstrap(LEARNER, chain, replicates=0)
    with pytest.raises(SettingsError, match="level is 95; expected a share between 0 and 1"):
        bootstrap(LEARNER, chain, level=95)
    with pytest.raises(SettingsError, match="random_state is None; expected a whole number"):
        bootstrap(LEARNER, chain, random_state=None)
    with pytest.raises(SettingsError, match="learner is a str; expected an NTSNotears"):
        bootstrap("var-lasso", chain)
    with pytest.raises(SettingsError, match="backend is 'mpi'; expected one of threading"):
        bootstrap(LEARNER, chain, backend="mpi")
    with pytest.raises(SettingsError, match="address='here' came without a backend"):
        bootstrap(LEARNER, chain, address="here")
    with pytest.raises(SettingsError, match="jobs is 0; expected a whole number ≥ 1"):
        bootstrap(LEARNER, chain, jobs=0)
    (tmp_path / "file").touch()
    with pytest.raises(SettingsError, match="cannot be used as a folder"):
        bootstrap(LEARNER, chain, store=tmp_path / "file")


def test_starts_of_their_own_reach_the_same_edges(chain, result):
    cold = bootstrap(LEARNER, chain, replicates=10, warm=False)
    assert cold != result
    assert cold == bootstrap(LEARNER, chain, replicates=10, warm=False, jobs=2)
    np.testing.assert_allclose(cold.presence, result.presence, atol=0.11)
    with pytest.raises(SettingsError, match="warm is 'no'; expected True or False"):
        bootstrap(LEARNER, chain, warm="no")


def test_replicates_side_by_side_are_the_same_fits(chain, result, monkeypatch):
    monkeypatch.setattr("chronodag.learn.replicates.batch_size", lambda batch, setups: len(setups))
    batched = bootstrap(LEARNER, chain, replicates=10)
    np.testing.assert_allclose(batched.strength_mean, result.strength_mean, atol=5e-3)
    assert batched.message == result.message
