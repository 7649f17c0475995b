"""From strengths to a graph."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import naive
from chronodag.errors import GraphError, SettingsError
from chronodag.graph import Edge, threshold_per_lag, threshold_strengths


@st.composite
def strength_arrays(draw):
    lags, d = draw(st.integers(0, 2)), draw(st.integers(1, 4))
    return draw(
        arrays(float, (lags + 1, d, d), elements=st.sampled_from([0.0, 0.1, 0.3, 0.5, 2.0]))
    )


@given(strength_arrays(), st.data())
def test_edges_are_the_cells_at_or_above_the_cut_of_their_lag(strengths, data):
    cuts = data.draw(
        st.lists(
            st.sampled_from([0.0, 0.3, 0.4, 9.0]),
            min_size=len(strengths),
            max_size=len(strengths),
        )
    )
    before = strengths.copy()
    graph = threshold_strengths(strengths, cuts)
    assert (strengths == before).all()
    assert (graph.strengths == before).all()
    cut_away = {(edge.lag, edge.source, edge.target) for edge in graph.removed}
    assert all(lag == 0 for lag, _, _ in cut_away)
    for lag, source, target in product(*map(range, strengths.shape)):
        strength = strengths[lag, source, target]
        above = strength >= cuts[lag] and strength > 0 and (lag > 0 or source != target)
        lost = (lag, graph.names[source], graph.names[target]) in cut_away
        assert graph.adjacency[lag, source, target] == (above and not lost)
        assert above or not lost
    assert naive.is_acyclic(graph.adjacency[0])


def test_read_only_strengths_will_do():
    strengths = np.full((2, 2, 2), 0.5)
    strengths.flags.writeable = False
    graph = threshold_strengths(strengths, 0.3, ["a", "b"])
    assert [str(edge) for edge in graph.removed] == ["b(t) -> a(t)"]
    assert graph.adjacency.sum() == 5


def test_removed_holds_the_weaker_way_round_strongest_first():
    strengths = np.zeros((1, 3, 3))
    strengths[0, 0, 1], strengths[0, 1, 0] = 0.9, 0.4
    strengths[0, 1, 2], strengths[0, 2, 1] = 0.5, 0.8
    graph = threshold_strengths(strengths, 0.3, ["a", "b", "c"])
    assert graph.removed == (Edge("b", "c", 0, 0.5), Edge("b", "a", 0, 0.4))


def test_keep_outranks_strength():
    strengths = np.zeros((1, 2, 2))
    strengths[0, 0, 1], strengths[0, 1, 0] = 0.9, 0.4
    keep = np.zeros((1, 2, 2), dtype=bool)
    keep[0, 1, 0] = True
    graph = threshold_strengths(strengths, 0.3, keep=keep)
    assert graph.edges() == [Edge("X2", "X1", 0, 0.4)]
    assert graph.removed == (Edge("X1", "X2", 0, 0.9),)


def test_keep_outranks_the_threshold_but_draws_nothing_where_there_is_no_strength():
    strengths = np.array([[[0.0, 0.3 - 1e-16], [0.0, 0.0]]])
    keep = ~np.tri(2, dtype=bool)[None]
    assert threshold_strengths(strengths, 0.3, keep=keep).adjacency[0, 0, 1]
    assert not threshold_strengths(0 * strengths, 0.3, keep=keep).adjacency.any()


def test_keep_with_a_cycle_is_refused():
    with pytest.raises(GraphError, match="keep hold a cycle"):
        threshold_strengths(np.ones((1, 2, 2)), 0.3, keep=~np.eye(2, dtype=bool)[None])


def test_one_number_stands_for_every_lag():
    assert threshold_per_lag(0.3, 2).tolist() == [0.3, 0.3, 0.3]
    assert threshold_per_lag([0.1, 0.2], 1).tolist() == [0.1, 0.2]
    strengths = np.random.default_rng(0).uniform(size=(2, 3, 3))
    assert threshold_strengths(strengths, 0.4) == threshold_strengths(strengths, [0.4, 0.4])


@pytest.mark.parametrize("threshold", [-0.1, np.nan, np.inf, [0.1, -1.0]])
def test_impossible_cuts_are_refused(threshold):
    with pytest.raises(SettingsError, match=r"expected finite numbers ≥ 0"):
        threshold_per_lag(threshold, 1)


@pytest.mark.parametrize("threshold", [[0.1], [0.1, 0.2, 0.3], [[0.1, 0.2]]])
def test_cuts_of_the_wrong_shape_are_refused(threshold):
    with pytest.raises(SettingsError, match=r"2 numbers \(one per lag 0..1, lag 0 first\)"):
        threshold_per_lag(threshold, 1)


@pytest.mark.parametrize("threshold", ["high", object(), [0.1, [0.2]]])
def test_cuts_that_are_no_numbers_are_refused(threshold):
    with pytest.raises(SettingsError, match="expected one number, or"):
        threshold_per_lag(threshold, 1)


@pytest.mark.parametrize("strengths", [0.5, np.zeros((2, 2)), np.zeros((1, 2, 3)), np.zeros(0)])
def test_strengths_of_the_wrong_shape_are_refused(strengths):
    with pytest.raises(GraphError, match=r"expected three axes\s+\[lag, source, target\]"):
        threshold_strengths(strengths, 0.3)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_strengths_that_are_not_finite_are_refused(bad):
    strengths = np.zeros((2, 2, 2))
    strengths[1, 0, 1] = bad
    with pytest.raises(GraphError, match="not finite"):
        threshold_strengths(strengths, 0.3)


def test_keep_of_another_shape_is_refused():
    with pytest.raises(GraphError, match=r"keep has shape \(1, 2\)"):
        threshold_strengths(np.zeros((1, 2, 2)), 0.3, keep=np.zeros((1, 2), dtype=bool))
