"""Counts and SHD against slow, obvious twins."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from chronodag.metrics.compare import Comparison, compare
from chronodag.metrics.edges import reversed_edges


@st.composite
def pairs_of_graphs(draw, acyclic=False):
    """Two 0/1 arrays [lag, source, target] of one shape, without lag-0 loops."""
    d, lags = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    both = draw(arrays(bool, (2, lags, d, d)))
    both[:, 0, range(d), range(d)] = False
    if acyclic:
        orders = [draw(st.permutations(range(d))) for _ in both]
        for graph, order in zip(both, orders, strict=True):
            graph[0] = np.triu(graph[0])[np.ix_(order, order)]
    return both[0], both[1]


def slow_counts(true, estimated, belongs):
    """Return (hits, false alarms, misses) by visiting the cells one by one."""
    hits = false_alarms = misses = 0
    lags, d, _ = true.shape
    for k in range(lags):
        for i in range(d):
            for j in range(d):
                if not belongs(k, i, j):
                    continue
                hits += true[k, i, j] and estimated[k, i, j]
                false_alarms += (not true[k, i, j]) and estimated[k, i, j]
                misses += true[k, i, j] and not estimated[k, i, j]
    return hits, false_alarms, misses


def slow_lag_zero_shd(true, estimated):
    """Return the fewest changes per pair of nodes, each adding, deleting or turning one edge."""
    changes = 0
    d = len(true)
    for i in range(d):
        for j in range(i):
            before = (bool(estimated[i, j]), bool(estimated[j, i]))
            after = (bool(true[i, j]), bool(true[j, i]))
            steps, reached = 0, {before}
            while after not in reached:
                steps += 1
                reached |= {(not a, b) for a, b in reached} | {(a, not b) for a, b in reached}
                reached |= {(b, a) for a, b in reached if a != b}
            changes += steps
    return changes


GROUPS = {
    "window": lambda k, i, j: True,
    "lag0": lambda k, i, j: k == 0,
    "lagged_cross": lambda k, i, j: k > 0 and i != j,
    "self_loops": lambda k, i, j: k > 0 and i == j,
}


def counts(score):
    return score.true_positives, score.false_positives, score.false_negatives


@given(pairs_of_graphs())
def test_counts_match_the_slow_twin(pair):
    true, estimated = pair
    result = compare(true, estimated)
    for name, belongs in GROUPS.items():
        assert counts(getattr(result, name)) == slow_counts(true, estimated, belongs)
    summaries = true.any(axis=0)[None], estimated.any(axis=0)[None]
    assert counts(result.summary) == slow_counts(*summaries, lambda k, i, j: i != j)


@given(pairs_of_graphs())
def test_shd_is_the_fewest_single_changes(pair):
    true, estimated = pair
    result = compare(true, estimated)
    assert result.lag0.shd == slow_lag_zero_shd(true[0], estimated[0])
    assert result.lagged_cross.shd + result.self_loops.shd == (true[1:] != estimated[1:]).sum()
    assert result.shd == result.lag0.shd + result.lagged_cross.shd + result.self_loops.shd


@given(pairs_of_graphs())
def test_rates_match_sklearn(pair):
    from sklearn.metrics import precision_recall_fscore_support

    true, estimated = pair
    result = compare(true, estimated)
    empty = not (true.any() or estimated.any())
    expected = precision_recall_fscore_support(
        true.ravel(), estimated.ravel(), average="binary", zero_division=1.0 if empty else 0.0
    )[:3]
    assert (result.precision, result.recall, result.f1) == pytest.approx(expected, abs=1e-15)


@given(pairs_of_graphs())
def test_swapping_the_graphs_swaps_precision_and_recall(pair):
    there, back = compare(*pair), compare(*pair[::-1])
    assert there.precision == back.recall
    assert there.f1 == back.f1
    assert there.shd == back.shd


@given(pairs_of_graphs(), st.randoms(use_true_random=False))
def test_permuting_the_variables_changes_no_score(pair, random):
    order = list(range(pair[0].shape[1]))
    random.shuffle(order)
    permuted = [graph[:, order][:, :, order] for graph in pair]
    assert compare(*permuted).to_dict() == compare(*pair).to_dict()


@given(pairs_of_graphs())
def test_a_graph_equals_itself(pair):
    result = compare(pair[0], pair[0])
    for name in (*GROUPS, "summary"):
        score = getattr(result, name)
        assert (score.f1, score.precision, score.recall, score.shd) == (1.0, 1.0, 1.0, 0)


def test_conventions_for_empty_graphs():
    empty, full = np.zeros((2, 2, 2), dtype=bool), np.zeros((2, 2, 2), dtype=bool)
    full[1] = True
    both: Comparison = compare(empty, empty)
    assert (both.f1, both.precision, both.recall, both.shd) == (1.0, 1.0, 1.0, 0)
    for result in (compare(full, empty), compare(empty, full)):
        assert (result.f1, result.precision, result.recall, result.shd) == (0.0, 0.0, 0.0, 4)
        assert result.lag0.f1 == 1.0  # nothing there in either


def test_a_reversal_counts_once_at_lag_zero_and_twice_elsewhere():
    true, estimated = np.zeros((2, 3, 3), dtype=bool), np.zeros((2, 3, 3), dtype=bool)
    true[:, 0, 1] = True
    estimated[:, 1, 0] = True
    result = compare(true, estimated)
    assert (result.lag0.shd, result.lagged_cross.shd, result.summary.shd) == (1, 2, 2)
    assert (result.lag0.false_positives, result.lag0.false_negatives) == (1, 1)
    assert reversed_edges(true[0], estimated[0]).nonzero() == (1, 0)


def test_the_papers_example_has_shd_four():
    """Two reversed, one missed at lag 0 and one missed at lag 1: the caption counts 4."""
    true = np.zeros((2, 7, 7), dtype=bool)
    true[0, [1, 3, 1], [2, 2, 4]] = True
    true[1, [3, 0], [6, 6]] = True
    estimated = true.copy()
    estimated[0, [1, 3, 1], [2, 2, 4]] = False
    estimated[0, [2, 2], [1, 3]] = True
    estimated[1, 3, 6] = False
    assert compare(true, estimated).shd == 4
