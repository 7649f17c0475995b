"""Cuts that come nearest to a given graph."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronodag.errors import GraphError
from chronodag.graph import equivalent_thresholds


def f1(edges, found):
    return 2 * (edges & found).sum() / max(1, edges.sum() + found.sum())


@given(st.integers(0, 10_000))
def test_no_cut_agrees_better(seed):
    rng = np.random.default_rng(seed)
    strengths = np.round(rng.gamma(1.0, size=(2, 4, 4)), 1)  # ties and zeros
    edges = rng.random((2, 4, 4)) < 0.3
    cuts = equivalent_thresholds(strengths, edges)
    for cut, cells, true in zip(cuts, strengths, edges, strict=True):
        best = max(f1(true, (cells >= value) & (cells > 0)) for value in np.unique(cells))
        assert cut > 0
        if (true & (cells > 0)).any():
            assert f1(true, cells >= cut) == pytest.approx(best)
        else:
            assert not (cells >= cut).any()


@given(st.integers(0, 10_000), st.floats(0.2, 2.0))
def test_a_graph_by_thresholds_is_found_again(seed, threshold):
    strengths = np.random.default_rng(seed).gamma(1.0, size=(3, 4, 4))
    edges = strengths >= threshold
    cuts = equivalent_thresholds(strengths, edges)
    np.testing.assert_array_equal(strengths >= cuts[:, None, None], edges)


def test_a_lag_without_edges_is_cut_above_the_others():
    strengths = np.array([[[0.1, 0.9], [0.4, 0.2]], [[0.3, 0.1], [0.2, 0.1]]])
    edges = np.zeros(strengths.shape, bool)
    edges[0, 0, 1] = True
    first, second = equivalent_thresholds(strengths, edges)
    assert first == pytest.approx(0.65)
    assert second > first
    assert (equivalent_thresholds(strengths, ~edges & edges) > [0.9, 0.3]).all()


def test_shapes_are_checked():
    with pytest.raises(GraphError, match=r"\(2, 2\) and the adjacency \(2, 2\); expected the same"):
        equivalent_thresholds(np.eye(2), np.eye(2))
