"""Facts told: nested shares, some of them wrong, and one that corrects a fit."""

from itertools import pairwise

import numpy as np
import pytest

from chronodag.errors import SettingsError
from chronodag.graph import TemporalGraph
from chronodag.rivals import Learned
from chronodag.study import Facts
from chronodag.study.facts import draw_facts, one_fact
from chronodag.study.sources import draw

SHARES = (0.1, 0.25, 0.5, 0.75, 1.0)


def truth(seed=0, degree=2):
    settings = {"d": 7, "lags": 1, "mechanism": "ANM", "degree": degree, "T": 20}
    return draw("random-process", settings, seed).truths["truth"]


def rules(graph, facts, seed=0):
    return set(draw_facts(graph, facts, seed))


def places(graph, known):
    """The cells that are required and those that are forbidden."""
    bounds = known.compile(graph.names, graph.lags, 0.3)
    return bounds.lower > 0, bounds.upper == 0


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("kind", ["forbid", "require"])
def test_more_facts_hold_the_fewer_though_some_are_wrong(kind, seed):
    graph = truth(seed)
    told = [
        rules(graph, Facts(**{kind: share}, wrong=0.2, lags=(0,)), seed) for share in SHARES[:-1]
    ]
    assert all(fewer <= more for fewer, more in pairwise(told))


@pytest.mark.parametrize("seed", range(8))
def test_the_wrong_share_is_wrong(seed):
    graph = truth(seed)
    possible = ~np.stack([np.eye(7, dtype=bool), np.zeros((7, 7), bool)])
    required, forbidden = places(graph, draw_facts(graph, Facts(require=0.5, wrong=0.2), seed))
    count = required.sum()
    assert count == round(0.5 * graph.adjacency.sum())
    assert abs((required & ~graph.adjacency).sum() - 0.2 * count) < 1
    required, forbidden = places(graph, draw_facts(graph, Facts(forbid=0.5, wrong=0.1), seed))
    told = forbidden & possible
    assert not required.any()
    assert abs((told & graph.adjacency).sum() - 0.1 * told.sum()) < 1


@pytest.mark.parametrize("seed", range(8))
def test_wrong_facts_contradict_nothing(seed):
    graph = truth(seed)
    for share in SHARES[:3]:
        known = draw_facts(graph, Facts(require=share, forbid=share, wrong=0.2), seed)
        required, forbidden = places(graph, known)  # compiling refuses cycles
        assert not (required & forbidden).any()


def test_nothing_wrong_is_the_truth():
    graph = truth()
    assert rules(graph, Facts(require=0.5, forbid=0.5)) == rules(
        graph, Facts(require=0.5, forbid=0.5, wrong=0.0)
    )
    required, forbidden = places(graph, draw_facts(graph, Facts(require=0.5, forbid=0.5), 0))
    assert not (required & ~graph.adjacency).any()
    assert not (forbidden & graph.adjacency).any()


def test_no_room_for_wrong_edges_is_told():
    graph = truth(degree=3)  # complete at lag 0: every further edge closes a cycle
    with pytest.raises(SettingsError, match=r"asks for 21 false statements.*room for 0"):
        draw_facts(graph, Facts(require=1.0, wrong=1.0, lags=(0,)), 0)


def small(*edges):
    adjacency = np.zeros((2, 3, 3), dtype=bool)
    for edge in edges:
        adjacency[edge] = True
    return TemporalGraph.from_adjacency(adjacency, ("a", "b", "c"))


def found(*edges, names=("a", "b", "c"), lags=1):
    strengths = np.zeros((lags + 1, 3, 3))
    for strength, edge in edges:
        strengths[edge] = strength
    return Learned(names, strengths, strengths > 0)


GRAPH = small((0, 0, 1), (1, 1, 2))


def test_the_strongest_wrong_edge_is_forbidden():
    learned = found((9.0, (0, 0, 1)), (0.5, (0, 2, 1)), (0.7, (1, 2, 0)))
    known, note = one_fact(GRAPH, learned, Facts(one="forbidden"), 0)
    assert [str(rule) for rule in known] == ["forbid c@1 -> a"]
    assert note == "told: forbid c@1 -> a"
    known, _ = one_fact(GRAPH, learned, Facts(one="forbidden", lags=(0,)), 0)
    assert [str(rule) for rule in known] == ["forbid c@0 -> b"]


def test_a_missed_edge_is_required():
    known, note = one_fact(GRAPH, found((1.0, (0, 0, 1))), Facts(one="required"), 0)
    assert [str(rule) for rule in known] == ["require b@1 -> c"]
    assert note == "told: require b@1 -> c"


def test_names_and_lags_need_not_agree():
    learned = found((1.0, (0, 1, 2)), (2.0, (2, 0, 0)), names=("c", "a", "b"), lags=2)
    known, _ = one_fact(GRAPH, learned, Facts(one="required"), 0)
    assert [str(rule) for rule in known] == ["require b@1 -> c"]
    assert len(one_fact(GRAPH, learned, Facts(one="forbidden"), 0)[0]) == 0


def test_where_nothing_is_wrong_nothing_is_told():
    learned = found((1.0, (0, 0, 1)), (1.0, (1, 1, 2)))
    for one in ("required", "forbidden"):
        known, note = one_fact(GRAPH, learned, Facts(one=one), 0)
        assert len(known) == 0
        assert "told nothing" in note


def test_keys_of_earlier_results_stay():
    assert Facts(forbid=0.5).to_dict() == {"forbid": 0.5, "require": 0.0, "lags": None}
    assert Facts(require=0.5, wrong=0.1).to_dict()["wrong"] == 0.1
    assert Facts(one="required").to_dict()["one"] == "required"
