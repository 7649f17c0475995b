"""The studies that come along: all can be read, and ask of methods only what these know."""

import pytest

from chronodag import rivals
from chronodag.errors import SettingsError
from chronodag.study import Options, builtin_studies, cells, find_study, only, run
from chronodag.study.methods import known_settings, takes_knowledge
from chronodag.study.report import check_metric
from chronodag.study.sources import find_source


@pytest.mark.parametrize("name", builtin_studies())
@pytest.mark.parametrize("quick", [False, True], ids=["whole", "quick"])
def test_a_study_is_sound(name, quick):
    study = find_study(name, quick=quick)
    assert study.name == name
    assert 20 < len(study.description) < 110
    found = cells(study)
    assert len({cell.key for cell in found}) == len(found) > 0
    for metric in study.report.metrics:
        check_metric(metric, study.report.focus)
    for spec in study.data:
        find_source(spec.source)
        study.report.columns.format(**{**spec.settings, "label": spec.label})
    for spec in {cell.method.label: cell.method for cell in found}.values():
        if spec.method in rivals.names():
            assert set(spec.settings) <= set(known_settings(spec.method)), spec.label
            assert spec.knowledge is None or takes_knowledge(spec.method), spec.label


def test_the_simulated_study_is_the_papers():
    study = find_study("simulated")
    assert len(study.data) == 3 * 4 * 2 * 4
    assert len(study.seeds) == 10
    headings = {study.report.columns.format(**spec.settings, label="") for spec in study.data}
    assert len(headings) == 24
    l1 = {
        cell.data.settings["T"]: cell.method.settings["l1"]
        for cell in cells(study)
        if cell.method.label == "NTS-NOTEARS (paper)"
    }
    assert l1 == {200: 0.01, 1000: 0.001}


def test_the_validation_study_is_the_papers():
    study = find_study("simulated-validation")
    assert len(study.seeds) == 1
    assert not set(study.seeds) & {*find_study("simulated").seeds}
    kinds = {tuple(spec.settings[key] for key in ("scheme", "mechanism")) for spec in study.data}
    assert kinds == {("BA", "AIM")}
    assert {spec.settings["d"] for spec in study.data} == {5, 10, 15, 20}
    labels = {spec.label for spec in study.data}
    for group in {spec.group for spec in study.methods}:
        met = {cell.data.label for cell in cells(study) if cell.method.group == group}
        assert met == ({one for one in labels if "T=200 " in one} if "GPDC" in group else labels)


def test_hockey_asks_what_drives_a_goal():
    study = find_study("hockey")
    assert study.report.focus == "goal"
    paper = study.methods[0].settings
    assert paper == {"lags": 1, "hidden": "d", "l1": 0.001, "l2": 0.005, "threshold": 0.5}


def test_the_controls_of_smoke_run(tmp_path):
    study = only(find_study("smoke"), ["self-loops", "empty"])
    state = run(study, tmp_path, Options(jobs=1))
    assert (state.done, state.failed) == (12, 0)


def test_unknown_names():
    with pytest.raises(SettingsError, match=r"No study is named 'smoky'; expected one of fmri"):
        find_study("smoky")
