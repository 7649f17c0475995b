"""The commands bootstrap and path."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from chronodag.cli.bootstrap import FILES, STORE
from chronodag.cli.path import FILES as PATH_FILES
from chronodag.cli.replicate_progress import describe, watching_replicates
from chronodag.learn import Bootstrap, bootstrap
from chronodag.learn.replicates import Progress

PROGRAM = "from chronodag.cli import main; main()"
RULES = ("--forbid", "lake -> *", "--require", "rain@1 -> river")


@pytest.fixture(scope="module")
def replicated(run, table, quick, tmp_path_factory):
    out = tmp_path_factory.mktemp("bootstrap") / "out"
    result = run("bootstrap", table, "--out", out, "-n", 6, *quick, *RULES)
    assert result.exit_code == 0, result.output
    return out, result


def test_the_files_and_what_is_printed(replicated):
    out, result = replicated
    assert sorted(os.listdir(out)) == sorted([*FILES, STORE])
    assert (out / "presence.png").read_bytes().startswith(b"\x89PNG")
    found = Bootstrap.from_json(out / "bootstrap.json")
    assert found.to_csv() == (out / "bootstrap.csv").read_text()
    assert found.presence[1, 0, 1] == 1
    assert not found.presence[:, 2].any()
    assert "weather.csv: 3 variables × 120 rows" in result.stdout
    assert "6 replicates of windows drawn with replacement, in blocks of 5" in result.stdout
    assert "rain(t-1)  ->  river(t)" in result.stdout
    assert result.stderr == ""


def test_it_is_what_the_library_says(replicated, table, run):
    from chronodag.cli.options import panel_of
    from chronodag.cli.shared import learner_of

    given = dict.fromkeys(("series", "time", "columns", "drop", "memory_limit"))
    given |= {"data": table, "standardize": True, "seed": 0, "lags": 1, "hidden": "3"}
    given |= {"l1": "0.02", "l2": 0.01, "threshold": "0.3", "solver": "device", "max_iter": 100}
    given |= {"dtype": "float64", "device": "auto", "knowledge": None, "effort": "normal"}
    given |= {"instantaneous": None, "preset": None}
    given |= {"forbid": [RULES[1]], "require": [RULES[3]]}
    again = bootstrap(learner_of(given), panel_of(given), replicates=6)
    assert again.to_json() == (replicated[0] / "bootstrap.json").read_text()


def test_a_finished_result_is_kept_unless_forced_and_then_added_to(replicated, run, table, quick):
    out, _ = replicated
    kept = {path: path.stat().st_mtime_ns for path in (out / STORE).glob("chunk-0-*")}
    refused = run("bootstrap", table, "--out", out, "-n", 6, *quick, *RULES)
    assert refused.exit_code == 2
    assert "already holds a result (bootstrap.json, bootstrap.csv, presence.png)" in refused.stderr
    more = run("bootstrap", table, "--out", out, "-n", 8, *quick, *RULES, "--force")
    assert more.exit_code == 0
    assert "8 replicates of" in more.stdout
    assert kept == {path: path.stat().st_mtime_ns for path in (out / STORE).glob("chunk-0-*")}


def test_halves_come_with_a_bound(run, table, quick, tmp_path):
    options = ("-n", 4, "--half", "--block", 10, "--min-presence", 0.8, "--jobs", 2)
    result = run("bootstrap", table, "--out", tmp_path / "out", *options, *quick)
    assert result.exit_code == 0, result.output
    assert "half of the windows, in blocks of 10" in result.stdout
    assert "in 80% of the replicates or more" in result.stdout
    assert "are expected to be false (Meinshausen and Bühlmann 2010" in result.stdout


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (("--backend", "mpi"), 2, "backend is 'mpi'; expected one of threading"),
        (("--block", "500"), 2, "block is 500; expected at most 59"),
        (("--columns", "rian"), 3, "Did you mean 'rain'"),
        (("--forbid", "snow -> *"), 4, "snow"),
        (("--hidden", "few"), 2, "--hidden got 'few'; expected a whole number"),
    ],
)
def test_exit_codes(run, table, quick, tmp_path, options, code, message):
    quick = [one for one in quick if one not in ("--hidden", "3")]
    result = run("bootstrap", table, "--out", tmp_path / "out", *quick, *options)
    assert result.exit_code == code
    assert message in result.stderr
    assert not list((tmp_path / "out").glob("bootstrap.*"))


def test_replicates_that_fail_leave_with_5(run, table, quick, tmp_path, monkeypatch):
    from chronodag.learn.replicates import Work

    whole = Work.__call__

    def one_fails(work, replicates):
        fits = whole(work, replicates)
        return fits._replace(success=fits.success & [True, False])

    monkeypatch.setattr(Work, "__call__", one_fails)
    result = run("bootstrap", table, "--out", tmp_path / "out", "-n", 2, *quick)
    assert result.exit_code == 5
    assert "1 more did not converge and are left out" in result.stdout
    assert json.loads((tmp_path / "out" / "bootstrap.json").read_text())["failed"] == 1


def test_an_interrupted_bootstrap_goes_on(run, table, quick, tmp_path):
    out = tmp_path / "out"
    options = ("bootstrap", table, "--out", out, "-n", "8000", *quick[:2], *quick[3:])
    command = [sys.executable, "-c", PROGRAM, *map(str, options)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as child:
        assert child.stderr.readline().startswith("0 of 8000 replicates")
        while not list((out / STORE).glob("chunk-*")) and child.poll() is None:
            time.sleep(0.02)
        child.send_signal(signal.SIGINT)
        said = child.communicate(timeout=120)[1]
    assert child.returncode == 130
    assert "Stopping after this chunk." in said
    assert "The same command goes on from there." in said
    assert "Traceback" not in said
    assert [path.name for path in out.iterdir()] == [STORE]
    done = len(list((out / STORE).glob("chunk-*")))
    assert 1 <= done < 2000
    again = run("bootstrap", table, "--out", out, "-n", 4, *quick)
    assert again.exit_code == 0
    assert "4 replicates of" in again.stdout
    assert len(list((out / STORE).glob("chunk-*"))) == done  # none was fitted again


def test_progress_tells_the_time_left(capsys):
    assert describe(Progress(20, 100, 20, 10.0)) == "20 of 100 replicates, about 40 s left"
    assert describe(Progress(0, 100, 0, 0.0)) == "0 of 100 replicates"
    assert describe(Progress(100, 100, 8, 1.0)) == "100 of 100 replicates"
    with watching_replicates(quiet=False) as watch:
        for done in (4, 8, 12):
            assert watch(Progress(done, 12, done, 1.0)) is False
    assert capsys.readouterr().err.splitlines() == [
        "4 of 12 replicates, about 2 s left",
        "12 of 12 replicates",
    ]


def test_an_error_of_the_fits_stays_one():
    with (
        pytest.raises(ZeroDivisionError, match="division by zero"),
        watching_replicates(quiet=True),
    ):
        1 / 0  # noqa: B018


def test_the_path(run, table, quick, fitted, tmp_path):
    out = tmp_path / "out"
    options = ("--points", 3, "--truth", fitted[0] / "graph.json")
    result = run("path", table, "--out", out, *quick, *options)
    assert result.exit_code == 0, result.output
    assert sorted(os.listdir(out)) == sorted(PATH_FILES)
    assert (out / "path.png").read_bytes().startswith(b"\x89PNG")
    lines = (out / "path.csv").read_text().splitlines()
    assert lines[0] == "l1,lag,source,target,strength"
    assert len(lines) == 1 + 3 * 2 * 9
    listed = [line for line in result.stdout.splitlines() if line.startswith("l1 ")]
    assert [line.split()[1] for line in listed] == ["0.133", "0.0167", "0.00208"]
    assert run("path", table, "--out", out, *quick).exit_code == 2


@pytest.mark.parametrize("command", ["bootstrap", "path"])
def test_help_has_the_options_of_fit(run, command):
    text = run(command, "--help").output
    for option in ("--lags", "--forbid", "--knowledge", "--l1", "--seed", "--out", "--force"):
        assert option in text
    assert "130 interrupted" in " ".join(text.split())
