"""The speed benchmarks run and their tables are well formed. Nothing here judges a time."""

import importlib
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from chronodag.data import Panel

ROOT = Path(__file__).resolve().parents[2]
NOT_ON_A_BARE_MACHINE = ("sklearn", "narwhals", "pyarrow", "pandas", "networkx", "matplotlib")


@pytest.fixture
def speed(monkeypatch):
    """Import a module of benchmarks.speed from the checkout."""
    monkeypatch.syspath_prepend(str(ROOT))
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")
    return lambda name: importlib.import_module(f"benchmarks.speed.{name}")


@pytest.fixture
def tiny(speed):
    return speed("problems").Setting(3, 1, 2, 60)


def test_the_layout_by_hand_is_the_library_s(speed):
    problems = speed("problems")
    setting = problems.Setting(4, 2, 3, 80, l1=(0.1, 0.01, 0.02), l2=0.03)
    rows = problems.raw(setting)
    ours, theirs = problems.by_hand(setting, rows), problems.by_library(setting, rows)
    assert ours.loss == theirs.loss
    assert ours.constraint == theirs.constraint
    for name in ("l1", "lower", "upper"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name), name)
    for mine, its in zip(ours.data, theirs.data, strict=True):
        np.testing.assert_allclose(mine, its, atol=1e-12)
    x = ours.clip(setting.start(3))
    np.testing.assert_array_equal(
        ours.settle(x, ours.lower, ours.upper), theirs.settle(x, theirs.lower, theirs.upper)
    )


def test_the_chunks_by_hand_are_the_library_s(speed):
    problems = speed("problems")
    for d, m in ((5, 10), (40, 50), (3, 700)):
        setting = problems.Setting(d, 1, m, 30, "noise")
        rows = problems.raw(setting)
        assert problems.by_hand(setting, rows).loss == problems.by_library(setting, rows).loss


def test_the_tolerances_are_the_library_s(speed):
    from chronodag.learn.fitting import dual_settings

    problems = speed("problems")
    setting = problems.Setting(3, 1, 2, 60)
    panel = Panel.from_any(np.random.default_rng(0).random((60, 3)))
    for solver, known in (("device", problems.ON_DEVICE), ("scipy", problems.AS_PUBLISHED)):
        resolved = importlib.import_module("chronodag.learn.settings").resolve(
            problems.learner(setting, solver=solver).get_params(deep=False), panel
        )
        assert dual_settings(resolved) == known


def test_rates_are_written(speed, tiny, tmp_path):
    report = speed("rates").measure(quick=True, settings=(tiny,))
    path = speed("report").write(report, tmp_path, "the command", quick=True)
    assert path.name == "speed-rates-cpu.md"
    text = path.read_text(encoding="utf-8")
    for needed in ("`the command`", "commit", "cores", "jax", "noisy", "quick check"):
        assert needed in text
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert len(lines) == 2 + 2
    assert len({line.count("|") for line in lines}) == 1
    content = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    assert [row["dtype"] for row in content["rows"]] == ["float64", "float32"]
    assert all(row["milliseconds"] > 0 for row in content["rows"])


def test_operations_are_those_of_four_products(tiny):
    # 59 windows, 6 inputs, 3 · 2 kernels: forwards and for the gradient, two operations each
    assert tiny.operations == 4 * 59 * 6 * 6


def test_solvers_reach_the_same_objective(speed, tiny, monkeypatch):
    solvers = speed("solvers")
    two = {name: solvers.SOLVERS[name] for name in ("device, float64", "scipy")}
    monkeypatch.setattr(solvers, "SOLVERS", two)
    report = solvers.measure(quick=True, cases=(solvers.Case("simulated", tiny, 1.0),))
    assert [row["solver"] for row in report.rows] == list(two)
    reached = [float(row["objective"]) for row in report.rows]
    np.testing.assert_allclose(reached, reached[-1], rtol=0.02)


def test_the_same_objective_counts_when_nearly_acyclic(speed):
    from chronodag.solve import Progress

    steps = [(1.0, 0.5, 2.0), (1.8, 1e-3, 4.0), (2.0, 1e-5, 6.0), (1.9, 1e-9, 8.0)]
    path = [Progress(1, 1.0, 0.0, h, objective, 1, at) for objective, h, at in steps]
    first = speed("solvers")._first_there
    scipy = {"objective": 1.9, "seconds": 8.5}
    assert first(path, scipy, {"objective": 2.0}) == 6.0
    assert first(path, scipy, {"objective": 1.5}) == 8.0
    assert first([], scipy, {"objective": 1.5}) == 8.5


def test_growth_times_a_point(speed, tiny):
    row = speed("growth")._measured(tiny, 60.0)
    assert row.keys() == {"milliseconds", "seconds", "evaluations"}
    assert row["evaluations"] > 1


def test_growth_draws_its_picture(speed, tiny, monkeypatch, tmp_path):
    growth = speed("growth")
    points = iter([{"milliseconds": 1.0, "seconds": 2.0, "evaluations": 3}, {"milliseconds": 2.0}])
    monkeypatch.setattr(growth, "BASE", tiny)
    monkeypatch.setattr(growth, "_measured", lambda *_: next(points))
    report = growth.measure(quick=True, sweeps=[growth.Sweep("T", "length", (60, 120))])
    assert report.details["T"]["all"] == pytest.approx(1.0)
    path = speed("report").write(report, tmp_path, "the command", quick=True)
    assert path.with_suffix(".png").stat().st_size > 0
    assert "speed-growth-cpu.png" in path.read_text(encoding="utf-8")


def test_slopes_of_a_power_law(speed):
    rows = [{"sweep": "d", "d": d, "milliseconds": 3.0 * d**2} for d in (5, 10, 20)]
    assert speed("growth")._slopes("d", rows) == pytest.approx({"all": 2.0, "last": 2.0})


def test_the_memory_probe_reports(speed, monkeypatch):
    probe = speed("memory_probe")
    monkeypatch.setattr(probe, "TINY", 60)
    row = probe.main(60, 3, 1, 2)
    assert row["peak"] >= row["before"] > 0
    assert row["data"] == 60 * 3 * 8 / 1e6


def test_many_gives_every_replicate(speed, tiny, monkeypatch):
    many = speed("many")
    monkeypatch.setattr(many, "DTYPES", ("float64",))
    report = many.measure(quick=True, case=(tiny, 2))
    assert {row["fits"] for row in report.rows} == {2}
    assert all(row["ended"] == "2 of 2" for row in report.rows)


def test_rates_need_nothing_but_jax_and_numpy(tmp_path):
    code = f"""
import sys
sys.modules.update(dict.fromkeys({NOT_ON_A_BARE_MACHINE!r}))
from benchmarks.speed import many, problems, rates, solvers
assert not problems.has_library()
problems.build(problems.Setting(3, 1, 2, 60))
print(rates.measure(quick=True, settings=(problems.Setting(3, 1, 2, 60),)).table())
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "float32" in done.stdout


def test_the_command_line_says_when_there_is_no_gpu(speed, capsys):
    assert speed("__main__").main(["rates", "--gpu"]) == 2
    assert "JAX sees only cpu" in capsys.readouterr().out
