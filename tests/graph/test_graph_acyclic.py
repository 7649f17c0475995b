"""Cycles in a drawn lag-0 graph: against networkx, and against what the docstrings promise."""

import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import naive
from chronodag.graph import break_cycles, find_cycle, topological_order


@st.composite
def digraphs(draw, largest=7):
    d = draw(st.integers(1, largest))
    return draw(arrays(bool, (d, d)))


@st.composite
def weighted_digraphs(draw, largest=6):
    """Strengths (few values: ties are common), edges without self-loops, an acyclic `keep`."""
    d = draw(st.integers(1, largest))
    adjacency = draw(arrays(bool, (d, d))) & ~np.eye(d, dtype=bool)
    strengths = draw(arrays(float, (d, d), elements=st.sampled_from([0.1, 0.2, 0.3, 0.4, 1e-9])))
    rank = np.array(draw(st.permutations(range(d))))
    keep = draw(arrays(bool, (d, d))) & adjacency & (rank[:, None] < rank[None, :])
    return strengths, adjacency, keep


def is_dag(adjacency):
    return nx.is_directed_acyclic_graph(nx.from_numpy_array(adjacency, create_using=nx.DiGraph))


@given(digraphs())
def test_topological_order_exists_exactly_for_acyclic_graphs(adjacency):
    order = topological_order(adjacency)
    assert (order is not None) == is_dag(adjacency) == naive.is_acyclic(adjacency)
    if order is not None:
        place = {node: index for index, node in enumerate(order)}
        assert sorted(order) == list(range(len(adjacency)))
        assert all(place[i] < place[j] for i, j in np.argwhere(adjacency))


@given(digraphs())
def test_find_cycle_returns_a_walkable_cycle_or_none(adjacency):
    before = adjacency.copy()
    cycle = find_cycle(adjacency)
    assert (cycle is None) == is_dag(adjacency)
    if cycle is not None:
        assert len(set(cycle)) == len(cycle)
        following = [*cycle[1:], cycle[0]]
        assert all(adjacency[i, j] for i, j in zip(cycle, following, strict=True))
    assert (adjacency == before).all()


@given(weighted_digraphs())
def test_break_cycles_is_acyclic_keeps_keep_and_is_maximal(case):
    strengths, adjacency, keep = case
    taken = break_cycles(strengths, adjacency, keep)
    assert is_dag(taken)
    assert not (taken & ~adjacency).any(), "it invented an edge"
    assert not (keep & ~taken).any(), "it lost a required edge"
    for source, target in np.argwhere(adjacency & ~taken):
        assert naive.reaches(taken, target, source), "this edge could have stayed"


@given(weighted_digraphs())
def test_break_cycles_loses_an_edge_only_to_stronger_ones(case):
    strengths, adjacency, keep = case
    taken = break_cycles(strengths, adjacency, keep)
    for source, target in np.argwhere(adjacency & ~taken):
        stronger = taken & (keep | (strengths >= strengths[source, target]))
        assert naive.reaches(stronger, target, source)


@given(weighted_digraphs())
def test_break_cycles_leaves_its_arguments_and_acyclic_graphs_alone(case):
    strengths, adjacency, keep = case
    before = [array.copy() for array in case]
    taken = break_cycles(strengths, adjacency, keep)
    assert all((new == old).all() for new, old in zip(case, before, strict=True))
    again = break_cycles(strengths, taken, keep)
    assert (again == taken).all()
    assert again is not taken
    if is_dag(adjacency):
        assert (taken == adjacency).all()


def test_break_cycles_takes_the_weakest_edge_of_a_ring():
    strengths = np.array([[0, 0.9, 0], [0, 0, 0.4], [0.6, 0, 0]])
    taken = break_cycles(strengths, strengths > 0, np.zeros((3, 3), dtype=bool))
    assert np.argwhere(taken).tolist() == [[0, 1], [2, 0]]


def test_break_cycles_gives_a_required_edge_precedence_over_stronger_ones():
    strengths = np.array([[0, 0.9], [0.1, 0]])
    keep = np.array([[False, False], [True, False]])
    assert np.argwhere(break_cycles(strengths, strengths > 0, keep)).tolist() == [[1, 0]]
