"""Sources of data and of knowledge."""

from itertools import pairwise

import numpy as np
import pytest

from chronodag.errors import DataError, SettingsError
from chronodag.study import Facts
from chronodag.study.facts import draw_facts
from chronodag.study.netsim import read_netsim
from chronodag.study.sources import draw

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
    rows = np.random.default_rng(0).normal(size=(20, 3))
    np.savetxt(tmp_path / "sim1.csv", rows, delimiter=",", header="0,1,2", comments="")
    (tmp_path / "sim1_truth_tcdf.csv").write_text("0,0,1\n1,0,1\n2,2,1\n")
    return tmp_path


def test_netsim_has_two_truths(netsim):
    panel, truths = read_netsim(1, str(netsim))
    assert (panel.length, panel.dimension) == (20, 3)
    assert list(truths) == ["simulator", "tcdf"]
    own, file = (graph.adjacency for graph in truths.values())
    assert file[1, 1, 0]
    assert not file[1, 0, 1]
    np.testing.assert_array_equal(own, file.transpose(0, 2, 1))
    assert own.sum() == 3


def test_netsim_by_the_environment(netsim, monkeypatch):
    monkeypatch.setenv("CHRONODAG_NETSIM", str(netsim))
    assert draw("netsim", {"sim": 1}, 0).panel.length == 20


def test_netsim_says_what_it_misses(netsim, monkeypatch):
    monkeypatch.delenv("CHRONODAG_NETSIM", raising=False)
    with pytest.raises(DataError, match=r"no folder came.*--data-folder"):
        read_netsim(1)
    with pytest.raises(DataError, match="is no folder"):
        read_netsim(1, str(netsim / "gone"))
    with pytest.raises(DataError, match=r"sim2.csv of NetSim cannot be read"):
        read_netsim(2, str(netsim))
    (netsim / "sim1_truth_tcdf.csv").write_text("0,0,2\n")
    with pytest.raises(DataError, match="has the row 0,0,2"):
        read_netsim(1, str(netsim))


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
