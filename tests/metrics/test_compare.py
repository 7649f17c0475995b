"""`compare`: matching names and lags, the strengths, and the forms of the result."""

import dataclasses
import json
import math

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

from chronodag.errors import GraphError
from chronodag.graph import TemporalGraph
from chronodag.metrics import Comparison, Score, compare
from chronodag.metrics.align import align


def random_graph(rng, d=5, lags=2, names=None):
    strengths = rng.gamma(1.0, size=(lags + 1, d, d))
    adjacency = rng.random((lags + 1, d, d)) < 0.4
    adjacency[0] = np.triu(adjacency[0], 1)
    np.fill_diagonal(strengths[0], 0.0)
    return TemporalGraph.from_adjacency(adjacency, names, strengths)


def reordered(graph, order):
    return TemporalGraph.from_adjacency(
        graph.adjacency[:, order][:, :, order],
        [graph.names[i] for i in order],
        graph.strengths[:, order][:, :, order],
    )


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def test_names_in_another_order_are_matched(rng):
    true, estimated = random_graph(rng), random_graph(rng)
    shuffled = reordered(estimated, [3, 0, 4, 2, 1])
    assert compare(true, shuffled) == compare(true, estimated)
    pair = align(true, shuffled)
    assert pair.names == true.names
    np.testing.assert_array_equal(pair.strengths, estimated.strengths)
    assert compare(true, reordered(true, [4, 3, 2, 1, 0])).shd == 0


def test_different_names_are_refused(rng):
    true = random_graph(rng, d=2, names=["a", "b"])
    with pytest.raises(GraphError, match=r"only the true one has \['b'\].*one has \['c'\]"):
        compare(true, random_graph(rng, d=2, names=["a", "c"]))
    with pytest.raises(GraphError, match="2 variables and the estimated one 3"):
        compare(true, random_graph(rng, d=3))


def test_the_one_with_fewer_lags_is_padded(rng):
    true, estimated = random_graph(rng, lags=2), random_graph(rng, lags=1)
    longer = np.concatenate([estimated.adjacency, np.zeros((1, 5, 5), dtype=bool)])
    strengths = np.concatenate([estimated.strengths, np.zeros((1, 5, 5))])
    padded = TemporalGraph.from_adjacency(longer, None, strengths)
    assert compare(true, estimated) == compare(true, padded)
    assert compare(estimated, true).window == compare(padded, true).window


def test_rankings_match_sklearn(rng):
    true, estimated = random_graph(rng), random_graph(rng)
    result = compare(true, estimated)
    cross = np.broadcast_to(~np.eye(5, dtype=bool), true.adjacency.shape)
    truth, values = true.adjacency, estimated.strengths
    assert result.auroc == pytest.approx(roc_auc_score(truth.ravel(), values.ravel()))
    assert result.auprc == pytest.approx(average_precision_score(truth.ravel(), values.ravel()))
    assert result.auroc_without_self == pytest.approx(roc_auc_score(truth[cross], values[cross]))
    assert result.auprc_without_self == pytest.approx(
        average_precision_score(truth[cross], values[cross])
    )


def test_self_loops_alone_rank_at_chance_between_different_variables():
    """The control that the fMRI sets need: good over all cells, worthless without self cells."""
    true = np.zeros((2, 4, 4), dtype=bool)
    true[1] = np.eye(4) + np.eye(4, k=1)
    own = np.zeros((2, 4, 4))
    own[1] = np.eye(4)
    result = compare(true, TemporalGraph.from_adjacency(own))
    assert result.auroc > 0.75
    assert result.auroc_without_self == 0.5
    assert result.self_loops.f1 == 1.0
    assert result.lagged_cross.f1 == result.summary.f1 == 0.0


def test_arrays_are_accepted_and_have_no_ranking(rng):
    true, estimated = random_graph(rng), random_graph(rng)
    by_graph = compare(true, estimated)
    for array in (estimated.adjacency, estimated.adjacency.astype(int), estimated.adjacency * 1.0):
        result = compare(true, array)
        assert result.window == by_graph.window
        assert math.isnan(result.auroc)
        assert math.isnan(result.auprc_without_self)
    assert compare(true.adjacency.tolist(), estimated) == by_graph
    named = random_graph(rng, names=list("vwxyz"))
    assert align(true.adjacency, named).names == named.names
    assert align(true.adjacency, estimated.adjacency).names == ("X1", "X2", "X3", "X4", "X5")


def test_rankings_are_undefined_without_edges(rng):
    result = compare(np.zeros((2, 5, 5)), random_graph(rng))
    assert math.isnan(result.auroc)
    assert math.isnan(result.auprc)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros((3, 3)), r"shape \(3, 3\); expected \(K\+1, d, d\)"),
        (np.zeros((2, 3, 4)), r"shape \(2, 3, 4\); expected"),
        (np.zeros((0, 3, 3)), r"shape \(0, 3, 3\); expected"),
        (np.full((1, 3, 3), 0.5), "values other than 0 and 1.*threshold_strengths"),
        (np.full((1, 3, 3), "1"), "values other than 0 and 1"),
        (np.full((1, 3, 3), math.nan), "values other than 0 and 1"),
        (np.ones((1, 3, 3)), "drives itself at lag 0"),
    ],
)
def test_bad_arrays_are_refused(array, message):
    fine = np.zeros((1, 3, 3))
    with pytest.raises(GraphError, match="true graph .*" + message):
        compare(array, fine)
    with pytest.raises(GraphError, match="estimated graph .*" + message):
        compare(fine, array)


def test_the_inputs_are_not_changed(rng):
    arrays = [graph.adjacency.copy() for graph in (random_graph(rng), random_graph(rng))]
    before = [array.copy() for array in arrays]
    compare(*arrays)
    for array, was in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(array, was)


def test_the_result_is_frozen_and_has_shortcuts(rng):
    result = compare(random_graph(rng), random_graph(rng))
    assert isinstance(result, Comparison)
    assert isinstance(result.lag0, Score)
    window = result.window
    shortcuts = (result.f1, result.precision, result.recall, result.shd)
    assert shortcuts == (window.f1, window.precision, window.recall, window.shd)
    for frozen, field in ((result, "auroc"), (window, "f1")):
        with pytest.raises(dataclasses.FrozenInstanceError, match=field):
            setattr(frozen, field, 1.0)


def test_to_dict_is_ready_for_json(rng):
    true, estimated = random_graph(rng), random_graph(rng)
    result = compare(true, estimated).to_dict()
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    assert result["window"]["f1"] == compare(true, estimated).f1
    assert compare(true, estimated.adjacency).to_dict()["auroc"] is None


def test_table_is_plain_text():
    true, estimated = np.zeros((2, 2, 2)), np.zeros((2, 2, 2))
    true[1] = estimated[0, 0, 1] = 1
    text = compare(true, estimated).table()
    assert text.isascii()
    lines = text.splitlines()
    assert lines[0].split() == ["F1", "precision", "recall", "SHD", "true", "edges"]
    assert lines[1].split() == ["all", "cells", "0.000", "0.000", "0.000", "5", "4"]
    assert lines[-1] == "strengths, without self: AUROC undefined, AUPRC undefined"
    assert len({len(line) for line in lines[:6]}) == 1


def test_metrics_import_neither_sklearn_nor_scipy():
    import subprocess
    import sys

    code = (
        "import sys, chronodag.metrics; "
        "print([m for m in ('sklearn', 'scipy', 'jax', 'matplotlib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
