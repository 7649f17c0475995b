"""Fits in which the data choose: settings, lags, edges and confidences."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from chronodag.errors import GraphError, SettingsError
from chronodag.evidence import belief
from chronodag.knowledge import PriorKnowledge
from chronodag.learn import NTSNotears, fit_many, load
from chronodag.simulate import lorenz96


@pytest.fixture(scope="module")
def chosen(chain):
    return NTSNotears(lags=1, random_state=0).fit(chain)


def test_nothing_given_means_that_the_data_choose(chosen):
    edges = {(edge.source, edge.target, edge.lag) for edge in chosen.graph_.edges()}
    assert {("X1", "X2", 1), ("X2", "X3", 0), ("X1", "X3", 1)} <= edges
    assert chosen.confidence_.shape == (2, 3, 3)
    np.testing.assert_array_equal(chosen.confidence_, chosen.graph_.confidence)
    np.testing.assert_array_equal(
        chosen.graph_.adjacency, chosen.confidence_ >= chosen.choices_.cut
    )
    assert chosen.graph_.direction_risk.shape == (3, 3)
    assert (chosen.graph_.direction_risk <= 1 - chosen.confidence_[0] + 1e-12).all()


def test_the_cut_is_the_one_with_the_best_expected_f1(chosen):
    cut, expected = belief.best_cut(chosen.confidence_)
    assert (chosen.choices_.cut, chosen.choices_.expected_f1) == (cut, expected)


def test_nothing_but_noise_gives_no_edges():
    rows = np.random.default_rng(4).standard_normal((150, 3))
    learner = NTSNotears(lags=1, effort="low", random_state=0).fit(rows)
    assert learner.graph_.edges() == []
    assert learner.choices_.cut is None
    assert "no edge is kept" in str(learner.choices_)


def test_what_was_chosen_is_told(chosen):
    text = str(chosen.choices_)
    for word in ("loss:", "lag 0:", "threshold:", "l1, l2, hidden:"):
        assert word in text
    assert "lags" not in chosen.choices_.reasons
    assert "confidence" in chosen.graph_.summary()
    assert "risk of the other direction" in chosen.graph_.summary()


@pytest.mark.parametrize("given", [{"l1": 0.02}, {"l2": 0.02}, {"threshold": 0.2}])
def test_one_setting_given_means_that_nothing_is_chosen(chain, given):
    learner = NTSNotears(lags=1, hidden=2, random_state=0, **given).fit(chain[:80])
    assert learner.choices_ is None
    assert learner.confidence_ is None
    assert learner.graph_.edges()[0].confidence is None


def test_auto_brings_the_choice_back(chain):
    learner = NTSNotears(lags=1, l1=0.02, threshold="auto", effort="low", random_state=0)
    learner.fit(chain)
    assert (learner.settings_.l1 == 0.02).all()
    assert learner.choices_.effort == "low"


def test_lags_are_chosen_and_told(chain):
    learner = NTSNotears(lags="auto", effort="low", random_state=0).fit(chain)
    assert learner.settings_.lags == learner.graph_.lags == learner.choices_.lags == 1
    assert learner.strengths_.shape == (2, 3, 3)
    assert "up to 5 were weighed" in str(learner.choices_)
    assert learner.predict(chain).shape == chain.shape
    assert np.isnan(learner.predict(chain)[0]).all()


def test_required_lags_are_never_given_up(chain):
    known = PriorKnowledge().require("X3@3 -> X1")
    learner = NTSNotears(lags="auto", effort="low", knowledge=known, random_state=0).fit(chain)
    assert learner.settings_.lags >= 3
    assert learner.graph_.adjacency[3, 2, 0]
    assert learner.confidence_[3, 2, 0] == 1.0


def test_lags_cannot_be_chosen_without_the_evidence(chain):
    with pytest.raises(SettingsError, match="chosen together with the edges, by the evidence"):
        NTSNotears(lags="auto", l1=0.1).fit(chain)
    with pytest.raises(SettingsError, match="fit_many expects a number"):
        fit_many([NTSNotears(lags="auto")], chain)


def test_no_instantaneous_edges_if_told_so(chain):
    for fixed in ({}, {"threshold": 0.2, "hidden": 2}):
        learner = NTSNotears(lags=1, instantaneous=False, random_state=0, **fixed).fit(chain)
        assert not learner.strengths_[0].any()
        assert not learner.graph_.adjacency[0].any()
    known = PriorKnowledge().require("X2@0 -> X3")
    with pytest.raises(SettingsError, match="instantaneous is False, but a rule requires X2@0"):
        NTSNotears(lags=1, instantaneous=False, knowledge=known).fit(chain)


def test_series_free_of_noise_have_no_lag_0_unless_told():
    rows = lorenz96(5, 200, rng=1).data
    learner = NTSNotears(lags=1, random_state=0).fit(rows)
    assert learner.choices_.noise_free
    assert "left out" in learner.choices_.reasons["lag 0"]
    assert not learner.graph_.adjacency[0].any()
    told = NTSNotears(lags=1, instantaneous=True, random_state=0).fit(rows)
    assert not told.choices_.noise_free
    assert told.confidence_[0].any()


def test_units_make_no_difference(chain, chosen):
    scaled = NTSNotears(lags=1, random_state=0).fit(chain * [1e-3, 1.0, 1e4] + [5.0, 0.0, -3.0])
    np.testing.assert_array_equal(scaled.graph_.adjacency, chosen.graph_.adjacency)
    np.testing.assert_allclose(scaled.confidence_, chosen.confidence_, atol=0.05)


def test_the_same_seed_gives_the_same_bytes(chain, chosen):
    again = NTSNotears(lags=1, random_state=0).fit(chain)
    assert again.graph_ == chosen.graph_


def test_a_fit_comes_back_with_what_was_chosen(chosen, tmp_path):
    chosen.save(tmp_path / "fit")
    back = load(tmp_path / "fit")
    assert back.choices_ == chosen.choices_
    assert back.graph_ == chosen.graph_
    np.testing.assert_array_equal(back.confidence_, chosen.confidence_)


def test_an_interrupted_choice_is_marked(chain):
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        learner = NTSNotears(lags=1, random_state=0).fit(chain, callback=lambda progress: True)
    assert learner.status_.name == "INTERRUPTED"
    assert learner.graph_.confidence is not None


def test_many_series_are_weighed_together(chain):
    learner = NTSNotears(lags=1, effort="low", random_state=0).fit([chain[:120], chain[120:]])
    assert learner.choices_.windows == len(chain) - 2
    assert ("X1", "X2", 1) in {edge[:3] for edge in learner.graph_.edges()}


def test_false_discoveries_are_kept_down(chosen):
    graph = chosen.graph_.at_false_discovery_rate(0.05)
    taken = graph.confidence[graph.adjacency]
    assert (1 - taken).mean() <= 0.05
    left = graph.confidence[~graph.adjacency]
    assert left.max() <= taken.min()
    assert graph.edges()[0].confidence > 0.9


@pytest.mark.parametrize("level", [0, 1, -0.1, True])
def test_impossible_rates_are_refused(chosen, level):
    with pytest.raises(GraphError, match="expected a rate between 0 and 1"):
        chosen.graph_.at_false_discovery_rate(level)


def test_no_rate_without_confidences(learned):
    with pytest.raises(GraphError, match="has no confidences, so no false discovery rate"):
        learned.graph_.at_false_discovery_rate(0.1)


NAMES = ("X1", "X2", "X3")
EDGES = st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES), st.integers(0, 1)).filter(
    lambda edge: edge[0] != edge[1] or edge[2]
)


@settings(max_examples=12)
@given(forbidden=st.lists(EDGES, max_size=6), required=st.lists(EDGES, max_size=2))
def test_every_rule_holds_in_every_choice(chain, forbidden, required):
    known = PriorKnowledge()
    order = {name: place for place, name in enumerate(NAMES)}
    for source, target, lag in required:
        if lag or order[source] < order[target]:  # these can close no cycle
            known = known.require(source, target, lag=lag)
    asked = {(rule.sources, rule.targets, rule.lags) for rule in known}
    for source, target, lag in forbidden:
        if ((source,), (target,), (lag,)) not in asked and (source, target, lag) not in required:
            known = known.forbid(source, target, lag=lag)
    learner = NTSNotears(lags=1, effort="low", knowledge=known, random_state=0).fit(chain[:90])
    bounds = learner.fitted_.bounds
    assert not learner.graph_.adjacency[bounds.forbidden].any()
    assert learner.graph_.adjacency[bounds.required].all()
    assert not bounds.violations(learner.strengths_, learner.names_)
