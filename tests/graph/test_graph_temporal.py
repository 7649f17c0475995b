"""The graph object: unchangeable, checked, readable."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import naive
from chronodag.errors import GraphError
from chronodag.graph import Edge, TemporalGraph, default_names, node_label


@pytest.fixture
def graph():
    """rain(t) -> river(t) 0.5, rain(t-1) -> river(t) 0.8, river(t-1) -> river(t) 0.9."""
    strengths = np.zeros((2, 2, 2))
    strengths[0, 0, 1], strengths[1, 0, 1], strengths[1, 1, 1] = 0.5, 0.8, 0.9
    strengths[1, 1, 0] = 0.01  # below any threshold
    return TemporalGraph(("rain", "river"), strengths > 0.1, strengths)


def test_edges_come_strongest_first(graph):
    assert graph.edges() == [
        Edge("river", "river", 1, 0.9),
        Edge("rain", "river", 1, 0.8),
        Edge("rain", "river", 0, 0.5),
    ]
    assert [str(edge) for edge in graph.edges()] == [
        "river(t-1) -> river(t)",
        "rain(t-1) -> river(t)",
        "rain(t) -> river(t)",
    ]
    assert graph.parents("rain") == []
    assert graph.parents("river") == graph.edges()
    assert graph.lags == 1


def test_equal_strengths_are_ordered_by_lag_source_target():
    graph = TemporalGraph.from_adjacency(np.triu(np.ones((2, 3, 3)), 1))
    cells = [(edge.lag, edge.source, edge.target) for edge in graph.edges()]
    assert cells == sorted(cells)


def test_summary_and_repr_say_what_there_is(graph):
    assert repr(graph) == "TemporalGraph(2 variables, lags 0..1, 3 edges)"
    lines = graph.summary().splitlines()
    assert lines[0] == "2 variables, 3 edges: 1 at lag 0, 2 at lag 1."
    assert lines[1] == "  river(t-1) -> river(t)  strength 0.900"
    removed = TemporalGraph(
        graph.names, graph.adjacency, graph.strengths, (Edge("river", "rain", 0, 0.3),)
    )
    assert removed.summary().endswith("Left out to keep lag 0 free of cycles: river(t) -> rain(t).")


def test_the_arrays_are_read_only_copies():
    adjacency, strengths = np.zeros((1, 2, 2), dtype=bool), np.zeros((1, 2, 2))
    graph = TemporalGraph(("a", "b"), adjacency, strengths)
    adjacency[0, 0, 1], strengths[0, 0, 1] = True, 1.0
    assert not graph.adjacency.any()
    assert not graph.strengths.any()
    for array in (graph.adjacency, graph.strengths):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0, 1] = 1


def test_equality_and_hash_look_at_content(graph):
    twin = TemporalGraph(list(graph.names), graph.adjacency.copy(), graph.strengths.copy())
    assert twin == graph
    assert hash(twin) == hash(graph)
    assert graph != TemporalGraph(("a", "b"), graph.adjacency, graph.strengths)
    assert graph != TemporalGraph(graph.names, graph.adjacency, graph.strengths * 2)
    assert graph != "rain"


def test_paper_matrix_of_a_hand_written_example(graph):
    # Rows and columns: rain(t-1), river(t-1), rain(t), river(t); rows drive columns.
    assert graph.to_paper_matrix().tolist() == [
        [False, False, False, True],
        [False, False, False, True],
        [False, False, False, True],
        [False, False, False, False],
    ]
    assert graph.to_paper_matrix(strengths=True)[:, 3].tolist() == [0.8, 0.9, 0.5, 0.0]


@given(
    arrays(bool, st.tuples(st.integers(1, 4), st.just(3), st.just(3))),
    st.integers(0, 2**32 - 1),
)
def test_paper_matrix_equals_its_slow_twin(adjacency, seed):
    adjacency[0] &= np.triu(np.ones((3, 3), dtype=bool), 1)
    strengths = np.random.default_rng(seed).uniform(0.1, 1, size=adjacency.shape)
    graph = TemporalGraph.from_adjacency(adjacency, strengths=strengths)
    assert (graph.to_paper_matrix() == naive.paper_matrix(adjacency)).all()
    weighted = graph.to_paper_matrix(strengths=True)
    assert (weighted == naive.paper_matrix(strengths * adjacency)).all()


def test_names_and_labels():
    assert default_names(3) == ("X1", "X2", "X3")
    assert (node_label("X", 0), node_label("X", 2)) == ("X(t)", "X(t-2)")
    assert TemporalGraph.from_adjacency(np.zeros((1, 2, 2))).names == ("X1", "X2")


def test_a_lag_0_cycle_is_refused_by_name():
    ring = np.zeros((1, 3, 3))
    ring[0, 0, 2] = ring[0, 2, 1] = ring[0, 1, 0] = 1
    with pytest.raises(GraphError, match=r"cycle .*(a -> c -> b|c -> b -> a|b -> a -> c)"):
        TemporalGraph.from_adjacency(ring, ["a", "b", "c"])


def test_lagged_cycles_are_fine():
    assert len(TemporalGraph.from_adjacency([np.zeros((2, 2)), np.ones((2, 2))]).edges()) == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.zeros((2, 2)),), r"shape \(2, 2\); expected three axes"),
        ((np.full((1, 2, 2), 0.5),), "other than 0 and 1"),
        ((np.zeros((1, 2, 2)), ["a"]), r"expected \[lag, source, target\] = \(K\+1, 1, 1\)"),
        ((np.zeros((1, 2, 3)),), r"shape \(1, 2, 3\); expected"),
        ((np.zeros((0, 2, 2)),), r"shape \(0, 2, 2\); expected"),
        ((np.zeros((1, 2, 2)), ["a", "a"]), "not distinct"),
        ((np.zeros((1, 2, 2)), ["a", "b"], np.zeros((2, 2, 2))), "expected the same shape"),
        ((np.eye(2)[None],), "cycle X1 -> X1"),
        ((np.zeros((1, 2, 2)), ["a", "b"], np.full((1, 2, 2), np.nan)), "not finite"),
    ],
)
def test_malformed_graphs_are_refused(arguments, message):
    with pytest.raises(GraphError, match=message):
        TemporalGraph.from_adjacency(*arguments)


def test_parents_of_a_stranger_are_refused(graph):
    with pytest.raises(GraphError, match="No variable named 'snow'"):
        graph.parents("snow")
