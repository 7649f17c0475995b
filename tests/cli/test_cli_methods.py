import csv
import json

import pytest

from chronodag import rivals
from chronodag.cli.results import FILES
from chronodag.graph import TemporalGraph


@pytest.fixture(scope="module")
def linear(run, table, tmp_path_factory):
    """The folder of a fit by another method with a rule, and what was printed."""
    out = tmp_path_factory.mktemp("linear") / "out"
    result = run(
        *("fit", table, "--out", out, "--lags", 2, "--method", "dynotears"),
        *("--set", "lambda_w=0.05", "--set", "lambda_a=0.05", "--forbid", "lake -> *"),
    )
    assert result.exit_code == 0, result.output
    return out, result


def test_the_methods_are_listed_with_what_they_can(run):
    result = run("methods")
    assert result.exit_code == 0
    rows = {line.split()[0]: line.split()[1:] for line in result.stdout.splitlines() if line}
    for name in rivals.names():
        can = rivals.capabilities(name)
        assert (rows[name][0] == "yes") == can.nonlinear
        assert (rows[name][4] == "yes") == can.knowledge
    assert "dynotears: lambda_w=0.1, lambda_a=0.1, threshold=0.01" in result.stdout


def test_another_method_writes_all_but_the_fit(linear):
    out, result = linear
    assert {path.name for path in out.iterdir()} == set(FILES) - {"fit.chronodag"}
    graph = TemporalGraph.from_json(out / "graph.json")
    assert graph.lags == 2
    assert ("rain", "river", 1) in {edge[:3] for edge in graph.edges()}
    assert not any(edge.source == "lake" for edge in graph.edges())
    assert (out / "edges.csv").read_text() == graph.to_csv()
    assert "dynotears: converged" in result.stdout
    assert "Rules in force:\n  forbid lake -> *" in result.stdout
    assert "fit.chronodag" not in result.stdout


def test_the_record_names_the_method_and_its_settings(linear, table):
    out, _ = linear
    record = json.loads((out / "run.json").read_text())
    assert record["method"] == "dynotears"
    assert record["settings"]["lambda_w"] == 0.05
    assert record["settings"]["lags"] == 2
    assert record["status"]["success"] is True
    assert record["data"]["file"] == str(table)
    assert record["undirected"] == []


def test_show_reads_the_folder(run, linear):
    out, _ = linear
    result = run("show", out, "--threshold", "0.2")
    assert result.exit_code == 0
    assert "rain(t-1)" in result.stdout


def test_scores_against_a_truth(run, linear, table, tmp_path):
    truth = linear[0] / "graph.json"
    out = tmp_path / "out"
    result = run("fit", table, "--out", out, "--method", "self-loops", "--truth", truth)
    assert result.exit_code == 0, result.output
    assert "Against the truth:" in result.stdout
    assert json.loads((out / "run.json").read_text())["scores"]
    with (out / "edges.csv").open() as file:
        assert len(list(csv.reader(file))) == 4


def test_no_edges_are_no_error(run, table, tmp_path):
    result = run("fit", table, "--out", tmp_path / "out", "--method", "empty")
    assert result.exit_code == 0
    assert "No directed edges." in result.stdout


def test_undirected_edges_are_told(run, write, tmp_path):
    pytest.importorskip("tigramite")
    import numpy as np

    rng = np.random.default_rng(0)
    a = rng.standard_normal(200)
    table = write(tmp_path / "pair.csv", {"a": a, "b": a + 0.3 * rng.standard_normal(200)})
    result = run("fit", table, "--out", tmp_path / "out", "--method", "pcmciplus-parcorr")
    assert result.exit_code == 0, result.output
    assert "At lag 0, without a direction:\n  a(t) -- b(t)" in result.stdout
    record = json.loads((tmp_path / "out" / "run.json").read_text())
    assert record["undirected"] == [["a", "b"]]
    assert record["p_values"][0][0][1] < 0.01


def test_a_fit_that_stops_early_has_its_own_exit_code(run, table, tmp_path):
    settings = ("--set", "max_iter=1", "--set", "h_tol=1e-300")
    result = run("fit", table, "--out", tmp_path / "o", "--method", "dynotears", *settings)
    assert result.exit_code == 5, result.output
    assert (tmp_path / "o" / "graph.json").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--method", "granger"), "No method is named 'granger'; expected one of nts-notears,"),
        (("--method", "dynotears", "--set", "l1=3"), "no setting 'l1'; it has lags, lambda_w"),
        (("--method", "dynotears", "--set", "lambda_w=much"), "expected a number"),
        (("--method", "tcdf", "--set", "epochs=1.5"), "expected a whole number"),
        (("--method", "dynotears", "--set", "lambda_w"), "expected KEY=VALUE"),
        (("--method", "dynotears", "--set", "lags=3"), "by --lags"),
        (("--method", "dynotears", "--l1", "0.1"), "--l1 came, which only nts-notears knows"),
        (("--method", "dynotears", "--seed", "1"), "dynotears has no randomness"),
        (("--set", "lambda_w=1"), "options of its own"),
        (("--method", "var-lasso", "--forbid", "lake -> *"), "takes no knowledge"),
    ],
)
def test_mistakes_are_told_and_leave_nothing_behind(run, table, tmp_path, options, words):
    result = run("fit", table, "--out", tmp_path / "out", *options)
    assert result.exit_code == 2, result.output
    assert words in " ".join(result.stderr.split())
    assert not (tmp_path / "out").exists()


def test_an_interrupt_writes_nothing_and_says_so(run, table, tmp_path, monkeypatch):
    from chronodag.rivals.controls import Empty

    def interrupted(*_arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(Empty, "fit", interrupted)
    result = run("fit", table, "--out", tmp_path / "out", "--method", "empty")
    assert result.exit_code == 130
    assert "nothing was written" in result.stderr
    assert not (tmp_path / "out").exists()
