import csv
import hashlib
import json
import platform

import numpy as np
import pytest

import chronodag
from chronodag.cli.results import FILES
from chronodag.graph import TemporalGraph
from chronodag.learn.settings import DEFAULT_L2, DEFAULT_THRESHOLD


def test_the_result_is_printed(fitted):
    out, result = fitted
    printed = result.stdout
    assert "weather.csv: 3 variables × 120 rows" in printed
    assert "converged" in printed
    assert "rain(t-1)" in printed
    assert "Rules in force:\n  forbid lake -> *\n  require rain@1 -> river" in printed
    assert f"Files in {out}/: " in printed
    assert result.stderr == ""  # --quiet


def test_the_table_lists_the_edges_strongest_first(fitted):
    out, result = fitted
    graph = TemporalGraph.from_json(out / "graph.json")
    rows = [line.split() for line in result.stdout.splitlines() if " -> " in line]
    rows = [row for row in rows if len(row) == 5]  # source -> target strength bar
    expected = [(*str(edge).split(" -> "), f"{edge.strength:.3f}") for edge in graph.edges()]
    assert [(row[0], row[2], row[3]) for row in rows] == expected


def test_all_files_are_written(fitted):
    out, _ = fitted
    assert sorted(path.name for path in out.iterdir()) == sorted(FILES)
    for name in ("heatmap.png", "graph.png"):
        assert (out / name).read_bytes().startswith(b"\x89PNG")


def test_all_files_tell_the_same(fitted):
    out, _ = fitted
    graph = TemporalGraph.from_json(out / "graph.json")
    learner = chronodag.load(out / "fit.chronodag")
    assert learner.graph_ == graph
    assert (out / "edges.csv").read_text() == graph.to_csv()
    with (out / "strengths.csv").open() as file:
        cells = list(csv.DictReader(file))
    strengths = np.array([float(cell["strength"]) for cell in cells])
    kept = np.array([cell["kept"] == "1" for cell in cells])
    np.testing.assert_array_equal(strengths.reshape(graph.strengths.shape), graph.strengths)
    np.testing.assert_array_equal(kept.reshape(graph.adjacency.shape), graph.adjacency)
    assert [(c["lag"], c["source"], c["target"]) for c in cells[8:10]] == [
        ("0", "lake", "lake"),
        ("1", "rain", "rain"),
    ]


def test_rules_hold_in_the_result(fitted):
    out, _ = fitted
    graph = TemporalGraph.from_json(out / "graph.json")
    found = {edge[:3] for edge in graph.edges()}
    assert ("rain", "river", 1) in found
    assert not any(edge.source == "lake" for edge in graph.edges())


def test_the_record_of_the_run(fitted, table):
    out, _ = fitted
    run = json.loads((out / "run.json").read_text())
    learner = chronodag.load(out / "fit.chronodag")
    assert run["status"]["name"] == learner.status_.name
    assert run["interrupted"] is False
    assert run["objective"] == learner.objective_
    assert run["acyclicity"] == learner.acyclicity_
    assert run["seed"] == 0
    assert run["settings"]["l1"] == [0.02, 0.02]
    assert run["settings"]["hidden"] == [3]
    assert run["settings"]["standardize"] is True
    assert run["provisional_defaults"] == []
    assert run["rules"] == ["forbid lake -> *", "require rain@1 -> river"]
    assert run["data"]["sha256"] == hashlib.sha256(table.read_bytes()).hexdigest()
    assert (run["data"]["variables"], run["data"]["rows"]) == (3, 120)
    assert run["versions"]["chronodag"] == chronodag.__version__
    assert run["versions"]["python"] == platform.python_version()
    assert len(run["trace"]) == len(learner.solution_.trace)
    assert run["scores"] is None


def test_the_same_command_gives_the_same_files(run, table, quick, tmp_path):
    for name in ("one", "two"):
        assert run("fit", table, "--out", tmp_path / name, *quick).exit_code == 0
    for file in ("edges.csv", "strengths.csv", "graph.json", "heatmap.png", "graph.png"):
        one, two = (tmp_path / name / file for name in ("one", "two"))
        assert one.read_bytes() == two.read_bytes(), file


def test_scores_against_a_truth(run, table, quick, fitted, tmp_path):
    truth = fitted[0] / "graph.json"
    rules = ("--forbid", "lake -> *", "--require", "rain@1 -> river")
    result = run("fit", table, "--out", tmp_path / "out", *quick, *rules, "--truth", truth)
    assert result.exit_code == 0
    assert "Against the truth:" in result.stdout
    scores = json.loads((tmp_path / "out" / "run.json").read_text())["scores"]
    assert scores["window"]["shd"] == 0


