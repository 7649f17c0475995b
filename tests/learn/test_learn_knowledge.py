"""Whatever the rules and the data: every fitted result obeys every rule."""

import warnings
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

import naive
from chronodag.errors import KnowledgeError
from chronodag.knowledge import PriorKnowledge
from chronodag.learn import NTSNotears
from chronodag.solve import Status

NAMES = ("a", "b", "c")
CELLS = [cell for cell in product((0, 1), NAMES, NAMES) if cell[0] or cell[1] != cell[2]]
THRESHOLD = 0.3
LOWERS, UPPERS = [0.3, 0.5, 1.2], [1e-9, 0.1, 0.3, 0.8, 2.0]

every_solver = pytest.mark.parametrize("solver", ["scipy", "device"])


@pytest.fixture(scope="module")
def frame(chain):
    return pd.DataFrame(chain[:60], columns=NAMES)


def fitted(frame, knowledge, **changes):
    choices = {"hidden": 2, "threshold": THRESHOLD, "random_state": 0, **changes}
    return NTSNotears(lags=1, knowledge=knowledge, **choices).fit(frame)


def cell_of(learner, lag, source, target):
    index = (lag, NAMES.index(source), NAMES.index(target))
    return learner.strengths_[index], learner.graph_.adjacency[index]


def test_a_forbidden_edge_is_exactly_zero(frame):
    free = fitted(frame, None)
    assert cell_of(free, 1, "a", "b")[1], "the strongest edge; else this test shows nothing"
    learner = fitted(frame, PriorKnowledge().forbid("a", "b", lag=1))
    assert cell_of(learner, 1, "a", "b") == (0.0, False)
    kernels = learner.parameters_.kernels[1, 0, 1]
    assert (kernels == 0).all()


def test_a_required_edge_is_at_least_the_threshold_of_its_lag(frame):
    knowledge = PriorKnowledge().require("c", "a")
    learner = fitted(frame, knowledge, threshold=[0.3, 0.7])
    for lag, cut in ((0, 0.3), (1, 0.7)):
        strength, present = cell_of(learner, lag, "c", "a")
        assert strength >= cut
        assert present
    assert not learner.graph_.adjacency[0, 0, 2], "a(t) -> c(t) would close a cycle"


def test_bounds_are_honoured(frame):
    knowledge = PriorKnowledge().bound("a", "b", 1, upper=0.4).bound("b", "c", 0, lower=2.5)
    learner = fitted(frame, knowledge)
    assert 0.2 < cell_of(learner, 1, "a", "b")[0] <= 0.4
    assert cell_of(learner, 0, "b", "c")[0] >= 2.5


@every_solver
@pytest.mark.parametrize("lag", [0, 1])
def test_an_edge_pinned_to_the_threshold_is_drawn(frame, lag, solver):
    # With two kernels, their norm comes out a rounding error below 0.3.
    knowledge = PriorKnowledge().bound("c", "b", lag, lower=0.3, upper=0.3)
    strength, present = cell_of(fitted(frame, knowledge, solver=solver), lag, "c", "b")
    assert strength == pytest.approx(0.3, rel=1e-12)
    assert present


def test_where_no_cycle_is_possible_one_solve_is_enough(frame):
    learner = fitted(frame, PriorKnowledge().tiers([["a"], ["b"], ["c"]], lag=0))
    assert learner.status_ is Status.UNCONSTRAINED
    assert len(learner.solution_.trace) == 1
    assert learner.acyclicity_ == 0.0


def test_without_lag_0_the_loss_is_all_there_is(frame):
    free, tied = PriorKnowledge().forbid("*@0 -> *"), PriorKnowledge().forbid("* -> *")
    assert not fitted(frame, free).strengths_[0].any()
    alone = fitted(frame, tied)
    assert not alone.strengths_.any()
    np.testing.assert_allclose(alone.predict(frame)[1:], np.tile(frame.mean(), (59, 1)), atol=0.1)


def test_rules_about_strangers_and_impossible_rules_are_refused(frame):
    with pytest.raises(KnowledgeError, match="'z'"):
        fitted(frame, PriorKnowledge().forbid("z", "a"))
    with pytest.raises(KnowledgeError, match="speaks of lag 2"):
        fitted(frame, PriorKnowledge().forbid("a", "b", lag=2))
    with pytest.raises(KnowledgeError, match="contradict"):
        fitted(frame, PriorKnowledge().forbid("a", "b").require("a", "b", lag=1))
    with pytest.raises(KnowledgeError, match="cycle at lag 0"):
        fitted(frame, PriorKnowledge().require("a", "b", lag=0).require("b", "a", lag=0))
    with pytest.raises(KnowledgeError, match="below the threshold"):
        fitted(frame, PriorKnowledge().bound("a", "b", 1, lower=0.1))


