"""One variable in focus: its parents, their scores, and the table that lists them."""

import numpy as np
import pyarrow.parquet as pq
import pytest

from chronodag.errors import SettingsError
from chronodag.study import Options, load, parse_study, report, run
from chronodag.study.focus import parents
from chronodag.study.report import check_metric
from chronodag.study.store import Store

STUDY = """
name: focused
seeds: [0, 1]
data: [{source: "study_parts:walk", T: 60, label: walk}]
methods: [{method: self-loops}, {method: empty}]
report: {focus: FOCUS, metrics: [f1_focus, recall_focus]}
"""


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    folder = tmp_path_factory.mktemp("focus")
    run(parse_study(STUDY.replace("FOCUS", "X2")), folder, Options(jobs=1))
    return folder


def test_the_table_and_the_scores(out):
    text = report(parse_study(STUDY.replace("FOCUS", "X2")), out)
    assert "## Parents of X2, walk" in text
    assert "| X2(t-1) | yes | 2 of 2 | 0 of 2 |" in text
    assert "X1" not in text
    assert "| self-loops | 1.000 ± 0.000 |" in text
    assert "| empty | 0.000 ± 0.000 |" in text


def test_a_variable_that_is_none(out):
    with pytest.raises(SettingsError, match=r"report.focus is 'Y'; expected a variable.*X1, X2"):
        report(parse_study(STUDY.replace("FOCUS", "Y")), out)


def test_metrics_of_a_focus_need_one():
    with pytest.raises(SettingsError, match="the study names none"):
        check_metric("f1_focus")
    check_metric("f1_focus", "X1")


def test_results_without_the_truth_are_undefined(out, tmp_path):
    """Such as earlier versions wrote; together with new ones they still load."""
    (tmp_path / "cells").mkdir()
    for number, path in enumerate(sorted((out / "cells").iterdir())):
        table = pq.read_table(path)
        kept = table.drop_columns(["truth_adjacency"]) if number else table
        pq.write_table(kept, tmp_path / "cells" / path.name)
    assert load(tmp_path).num_rows == 4
    text = report(parse_study(STUDY.replace("FOCUS", "X2")), tmp_path)
    assert "undefined" in text


def test_the_graphs_of_a_store(out):
    graphs = Store(out).graphs([path.stem for path in (out / "cells").iterdir()])
    assert len(graphs) == 4
    assert all(len(row["truth_adjacency"]) == 18 for rows in graphs.values() for row in rows)


def row(found, true, undirected=None):
    return {
        "names": ["a", "b", "c"],
        "adjacency": np.ravel(found).tolist(),
        "truth_adjacency": np.ravel(true).tolist(),
        "undirected": None if undirected is None else np.ravel(undirected).tolist(),
    }


def cells_at(*places, lags=1):
    array = np.zeros((lags + 1, 3, 3), dtype=bool)
    for place in places:
        array[place] = True
    return array


def test_scores_count_edges_into_the_focus_alone():
    true = cells_at((0, 0, 2), (1, 1, 2), (1, 0, 1))
    found = cells_at((0, 0, 2), (1, 0, 2), (1, 2, 2), (1, 0, 0))
    scores = parents(row(found, true), "c").scores
    assert scores["precision_focus"] == pytest.approx(1 / 3)
    assert scores["recall_focus"] == pytest.approx(1 / 2)
    assert scores["f1_focus"] == pytest.approx(2 / 5)


def test_lags_may_differ():
    seen = parents(row(cells_at((2, 0, 2), lags=2), cells_at((1, 0, 2))), "c")
    assert seen.found.shape == seen.true.shape == (3, 3)
    assert seen.scores["f1_focus"] == 0.0


def test_an_undirected_edge_counts_favourably():
    both = cells_at((0, 0, 2), (0, 2, 0))
    true = cells_at((0, 0, 2))
    assert parents(row(cells_at(), true, both), "c").scores["f1_focus"] == 1.0
    assert parents(row(cells_at(), cells_at((0, 2, 0)), both), "c").scores["f1_focus"] == 1.0


def test_a_failed_result_has_no_parents():
    assert parents({"adjacency": None, "truth_adjacency": None}, "c") is None