def test_provisional_defaults_are_said(run, table, tmp_path):
    result = run("fit", table, "--out", tmp_path / "out", "-q", "--hidden", "3", "--l2", "0.01")
    assert result.exit_code == 0
    assert "Not given and not chosen from your data: l1 = 0.0166667, threshold = 0.3" in (
        " ".join(result.stdout.split())
    )
    run_file = json.loads((tmp_path / "out" / "run.json").read_text())
    assert run_file["provisional_defaults"] == ["l1", "threshold"]


def test_help_tells_the_defaults_that_hold(run):
    text = " ".join(run("fit", "--help").output.replace("│", " ").split())
    assert f"what is not given is then 2 / rows, {DEFAULT_L2} and {DEFAULT_THRESHOLD}" in text


def test_a_preset_gives_what_is_not_given(run, table, tmp_path):
    options = ("--preset", "paper-hockey", "--threshold", "0.4", "-q")
    result = run("fit", table, "--out", tmp_path / "out", *options)
    assert result.exit_code == 0, result.output
    settings = json.loads((tmp_path / "out" / "run.json").read_text())["settings"]
    assert settings["l1"] == [0.001, 0.001]
    assert (settings["l2"], settings["threshold"]) == (0.005, [0.4, 0.4])
    refused = run("fit", table, "--out", tmp_path / "other", "--preset", "mine")
    assert refused.exit_code == 2
    assert "preset is 'mine'; expected one of 'paper-lorenz96'" in refused.stderr


def test_with_nothing_given_the_data_choose(run, table, tmp_path):
    result = run("fit", table, "--out", tmp_path / "out", "--lags", "auto", "--effort", "low")
    assert result.exit_code == 0, result.output
    assert "confidence" in result.stdout
    assert "Chosen from the data:" in result.stdout
    assert "to weigh the evidence takes about" in " ".join(result.stderr.split())
    run_file = json.loads((tmp_path / "out" / "run.json").read_text())
    assert run_file["choices"]["effort"] == "low"
    assert run_file["provisional_defaults"] == []
    header = (tmp_path / "out" / "edges.csv").read_text().splitlines()[0]
    assert header == "source,target,lag,strength,confidence,direction_risk"
    header = (tmp_path / "out" / "strengths.csv").read_text().splitlines()[0]
    assert header == "lag,source,target,strength,kept,confidence"
    assert run("fit", table, "--lags", "some").exit_code == 2