@st.composite
def broad_rules(draw):
    """Statements about many edges at once, and the cells each of them forbids."""
    knowledge, forbidden = PriorKnowledge(), set()
    kind = draw(st.sampled_from(["none", "none", "tiers", "exogenous", "sink", "wildcard"]))
    name = draw(st.sampled_from(NAMES))
    lag = draw(st.sampled_from([0, 1, None]))
    lags = {0, 1} if lag is None else {lag}
    if kind == "tiers":
        knowledge = knowledge.tiers([[name], [other for other in NAMES if other != name]], lag=lag)
        forbidden = {cell for cell in CELLS if cell[0] in lags and cell[2] == name != cell[1]}
    elif kind == "exogenous":
        knowledge = knowledge.exogenous(name)
        forbidden = {cell for cell in CELLS if cell[2] == name != cell[1]}
    elif kind == "sink":
        own_past = draw(st.booleans())
        knowledge = knowledge.sink(name, own_past=own_past)
        forbidden = {
            cell for cell in CELLS if cell[1] == name and (cell[2] != name or not own_past)
        }
    elif kind == "wildcard":
        knowledge = knowledge.forbid(name, "*", lag=lag)
        forbidden = {cell for cell in CELLS if cell[0] in lags and cell[1] == name}
    return knowledge, forbidden


@st.composite
def rule_sets(draw):
    """Consistent knowledge, and the interval [lower, upper] it leaves each cell."""
    knowledge, forbidden = draw(broad_rules())
    limits = {cell: (0.0, 0.0 if cell in forbidden else np.inf) for cell in CELLS}
    rank = draw(st.permutations(NAMES))
    for lag, source, target in CELLS:
        lower, upper = 0.0, np.inf
        possible = (lag, source, target) not in forbidden
        # at lag 0, what is required follows one order: no cycle
        may_require = possible and (lag or rank.index(source) < rank.index(target))
        kinds = ["free"] * 5 + ["forbid", "upper"] + ["require", "lower", "both"] * may_require
        kind = draw(st.sampled_from(kinds))
        if kind == "forbid":
            upper = 0.0
            knowledge = knowledge.forbid(source, target, lag=lag)
        elif kind == "require":
            lower = THRESHOLD
            knowledge = knowledge.require(source, target, lag=lag)
        elif kind == "upper":
            upper = draw(st.sampled_from(UPPERS))
            knowledge = knowledge.bound(source, target, lag, upper=upper)
        elif kind == "lower":
            lower = draw(st.sampled_from(LOWERS))
            knowledge = knowledge.bound(source, target, lag, lower=lower)
        elif kind == "both":
            lower = draw(st.sampled_from(LOWERS))
            upper = lower + draw(st.sampled_from([0.0, 1e-6, 1.0]))
            knowledge = knowledge.bound(source, target, lag, lower=lower, upper=upper)
        low, high = limits[lag, source, target]
        limits[lag, source, target] = (max(low, lower), min(high, upper))
    return knowledge, limits


@pytest.mark.parametrize(
    "changes",
    [{"solver": "scipy"}, {"solver": "device"}, {"solver": "device", "dtype": "float32"}],
    ids=str,
)
@settings(max_examples=200)
@given(rule_sets(), st.integers(0, 99))
def test_every_fitted_result_obeys_every_rule(frame, changes, rules, seed):
    knowledge, limits = rules
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # not the point: rules hold regardless
        learner = fitted(frame, knowledge, random_state=seed, max_iter=2, **changes)
    for (lag, source, target), (lower, upper) in limits.items():
        strength, present = cell_of(learner, lag, source, target)
        if upper == 0:
            assert strength == 0
            assert not present
        assert lower * (1 - 1e-12) <= strength <= upper * (1 + 1e-12)
        assert present or lower == 0
    assert naive.is_acyclic(learner.graph_.adjacency[0])
    assert (np.diagonal(learner.strengths_[0]) == 0).all()
    names = {(edge.lag, edge.source, edge.target) for edge in learner.graph_.removed}
    assert not any(limits[cell][0] > 0 for cell in names), "a required edge was left out"
