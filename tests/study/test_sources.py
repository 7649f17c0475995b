"""Sources of data and of knowledge."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from chronodag.errors import DataError, SettingsError
from chronodag.study import Facts, Options, find_study, load, only, run
from chronodag.study.facts import draw_facts
from chronodag.study.sources import draw

NETSIM = Path(__file__).resolve().parents[3] / "shared" / "data" / "netsim"
PROCESS = {"d": 4, "lags": 2, "mechanism": "ANM"}


def truth(settings=PROCESS, seed=0):
    return draw("random-process", settings, seed).truths["truth"]


def test_the_same_seed_gives_the_same_data():
    for source, settings in (("lorenz96", {"d": 5, "T": 40}), ("random-process", PROCESS)):
        one, two, other = (draw(source, settings, seed) for seed in (1, 1, 2))
        np.testing.assert_array_equal(one.panel.values, two.panel.values)
        assert not np.array_equal(one.panel.values, other.panel.values)


def test_a_process_does_not_depend_on_the_rows():
    assert truth(PROCESS | {"T": 50}) == truth(PROCESS | {"T": 90})


def test_several_series():
    panel = draw("random-process", PROCESS | {"T": 30, "series": 3}, 0).panel
    assert panel.lengths == (30, 30, 30)


def test_unknown_sources_and_settings():
    with pytest.raises(SettingsError, match="No data source is named 'moon'"):
        draw("moon", {}, 0)
    with pytest.raises(SettingsError, match=r"'lorenz96' does not know a setting.*rows"):
        draw("lorenz96", {"rows": 3}, 0)
    with pytest.raises(SettingsError, match=r"source 'study_parts:gone' cannot be imported"):
        draw("study_parts:gone", {}, 0)


@pytest.fixture
def netsim(tmp_path):
    rows = np.random.default_rng(0).normal(size=(20, 5))
    np.savetxt(tmp_path / "sim1.csv", rows, delimiter=",", header="0,1,2,3,4", comments="")
    (tmp_path / "sim1_truth_tcdf.csv").write_text("0,0,1\n1,0,1\n2,2,1\n")
    return tmp_path


def test_netsim_has_two_truths(netsim):
    made = draw("netsim", {"sim": 1, "folder": str(netsim), "verify": False}, 0)
    assert (made.panel.length, made.panel.dimension) == (20, 5)
    assert list(made.truths) == ["simulator", "listed"]
    own, listed = (graph.adjacency for graph in made.truths.values())
    assert listed[1, 1, 0]
    assert not listed[1, 0, 1]
    np.testing.assert_array_equal(own, listed.transpose(0, 2, 1))
    assert own.sum() == 3


def test_netsim_by_the_environment(netsim, monkeypatch):
    monkeypatch.setenv("CHRONODAG_NETSIM", str(netsim))
    assert draw("netsim", {"sim": 1, "verify": False}, 0).panel.length == 20


def test_netsim_says_what_it_misses(netsim, monkeypatch):
    monkeypatch.delenv("CHRONODAG_NETSIM", raising=False)
    with pytest.raises(DataError, match=r"no folder came.*--data-folder.*CHRONODAG_NETSIM"):
        draw("netsim", {"sim": 1}, 0)
    with pytest.raises(DataError, match=r"is not a folder.*chronodag does not carry"):
        draw("netsim", {"sim": 1, "folder": str(netsim / "gone")}, 0)
    with pytest.raises(DataError, match=r"SHA-256 .*expected f1e041693576ea03"):
        draw("netsim", {"sim": 1, "folder": str(netsim)}, 0)


@pytest.mark.skipif(not NETSIM.is_dir(), reason="the NetSim files are not beside us")
def test_a_study_of_netsim_with_its_folder(tmp_path):
    study = only(find_study("fmri", quick=True), ["self-loops", "var-lasso"])
    state = run(study, tmp_path, Options(jobs=1, data_folder=str(NETSIM)))
    assert (state.done, state.failed) == (4, 0)
    scores = {
        (row["truth"], row["f1_self"])
        for row in load(tmp_path).to_pylist()
        if row["method"] == "self-loops"
    }
    assert scores == {("simulator", 1.0), ("listed", 1.0)}


def test_hockey_comes_with_what_is_known():
    made = draw("hockey", {"games": 2}, 3)
    assert len(made.panel.series) > 2
    assert made.panel.names == made.truths["truth"].names
    bounds = made.knowledge.compile(made.panel.names, 1, 0.3)
    goal = made.panel.names.index("goal")
    assert not bounds.upper[:, goal].any()
    assert not made.truths["truth"].adjacency[:, goal].any()
    assert draw("hockey", {"games": 2}, 3).panel.values.tolist() == made.panel.values.tolist()


@pytest.mark.parametrize("kind", ["forbid", "require"])
def test_more_facts_hold_the_fewer(kind):
    graph = truth()
    told = [set(draw_facts(graph, Facts(**{kind: share}), 3)) for share in (0.0, 0.3, 0.7, 1.0)]
    assert [len(rules) for rules in told] == sorted(len(rules) for rules in told)
    assert told[0] == set()
    assert all(fewer <= more for fewer, more in pairwise(told))


def test_all_facts_are_the_graph():
    graph = truth()
    bounds = draw_facts(graph, Facts(forbid=1.0, require=1.0), 0).compile(graph.names, 2, 0.3)
    np.testing.assert_array_equal(bounds.lower > 0, graph.adjacency)
    np.testing.assert_array_equal(bounds.upper > 0, graph.adjacency)


def test_facts_keep_to_their_lags():
    known = draw_facts(truth(), Facts(forbid=1.0, lags=(0,)), 0)
    assert all("@0" in line for line in str(known).splitlines()[1:])
