"""Undirected edges against a twin that tries every direction."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import precision_recall_fscore_support

from chronodag.errors import GraphError
from chronodag.graph import TemporalGraph
from chronodag.metrics import compare
from chronodag.metrics.undirected import directed

SCORES = ("window", "lag0", "lagged_cross", "self_loops", "summary")


@st.composite
def cases(draw):
    """A truth, an estimate and undirected pairs that the estimate leaves free."""
    d, lags = draw(st.integers(2, 4)), draw(st.integers(1, 2))
    true, estimated, marks = draw(arrays(bool, (3, lags, d, d)))
    for graph in (true, estimated, marks):
        graph[0, range(d), range(d)] = False
    marks[1:] = False
    marks[0] |= marks[0].T
    marks[0] &= ~(estimated[0] | estimated[0].T)
    return true, estimated, marks


def every_orientation(estimated, marks):
    pairs = np.argwhere(np.triu(marks[0])).tolist()
    for turns in product((False, True), repeat=len(pairs)):
        graph = estimated.copy()
        for (i, j), turned in zip(pairs, turns, strict=True):
            graph[(0, j, i) if turned else (0, i, j)] = True
        yield graph


def merit(true, graph):
    result = compare(true, graph)
    return result.lag0.true_positives, result.summary.f1


@given(cases())
def test_the_better_and_the_worse_direction_by_trying_them_all(case):
    true, estimated, marks = case
    tried = [merit(true, graph) for graph in every_orientation(estimated, marks)]
    best = compare(true, estimated, undirected=marks)
    worst = compare(true, estimated, undirected=marks, favourable=False)
    assert (best.lag0.true_positives, best.summary.f1) == max(tried)
    assert (worst.lag0.true_positives, worst.summary.f1) == min(tried)


@given(cases())
def test_each_pair_is_one_claim_and_all_else_is_as_without(case):
    true, estimated, marks = case
    plain = compare(true, estimated)
    claims = np.triu(marks[0]).sum()
    for favourable in (True, False):
        result = compare(true, estimated, undirected=marks, favourable=favourable)
        for name in ("window", "lag0"):
            one, other = getattr(result, name), getattr(plain, name)
            gained = one.true_positives + one.false_positives
            assert gained == other.true_positives + other.false_positives + claims
        assert (result.lagged_cross, result.self_loops) == (plain.lagged_cross, plain.self_loops)
        assert result.auroc is plain.auroc or result.auroc == plain.auroc or np.isnan(plain.auroc)


@given(cases(), st.booleans())
def test_rates_match_sklearn_on_the_directed_cells(case, favourable):
    true, estimated, marks = case
    arrows = directed(true, estimated, marks[0], favourable)
    empty = not (true.any() or arrows.any())
    expected = precision_recall_fscore_support(
        true.ravel(), arrows.ravel(), average="binary", zero_division=1.0 if empty else 0.0
    )[:3]
    result = compare(true, estimated, undirected=marks, favourable=favourable)
    assert (result.precision, result.recall, result.f1) == pytest.approx(expected, abs=1e-15)


@given(cases(), st.booleans(), st.randoms(use_true_random=False))
def test_permuting_the_variables_changes_no_score(case, favourable, random):
    order = list(range(case[0].shape[1]))
    random.shuffle(order)
    true, estimated, marks = (graph[:, order][:, :, order] for graph in case)
    permuted = compare(true, estimated, undirected=marks, favourable=favourable)
    plain = compare(case[0], case[1], undirected=case[2], favourable=favourable)
    assert permuted.to_dict() == plain.to_dict()


def test_by_hand():
    true = np.zeros((2, 3, 3), dtype=bool)
    true[0, 0, 1] = True
    marks = np.zeros_like(true)
    marks[0, [0, 1, 1, 2], [1, 0, 2, 1]] = True  # 1 - 2 is right either way, 2 - 3 is wrong
    nothing = np.zeros_like(true)
    kind = compare(true, nothing, undirected=marks).window
    assert (kind.true_positives, kind.false_positives, kind.false_negatives) == (1, 1, 0)
    assert kind.shd == 1
    strict = compare(true, nothing, undirected=marks, favourable=False).window
    assert (strict.true_positives, strict.false_positives, strict.false_negatives) == (0, 2, 1)
    assert strict.shd == 2  # one reversal, one addition


def test_the_marks_follow_the_names_of_the_estimate():
    empty = np.zeros((1, 3, 3), dtype=bool)
    true = empty.copy()
    true[0, 0, 1] = True
    marks = empty.copy()
    marks[0, 0, 1] = marks[0, 1, 0] = True
    truth = TemporalGraph.from_adjacency(true, ["a", "b", "c"])
    same = TemporalGraph.from_adjacency(empty, ["b", "a", "c"])
    other = TemporalGraph.from_adjacency(empty, ["c", "a", "b"])
    assert compare(truth, same, undirected=marks).f1 == 1.0
    assert compare(truth, other, undirected=marks).f1 == 0.0


def change(array, *cells):
    for cell in cells:
        array[cell] = 1
    return array


@pytest.mark.parametrize(
    ("marks", "message"),
    [
        (np.zeros((1, 3, 3)), r"undirected has shape \(1, 3, 3\); expected .*\(2, 3, 3\)"),
        (np.full((2, 3, 3), 2), "array of 0 and 1"),
        (change(np.zeros((2, 3, 3)), (1, 0, 1), (1, 1, 0)), "marks at lag 0 only"),
        (change(np.zeros((2, 3, 3)), (0, 0, 1)), "not symmetric"),
        (change(np.zeros((2, 3, 3)), (0, 1, 1)), "not symmetric"),
        (change(np.zeros((2, 3, 3)), (0, 0, 2), (0, 2, 0)), "already joins"),
    ],
)
def test_bad_marks_are_refused(marks, message):
    estimated = change(np.zeros((2, 3, 3)), (0, 2, 0))
    with pytest.raises(GraphError, match=message):
        compare(np.zeros((2, 3, 3)), estimated, undirected=marks)
