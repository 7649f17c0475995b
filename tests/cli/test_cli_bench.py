"""`chronodag bench`: what it prints, writes and tells the shell."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
STUDY = """
name: small
description: Small.
seeds: [0, 1]
data: [{{source: "study_parts:walk", T: 60, label: walk}}]
methods:
  - {{method: "study_parts:Slow", label: slow, settings: {{seconds: {seconds}, error: "{error}"}}}}
  - {{method: self-loops}}
quick: {{seeds: [0]}}
"""


@pytest.fixture
def file(tmp_path):
    def write(seconds=0.0, error=""):
        path = tmp_path / "small.yaml"
        path.write_text(STUDY.format(seconds=seconds, error=error))
        return path

    return write


def test_the_list(run):
    result = run("bench", "--list")
    assert result.exit_code == 0
    assert "lorenz96" in result.stdout
    assert "seconds" in next(line for line in result.stdout.splitlines() if "smoke" in line)


def test_a_run_and_its_report(run, file, tmp_path):
    out = tmp_path / "out"
    result = run("bench", file(), "--out", out, "--jobs", 1)
    assert result.exit_code == 0, result.output
    assert result.stdout.split() == [str(out / "report.md"), str(out / "f1.png")]
    assert "| self-loops | 1.000 ± 0.000 |" in (out / "report.md").read_text()
    again = run("bench", file(), "--out", out, "--report-only", "--metric", "shd")
    assert (out / "shd.png").exists()
    assert again.exit_code == 0


def test_quick_and_one_method(run, file, tmp_path):
    run("bench", file(), "--out", tmp_path / "out", "--quick", "--methods", "self-loops")
    assert len(list((tmp_path / "out" / "cells").iterdir())) == 1


def test_foresight(run, file, tmp_path):
    out = tmp_path / "out"
    result = run("bench", file(), "--out", out, "--dry-run")
    assert "done 0, failed 0, to run 4" in result.stdout
    assert "no estimate for 4 cells" in result.stdout
    assert not out.exists()
    result = run("bench", file(), "--out", out, "--probe")
    assert "done 2, failed 0, to run 2" in result.stdout
    assert "for 2 of them" in result.stdout


def test_failed_cells_have_their_exit_code(run, file, tmp_path):
    result = run("bench", file(error="broken"), "--out", tmp_path / "out")
    assert result.exit_code == 5
    assert "2 of 4 cells failed" in result.stderr
    assert "ValueError: broken" in (tmp_path / "out" / "report.md").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["bench"], "No study was named"),
        (["bench", "nothing"], "No study is named 'nothing'"),
        (["bench", "gone.yaml"], "cannot be read"),
        (["bench", "smoke", "--metric", "f7"], "No metric is named 'f7'"),
        (["bench", "smoke", "--methods", "magic"], "has no method 'magic'"),
        (["bench", "smoke", "--report-only", "--out", "gone"], "holds no result"),
        (["bench", "smoke", "--backend", "slurm"], "backend is 'slurm'"),
    ],
)
def test_wrong_use(run, arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert message in result.stderr


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_ctrl_c_keeps_what_is_done(file, tmp_path, backend):
    out = tmp_path / "out"
    code = "from chronodag.cli import main; main()"
    path = os.pathsep.join([str(TESTS), str(TESTS.parent / "src")])
    command = [sys.executable, "-c", code, "bench", str(file(seconds=90)), "--out", str(out)]
    process = subprocess.Popen(
        [*command, "--jobs", "2", "--backend", backend],
        env=os.environ | {"PYTHONPATH": path},
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 60
    while not list(out.glob("cells/*.parquet")) and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, text = process.communicate(timeout=60)
    assert process.returncode == 130, text
    assert "of 4 cells are done and kept" in text
    assert "Traceback" not in text
