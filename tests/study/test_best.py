"""The best settings of a grid, and curves along an axis."""

import numpy as np
import pytest

from chronodag.study import cells, find_study, parse_study
from chronodag.study.best import best_lines, choose
from chronodag.study.curve_figures import draw_curves
from chronodag.study.curves import curves
from chronodag.study.figures import within_range
from chronodag.study.report import report
from chronodag.study.store import Store
from chronodag.study.summary import mean_of
from chronodag.study.writing import write_report

STUDY = parse_study("""
name: tuned
seeds: [0, 1]
data: [{source: lorenz96, label: "T={T}", d: 5, grid: {T: [100, 200]}}]
methods:
  - {method: dynotears, label: DYNO, grid: {lambda_w: [0.1, 0.2], threshold: [0.1, 0.3]}}
  - {method: var-lasso}
report: {metrics: [f1, shd], best: {metric: f1, by: T}, curve: lambda_w}
""")
F1 = {0.1: 0.5, 0.2: 0.7}


def record(cell, *, failing=()):
    """Better with the larger lambda, with the smaller threshold at T=100, the larger at T=200."""
    if cell.method.label in failing and cell.seed == 0:
        return [{"status": "failed", "truth": ""}]
    chosen, rows = cell.method.chosen, cell.data.settings["T"]
    bonus = 0.1 * (chosen.get("threshold") == {100: 0.1, 200: 0.3}[rows])
    value = F1.get(chosen.get("lambda_w"), 0.3) + bonus + 0.01 * cell.seed
    return [{"status": "ok", "truth": "truth", "f1": value, "shd": -value, "seconds": 10 * value}]


def records(**settings):
    return {cell.key: record(cell, **settings) for cell in cells(STUDY)}


def test_each_value_has_its_best():
    found = choose(STUDY, records(), "truth")
    assert [(one.group, one.value, dict(one.settings)) for one in found] == [
        ("DYNO", 100, {"lambda_w": 0.2, "threshold": 0.1}),
        ("DYNO", 200, {"lambda_w": 0.2, "threshold": 0.3}),
    ]
    assert found[0].mean.mean == pytest.approx(0.805)
    assert (found[0].sets, found[0].tried) == (2, 4)


def test_less_may_be_better():
    from dataclasses import replace

    best = replace(STUDY.report.best, metric="shd", by=None)
    study = replace(STUDY, report=replace(STUDY.report, best=best))
    (found,) = choose(study, records(), "truth")
    assert found.settings["lambda_w"] == 0.2
    assert found.mean.mean == pytest.approx(-0.755)


def test_no_settings_win_by_failing():
    failing = ("DYNO (lambda_w=0.2, threshold=0.1)", "DYNO (lambda_w=0.2, threshold=0.3)")
    found = choose(STUDY, records(failing=failing), "truth")
    assert found[0].settings == {"lambda_w": 0.1, "threshold": 0.1}


def test_the_lines():
    lines = list(best_lines(STUDY, records(), "truth"))
    assert "| DYNO | 100 | lambda_w=0.2, threshold=0.1 | 0.805 ± 0.064 | 2 of 2 | 4 |" in lines
    assert list(best_lines(find_study("smoke"), {}, "truth")) == []


def test_means_along_an_axis():
    found = curves(STUDY, records(), "f1", "truth")
    assert found.panels == ("T=100", "T=200")
    assert found.lines == ("DYNO", "var-lasso")
    assert found.places == (0.1, 0.2)
    expected = mean_of([0.6, 0.61, 0.5, 0.51])
    assert found.points["T=100", "DYNO"][0.1].mean == pytest.approx(expected.mean)
    assert found.points["T=100", "DYNO"][0.1].half == pytest.approx(expected.half)
    assert found.level["T=100", "var-lasso"].mean == pytest.approx(0.305)


def test_the_picture_of_the_axis():
    axes = draw_curves(curves(STUDY, records(), "f1", "truth")).axes
    assert [one.get_title(loc="left") for one in axes] == ["T=100", "T=200"]
    assert axes[0].get_ylim() == axes[1].get_ylim()
    assert axes[0].get_yscale() == "linear"


def test_times_against_d_are_logarithmic_and_in_one_panel():
    study = find_study("timing")
    rows = {
        cell.key: [{"status": "ok", "truth": "truth", "seconds": float(cell.data.settings["d"])}]
        for cell in cells(study)
    }
    found = curves(study, rows, "seconds", "truth")
    assert found.panels == ("",)
    assert found.places == (5.0, 10.0, 15.0, 20.0)
    assert set(found.lines) == {spec.label for spec in study.methods}
    (axes,) = draw_curves(found).axes
    assert axes.get_yscale() == "log"


def test_the_knowledge_study_is_drawn_by_the_share_told():
    study = find_study("knowledge")
    rng = np.random.default_rng(0)
    rows = {
        cell.key: [{"status": "ok", "truth": "truth", "f1": rng.random()}] for cell in cells(study)
    }
    found = curves(study, rows, "f1", "truth")
    assert found.axis == "share told"
    assert found.places == (0.0, 0.1, 0.25, 0.5, 0.75)
    assert len(found.panels) == 4
    assert not found.level


def test_the_report_of_a_grid(tmp_path):
    store = Store(tmp_path)
    with store.locked():
        for cell in cells(STUDY):
            (row,) = record(cell)
            scores = {"truth": {"f1": row["f1"], "shd": row["shd"]}}
            made = {"status": "ok", "scores": scores, "seconds": 1.0, "elapsed": 1.0}
            store.write(cell, made, "tuned", {"commit": "abc"})
    names = [path.name for path in write_report(STUDY, tmp_path)]
    assert names == ["report.md", "f1-curve.png", "shd-curve.png"]
    text = (tmp_path / "report.md").read_text()
    assert text.index("## Best settings by f1") < text.index("## f1")
    assert "Paired differences" not in text
    assert text.endswith("![f1-curve](f1-curve.png)\n\n![shd-curve](shd-curve.png)\n")
    assert "## Pictures" not in report(STUDY, tmp_path)


@pytest.mark.parametrize(
    ("metric", "given", "limits"),
    [
        ("f1", (-3.0, 4.0), (-0.02, 1.02)),
        ("f1", (0.2, 0.6), (0.2, 0.6)),
        ("shd", (-5.0, 30.0), (-0.02, 30.0)),
        ("seconds", (1e-4, 300.0), (1e-4, 300.0)),
    ],
)
def test_axes_end_where_the_metric_does(metric, given, limits):
    assert within_range(metric, *given) == limits
