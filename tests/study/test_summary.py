"""Intervals against SciPy's tests, and reports that drop nothing."""

import numpy as np
import pytest
from scipy import stats

from chronodag.errors import DataError, SettingsError
from chronodag.study import cells, load, parse_study, report, summarise
from chronodag.study.figures import draw_summary
from chronodag.study.report import with_interval
from chronodag.study.store import Store
from chronodag.study.summary import Entry, Mean, mean_of
from chronodag.study.writing import write_report

STUDY = parse_study("""
name: table
description: A table.
seeds: [0, 1, 2, 3]
data: [{source: lorenz96, label: "d={d}", T: 100, grid: {d: [5, 10]}}]
methods:
  - {method: nts-notears, label: ours | new}
  - {method: empty}
  - {method: self-loops, when: {d: [5]}}
report: {metrics: [f1, seconds]}
""")
SCORES = {0: (0.9, 0.5), 1: (0.8, 0.5), 2: (0.95, 0.7), 3: (0.7, 0.4)}


def record(cell):
    """d=5 has scores; at d=10 one cell failed, one timed out, one has not run, one is fine."""
    if cell.data.label == "d=10" and cell.method.method == "nts-notears":
        if cell.seed == 3:
            return None
        status = {0: "failed", 1: "timeout"}.get(cell.seed, "ok")
        if status != "ok":
            return {"status": status, "error": f"{status} it did", "elapsed": 3.0}
    own = cell.method.method == "nts-notears"
    value = SCORES[cell.seed][0 if own else 1]
    scores = {"truth": {"f1": value, "auroc": None}}
    return {"status": "ok", "scores": scores, "seconds": 2.0, "elapsed": 3.0, "d": 5, "T": 100}


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    folder = tmp_path_factory.mktemp("out")
    store = Store(folder)
    with store.locked():
        for cell in cells(STUDY):
            if made := record(cell):
                store.write(cell, made, "table", {"commit": "abc"})
    return folder


def records(out):
    return Store(out).records()


def test_means_and_intervals_are_students():
    values = [0.3, 0.5, 0.9, 0.4]
    found = mean_of(values)
    interval = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    assert found.mean == pytest.approx(np.mean(values))
    assert (found.mean - found.half, found.mean + found.half) == pytest.approx(tuple(interval))
    assert mean_of([]) is None
    assert mean_of([2.0]) == Mean(2.0, None, 1)


def test_differences_are_paired(out):
    summary = summarise(STUDY, records(out), "f1", "truth")
    ours, empty = summary.entries["ours | new", "d=5"], summary.entries["empty", "d=5"]
    paired = stats.ttest_rel(*np.transpose([SCORES[seed][::-1] for seed in range(4)]))
    interval = paired.confidence_interval(0.95)
    found = empty.minus(ours)
    assert (found.mean - found.half, found.mean + found.half) == pytest.approx(tuple(interval))


def test_only_shared_data_sets_are_paired():
    one = Entry({("a", 0): 1.0, ("a", 1): 2.0})
    two = Entry({("a", 1): 0.5, ("b", 0): 9.0})
    assert one.minus(two) == Mean(1.5, None, 1)
    assert one.minus(Entry({})) is None


def test_nothing_is_dropped(out):
    summary = summarise(STUDY, records(out), "f1", "truth")
    entry = summary.entries["ours | new", "d=10"]
    assert entry.lost == {"failed": 1, "timeout": 1, "not run": 1}
    assert list(entry.values.values()) == [0.95]
    undefined = summarise(STUDY, records(out), "auroc", "truth").entries["empty", "d=5"]
    assert undefined.lost == {"undefined": 4}


def test_the_report(out):
    text = report(STUDY, out)
    assert "20 cells: 17 ok, 1 failed, 1 not run, 1 timeout." in text
    assert "| ours \\| new | 0.838 ± 0.176 | 0.950 (n=1) (1 failed, 1 timeout, 1 not run) |" in text
    assert "| self-loops | 0.525 ± 0.200 | not meant |" in text
    assert "| empty | **-0.312 ± 0.100** | -0.250 (n=1) (1 of 4 pairs) |" in text
    assert "- ours \\| new: 1 × timeout: timeout it did" in text
    assert "## seconds" in text
    assert "- Commit: abc." in text
    with pytest.raises(SettingsError, match="No metric is named 'f2'"):
        report(STUDY, out, ["f2"])


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Mean(0.5, 0.25, 3), "0.500 ± 0.250"),
        (Mean(123.456, 7.0, 3), "123.5 ± 7.0"),
        (Mean(0.5, None, 1), "0.500 (n=1)"),
    ],
)
def test_numbers(value, text):
    assert with_interval(value) == text


def test_the_picture_is_reproducible_and_says_what_failed(out, tmp_path):
    paths = write_report(STUDY, out)
    assert [path.name for path in paths] == ["report.md", "f1.png", "seconds.png"]
    first = paths[1].read_bytes()
    assert write_report(STUDY, out)[1].read_bytes() == first
    empty = summarise(STUDY, {}, "f1", "truth")
    texts = [text.get_text() for text in draw_summary(empty).axes[0].texts]
    assert "empty: 4 not run" in texts


def test_loading(out, tmp_path):
    table = load(out)
    assert table.num_rows == 19
    assert {"f1", "strengths", "environment"} <= set(table.column_names)
    with pytest.raises(DataError, match="holds no results"):
        load(tmp_path)
