"""The program as a whole: start-up, help, exit codes in words, Ctrl-C."""

import io
import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest

import chronodag
from chronodag.cli.exits import as_options
from chronodag.cli.interrupts import catching_interrupts
from chronodag.cli.progress import LiveLine, PlainLines, describe
from chronodag.cli.results import FILES
from chronodag.solve import Progress

PROGRAM = "from chronodag.cli import main; main()"
HEAVY = "jax", "sklearn", "matplotlib", "pyarrow", "scipy", "numpy", "networkx"
STATE = Progress(3, 1e4, 2.0, 1.5e-6, 12.345678, 412, 5.06)


@pytest.mark.parametrize(
    "arguments", [["--help"], ["fit", "--help"], ["bootstrap", "--help"], ["--version"]]
)
def test_help_imports_nothing_heavy(arguments):
    code = (
        "import sys\nfrom chronodag.cli import main\n"
        "try: main()\nexcept SystemExit as left: assert not left.code\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_version_and_help(run):
    assert run("--version").output == f"chronodag {chronodag.__version__}\n"
    for command in ([], ["fit"], ["show"], ["demo"], ["simulate", "random"]):
        result = run(*command, "--help")
        assert result.exit_code == 0
        assert "130 interrupted" in " ".join(result.output.split())


def test_arguments_of_the_library_are_named_as_options():
    assert as_options('say time="day" or series=.') == 'say --time "day" or --series.'
    assert as_options("learn with lags=5.") == "learn with --lags 5."
    assert as_options("the lifetimes=3 stay") == "the lifetimes=3 stay"


def test_the_first_interrupt_asks_and_the_handler_is_put_back():
    before = signal.getsignal(signal.SIGINT)
    calls = []
    with catching_interrupts(lambda: calls.append("first")) as interrupt:
        assert not interrupt.requested
        signal.raise_signal(signal.SIGINT)
        assert interrupt.requested
        assert signal.getsignal(signal.SIGINT) is signal.SIG_DFL
    assert calls == ["first"]
    assert signal.getsignal(signal.SIGINT) is before


def test_the_second_interrupt_kills_at_once():
    code = (
        "import time\nfrom chronodag.cli.interrupts import catching_interrupts\n"
        "with catching_interrupts(lambda: print('stopping', flush=True)):\n"
        "    print('ready', flush=True)\n    time.sleep(60)\n    time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as child:
        for word in ("ready", "stopping"):
            assert child.stdout.readline().strip() == word
            child.send_signal(signal.SIGINT)
        assert child.wait(timeout=30) == -signal.SIGINT


def test_an_interrupted_fit_writes_its_files_and_says_so(write, tmp_path):
    values = np.random.default_rng(0).standard_normal((300, 8))
    values[1:, 1:] += np.tanh(values[:-1, :-1]) + values[1:, :-1]
    table = write(tmp_path / "busy.csv", {f"v{i}": values[:, i] for i in range(8)})
    out = tmp_path / "out"
    command = [sys.executable, "-c", PROGRAM, "fit", table, "--out", out, "--l1", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        assert child.stderr.readline().startswith("The fit needs about ")
        assert child.stderr.readline().startswith("Learning.")
        child.send_signal(signal.SIGINT)
        printed, said = child.communicate(timeout=120)
    assert child.returncode == 130
    assert "interrupted: this is the best state reached so far" in printed
    assert "Stopping." in said
    assert "Traceback" not in said
    recorded = json.loads((out / "run.json").read_text())
    assert recorded["interrupted"] is True
    assert recorded["status"]["name"] == "INTERRUPTED"
    assert sorted(os.listdir(out)) == sorted(FILES)
    assert chronodag.load(out / "fit.chronodag").status_.name == "INTERRUPTED"


def test_the_line_of_progress_fits_a_terminal():
    line = describe(STATE)
    assert line == "round 3 · ρ 1e+04 · h 1.5e-06 · objective 12.346 · 412 evaluations · 5.1 s"
    assert len(line) < 80


def test_progress_draws_the_newest_state_and_the_hint():
    from rich.console import Console

    console = Console(record=True, width=80, force_terminal=True, file=io.StringIO())
    live = LiveLine(console)
    with live.shown():
        live.update(STATE)
        live.stopping()
    console.print(live)
    drawn = console.export_text()
    assert describe(STATE) in drawn
    assert "Ctrl-C again kills" in drawn


def test_plain_progress_is_sparse(monkeypatch, capsys):
    from rich.console import Console

    clock = iter([0.0, 1.0, 6.0, 20.0])
    monkeypatch.setattr("chronodag.cli.progress.time.perf_counter", lambda: next(clock))
    plain = PlainLines(Console(width=200))
    for round_number in (1, 2, 2):
        plain.update(Progress(round_number, 1.0, 0.0, 0.1, 1.0, 10, 1.0))
    assert capsys.readouterr().out.count("round") == 1
