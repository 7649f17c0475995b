"""Study files: what they say is what the study is, and each mistake is told with its place."""

import re

import pytest

from chronodag.errors import SettingsError
from chronodag.study import Facts, Limits, ReportSpec, parse_study, read_study

WHOLE = """
name: whole
description: >
  Two lines
  become one.
seeds: {from: 5, count: 3}
data:
  - {source: lorenz96, label: "F={forcing} d={d}", T: 100, grid: {forcing: [10, 40], d: [5, 10]}}
  - {source: random-process, d: 4, standardize: false}
methods:
  - {method: nts-notears, label: ours, settings: {hidden: "2d", l1: [0.1, 0.01]},
     knowledge: {forbid: 0.5, lags: [0]}}
  - {method: empty, when: {T: [100]}}
limits: {seconds: 5, memory_gib: 1.5, threads: 1}
report: {metrics: [shd], columns: "{label}", reference: empty}
warm_up: true
quick: {seeds: [0], limits: {seconds: 1}}
"""


def test_a_whole_file():
    study = parse_study(WHOLE)
    assert study.name == "whole"
    assert study.description == "Two lines become one."
    assert study.seeds == (5, 6, 7)
    assert [spec.label for spec in study.data] == [
        "F=10 d=5", "F=10 d=10", "F=40 d=5", "F=40 d=10", "random-process"
    ]  # fmt: skip
    assert study.data[1].settings == {"T": 100, "forcing": 10, "d": 10}
    assert [spec.standardize for spec in study.data] == [True] * 4 + [False]
    assert study.methods[0].settings == {"hidden": "2d", "l1": [0.1, 0.01]}
    assert study.methods[0].knowledge == Facts(forbid=0.5, lags=(0,))
    assert study.methods[1].when == {"T": ("100",)}
    assert study.limits == Limits(seconds=5.0, memory_gib=1.5, threads=1)
    assert study.report == ReportSpec(metrics=("shd",), reference="empty")
    assert study.warm_up
    assert not study.one_at_a_time


def test_quick_replaces_sections():
    study = parse_study(WHOLE, quick=True)
    assert study.seeds == (0,)
    assert study.limits == Limits(seconds=1.0)
    assert len(study.data) == 5


def test_a_label_of_its_own():
    study = parse_study(WHOLE.replace('label: "F={forcing} d={d}", ', ""))
    assert study.data[0].label == "lorenz96 forcing=10 d=5"


def test_a_file(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(WHOLE)
    assert read_study(path) == parse_study(WHOLE)
    with pytest.raises(SettingsError, match=r"'.*gone.yaml' cannot be read"):
        read_study(tmp_path / "gone.yaml")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("seeds:", "seed:"), "x.yaml: seed is no key of a study; .* Did you mean 'seeds'?"),
        (("{from: 5, count: 3}", "{from: 5}"), "x.yaml: seeds is .*expected {from"),
        (("{from: 5, count: 3}", "[1, 1]"), "x.yaml: seeds is .*distinct"),
        (("{from: 5, count: 3}", "[]"), "x.yaml: seeds is .*at least one"),
        (("{from: 5, count: 3}", "[-1]"), r"x.yaml: seeds\[0\] is -1; expected a whole number"),
        (("source: lorenz96, ", ""), r"x.yaml: data\[0\] is .*source:"),
        (("[10, 40]", "10"), r"x.yaml: data\[0\].grid.forcing is 10; expected a list"),
        (("T: 100, grid", "d: 3, grid"), r"x.yaml: data\[0\].*either as a setting or in grid"),
        (("F={forcing} d={d}", "F={force}"), r"x.yaml: data\[0\].label is .*names of settings"),
        (("F={forcing} d={d}", "F={forcing}"), "x.yaml: two entries of data have the label 'F=10'"),
        (("standardize: false", "standardize: 0"), r"data\[1\].standardize is 0; expected true"),
        (("label: ours, ", "label: empty, "), "two entries of methods have the label 'empty'"),
        (("settings: {hidden", "setting: {hidden"), r"methods\[0\].setting is no key"),
        (("forbid: 0.5", "forbid: 1.5"), r"methods\[0\].knowledge.forbid is 1.5; expected a share"),
        (("seconds: 5", "seconds: 0"), "limits.seconds is 0; expected a number greater than 0"),
        (("threads: 1", "threads: true"), "limits.threads is True; expected a whole number"),
        (("reference: empty", "reference: full"), "report.reference is 'full'; expected the label"),
        (("warm_up: true", "warm_up: 1"), "warm_up is 1; expected true or false"),
        (("name: whole", "name: ''"), "x.yaml: name is ''; expected a text"),
        (("name: whole", "seeds: [1]"), "the key 'seeds' occurs twice"),
        (("name: whole", "name: [whole"), "x.yaml is not well-formed YAML"),
        (("name: whole\n", "1: whole\n"), "text for every key"),
        (("name: whole\n", ""), "x.yaml has no name: section"),
    ],
)
def test_mistakes(change, message):
    broken = WHOLE.replace(*change)
    assert broken != WHOLE
    with pytest.raises(SettingsError, match=message):
        parse_study(broken, "x.yaml")


def test_a_list_is_no_study():
    with pytest.raises(SettingsError, match=re.escape("x.yaml is ['a']; expected a mapping")):
        parse_study("[a]", "x.yaml")


def test_quick_needs_its_section():
    with pytest.raises(SettingsError, match="no quick: section"):
        parse_study(WHOLE.replace("quick:", "#"), quick=True)
