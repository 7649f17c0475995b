"""Scores against `compare`, and undirected edges both ways."""

import numpy as np
import pytest

from chronodag.graph import TemporalGraph, threshold_strengths
from chronodag.metrics import compare
from chronodag.rivals import Learned
from chronodag.study.scores import METRICS, oriented, score

NAMES = ("a", "b", "c")


def graph(*edges):
    adjacency = np.zeros((2, 3, 3), dtype=bool)
    for edge in edges:
        adjacency[edge] = True
    return TemporalGraph.from_adjacency(adjacency, NAMES)


def marked(*pairs):
    both = np.zeros((2, 3, 3), dtype=bool)
    for i, j in pairs:
        both[0, i, j] = both[0, j, i] = True
    return both


def test_directed_graphs_score_as_compare_says():
    rng = np.random.default_rng(0)
    truth = graph((0, 0, 1), (1, 0, 0), (1, 2, 1))
    strengths = rng.uniform(size=(2, 3, 3))
    strengths[0] = np.triu(strengths[0], 1)
    found = TemporalGraph(NAMES, threshold_strengths(strengths, 0.5, NAMES).adjacency, strengths)
    values = score(truth, Learned(NAMES, strengths, found.adjacency))
    expected = compare(truth, found)
    assert values["f1"] == values["f1_strict"] == expected.f1
    assert values["shd"] == expected.shd
    assert values["f1_lag0"] == expected.lag0.f1
    assert values["f1_lagged"] == expected.lagged_cross.f1
    assert values["f1_self"] == expected.self_loops.f1
    assert values["f1_summary"] == expected.summary.f1
    assert values["auroc"] == pytest.approx(expected.auroc)
    assert values["auprc_without_self"] == pytest.approx(expected.auprc_without_self)
    assert set(values) == set(METRICS)


def test_names_in_another_order():
    truth = graph((1, 0, 1), (1, 1, 2))
    order = [2, 0, 1]
    turned = truth.adjacency[:, order][:, :, order]
    learned = Learned(tuple(NAMES[i] for i in order), turned.astype(float), turned)
    values = score(truth, learned)
    assert values["f1"] == values["auroc"] == 1.0


def test_undirected_edges_both_ways():
    truth = graph((0, 0, 1), (0, 2, 1))
    learned = Learned(NAMES, np.zeros((2, 3, 3)), np.zeros((2, 3, 3), bool), marked((0, 1), (0, 2)))
    values = score(truth, learned)
    assert values["edges"] == 2
    assert (values["precision"], values["recall"]) == (0.5, 0.5)
    assert values["shd"] == 2
    assert (values["f1_strict"], values["shd_strict"]) == (0.0, 2.0)


def test_orienting():
    truth = graph((0, 1, 0))
    turned = oriented(truth, marked((0, 1), (1, 2)))
    assert [tuple(map(int, place)) for place in np.argwhere(turned)] == [(0, 1, 0), (0, 1, 2)]


def test_cycles_at_lag_0_are_scored():
    adjacency = np.zeros((2, 3, 3), dtype=bool)
    adjacency[0, [0, 1, 2], [1, 2, 0]] = True
    values = score(graph((0, 0, 1)), Learned(NAMES, adjacency.astype(float), adjacency))
    assert values["precision"] == pytest.approx(1 / 3)


def test_undefined_rankings_are_none():
    values = score(graph(), Learned(NAMES, np.zeros((2, 3, 3)), np.zeros((2, 3, 3), bool)))
    assert values["auroc"] is None
    assert values["f1"] == 1.0