def test_a_name_for_the_folder_comes_from_the_data(run, table, quick, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("fit", table, *quick, "--max-iter", "1").exit_code == 5
    assert (tmp_path / "weather-chronodag" / "run.json").is_file()


def test_an_earlier_result_is_kept_unless_forced(run, table, quick, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "notes.txt").write_text("mine")
    assert run("fit", table, "--out", out, *quick).exit_code == 0
    before = (out / "run.json").read_bytes()
    refused = run("fit", table, "--out", out, *quick)
    assert refused.exit_code == 2
    assert "already holds a result" in refused.stderr
    assert (out / "run.json").read_bytes() == before
    assert run("fit", table, "--out", out, *quick, "--force").exit_code == 0
    assert (out / "run.json").read_bytes() != before
    assert (out / "notes.txt").read_text() == "mine"


def test_several_series_times_and_chosen_columns(run, write, weather, quick, tmp_path):
    columns = {
        "station": ["north"] * 60 + ["south"] * 60,
        "hour": [*range(60), *range(60)],
        "note": ["-"] * 120,
        **weather,
    }
    path = write(tmp_path / "long.tsv", columns, "\t")
    options = ("--series", "station", "--time", "hour", "--columns", "lake,rain")
    result = run("fit", path, "--out", tmp_path / "out", *quick, *options)
    assert result.exit_code == 0, result.output
    assert "long.tsv: 2 variables × 120 rows in 2 series of 60 to 60 rows" in result.stdout
    described = json.loads((tmp_path / "out" / "run.json").read_text())["data"]
    assert described["names"] == ["lake", "rain"]
    assert described["series"] == {"count": 2, "rows": [60, 60]}


def test_columns_left_out_and_a_parquet_file(run, weather, quick, tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    odd = {"a, b": weather["lake"], "[rain]": weather["rain"], "river": weather["river"]}
    parquet.write_table(pa.table(odd), tmp_path / "odd.parquet")
    result = run(
        "fit", tmp_path / "odd.parquet", "--out", tmp_path / "out", *quick, "--drop", "a, b"
    )
    assert result.exit_code == 0, result.output
    assert "[rain](t-1)" in result.stdout  # brackets are no markup


def test_one_number_per_lag_and_rules_from_a_file(run, table, tmp_path):
    (tmp_path / "known.yaml").write_text("forbid: ['lake -> *']\nexogenous: [rain]\n")
    options = ("--l1", "0.1,0.01", "--threshold", "0.4,0.2", "--hidden", "3,2", "-q")
    result = run(
        "fit",
        table,
        "--out",
        tmp_path / "out",
        *options,
        "--no-standardize",
        "--knowledge",
        tmp_path / "known.yaml",
    )
    assert result.exit_code == 0, result.output
    recorded = json.loads((tmp_path / "out" / "run.json").read_text())
    assert recorded["settings"]["l1"] == [0.1, 0.01]
    assert recorded["settings"]["threshold"] == [0.4, 0.2]
    assert recorded["settings"]["hidden"] == [3, 2]
    assert recorded["settings"]["standardize"] is False
    assert recorded["rules"] == ["forbid lake -> *", "exogenous rain"]


def test_no_edges_are_explained(run, table, quick, tmp_path):
    result = run("fit", table, "--out", tmp_path / "out", *quick, "--threshold", "50")
    assert result.exit_code == 0
    assert "No edges: no strength reaches the threshold; the largest is" in result.stdout


def test_a_solver_that_stopped_early_has_its_own_code(run, table, quick, tmp_path):
    result = run("fit", table, "--out", tmp_path / "out", *quick, "--max-iter", "1")
    assert result.exit_code == 5
    assert "max_iter rounds were used up" in result.stdout
    recorded = json.loads((tmp_path / "out" / "run.json").read_text())
    assert recorded["status"]["success"] is False
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(FILES)


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--time", "when"], 3, "--time 'when' names no column"),
        (["--columns", "rain,rivr"], 3, "Did you mean 'river'?"),
        (["--drop", "nothing"], 3, "--drop names 'nothing', which is no column"),
        (["--lags", "200"], 3, "needs at least 201 rows"),
        (["--truth", "none.json"], 3, "No file none.json"),
        (["--forbid", "rain"], 4, "it has no '->'"),
        (["--forbid", "rian -> river"], 4, "Did you mean 'rain'?"),
        (["--require", "rain@5 -> river"], 4, "learn with --lags 5"),
        (["--require", "rain@1 -> lake", "--forbid", "rain -> lake"], 4, "contradict"),
        (["--knowledge", "none.yaml"], 4, "cannot read knowledge"),
        (["--columns", "rain", "--drop", "lake"], 2, "expected only one of them"),
        (["--l1", "a,b"], 2, "--l1 got 'a,b'"),
        (["--l1", "1,2,3"], 2, "one per lag"),
        (["--hidden", "0.5"], 2, "--hidden got '0.5'"),
        (["--solver", "magic"], 2, "solver is 'magic'"),
        (["--lags", "-1"], 2, "lags is -1"),
        (["--lags", "two"], 2, "two"),
        (["--no-such-option"], 2, "No such option"),
    ],
)
def test_wrong_input_is_refused_in_one_message(run, table, tmp_path, options, code, said):
    result = run("fit", table, "--out", tmp_path / "out", "-q", *options)
    assert result.exit_code == code
    assert result.stdout == ""
    assert said in result.stderr or code == 2  # typer wraps its own messages in a box
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("city,rain\nBonn,1\nBonn,2\n", 'say --series "city"'),
        ("day,rain\n2020-01-01,1\n2020-01-02,2\n", 'say --time "day"'),
        ("rain,river\n1,2\n,3\n2,1\n", "in a column for --series"),
        ("rain,river\n1,2\n1,3\n1,1\n", "rain"),
    ],
)
def test_data_that_cannot_be_used_is_explained(run, tmp_path, text, said):
    (tmp_path / "bad.csv").write_text(text)
    result = run("fit", tmp_path / "bad.csv", "--out", tmp_path / "out")
    assert result.exit_code == 3
    assert said in result.stderr


def test_a_missing_file_is_said(run, tmp_path):
    result = run("fit", tmp_path / "none.csv", "--out", tmp_path / "out")
    assert result.exit_code == 3
    assert "There is no file" in result.stderr


def test_a_folder_that_cannot_be_made_is_said(run, table):
    result = run("fit", table, "--out", table)
    assert result.exit_code == 2
    assert "it is a file, not a folder" in result.stderr


def test_an_unexpected_error_keeps_its_traceback(run, table, tmp_path, monkeypatch):
    def fail(*_, **__):
        raise RuntimeError("a bug of ours")

    monkeypatch.setattr("chronodag.learn.NTSNotears.fit", fail)
    result = run("fit", table, "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert isinstance(result.exception, RuntimeError)
    assert not (tmp_path / "out").exists()
