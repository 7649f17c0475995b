"""Study files: what they say is what the study is, and each mistake is told with its place."""

import re

import pytest

from chronodag.errors import SettingsError
from chronodag.study import Best, Facts, Limits, ReportSpec, parse_study, read_study

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


GRID = """
name: grid
seeds: [0]
data: [{source: lorenz96, label: "T={T}", d: 5, grid: {T: [100, 200]}}]
methods:
  - {method: dynotears, label: "DYNO", settings: {lags: 1},
     grid: {lambda_w: [0.1, 0.2], threshold: [0.01]}}
  - method: nts-notears
    group: told
    label: "told {require:.0%}"
    knowledge: {require: [0, 0.5], wrong: 0.1, lags: [0]}
  - {method: nts-notears, label: one, knowledge: {one: required}}
report: {focus: X1, curve: [require, T], best: {metric: f1, by: T}}
"""


def test_a_grid_of_settings_is_crossed():
    first, second = parse_study(GRID).methods[:2]
    assert first.settings == {"lags": 1, "lambda_w": 0.1, "threshold": 0.01}
    assert first.label == "DYNO (lambda_w=0.1, threshold=0.01)"
    assert second.label == "DYNO (lambda_w=0.2, threshold=0.01)"
    assert first.group == second.group == "DYNO"
    assert second.chosen == {"lambda_w": 0.2, "threshold": 0.01}


def test_shares_of_knowledge_are_crossed():
    nothing, half, one = parse_study(GRID).methods[2:]
    assert (nothing.label, half.label) == ("told 0%", "told 50%")
    assert half.knowledge == Facts(require=0.5, wrong=0.1, lags=(0,))
    assert half.group == "told"
    assert half.chosen == {"require": 0.5}
    assert one.knowledge == Facts(one="required")
    assert (one.group, one.chosen) == ("one", {})


def test_what_a_report_can_ask_for():
    report = parse_study(GRID).report
    assert report.focus == "X1"
    assert report.curve == ("require", "T")
    assert report.best == Best("f1", "T")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("{lambda_w: [0.1, 0.2]", "{lambda_w: 0.1"), r"grid.lambda_w is 0.1; expected a list"),
        (("settings: {lags: 1}", "settings: {threshold: 1}"), "either in settings or in grid"),
        (("{require:.0%}", "{required}"), r"methods\[1\].label is .*names of settings.*require"),
        (("[0, 0.5], wrong", "[0, 2], wrong"), r"knowledge.require\[1\] is 2; expected a share"),
        (("wrong: 0.1", "wrong: -1"), r"knowledge.wrong is -1; expected a share"),
        (("{one: required}", "{one: maybe}"), r"knowledge is .*expected {one: required}"),
        (("{one: required}", "{one: required, forbid: 1}"), r"knowledge is .*with lags at most"),
        (("curve: [require, T]", "curve: size"), "report.curve is 'size'; expected something that"),
        (("{metric: f1, by: T}", "{by: T}"), "report.best is .*expected {metric: what decides"),
        (("by: T}", "by: F}"), "report.best.by is 'F'; expected something that the study crosses"),
    ],
)
def test_mistakes_in_grids_and_reports(change, message):
    broken = GRID.replace(*change)
    assert broken != GRID
    with pytest.raises(SettingsError, match=message):
        parse_study(broken, "x.yaml")
