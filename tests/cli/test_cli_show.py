import json

import numpy as np
import pytest

from chronodag.graph import TemporalGraph


def test_a_folder_a_fit_and_a_graph_show_the_same_edges(run, fitted):
    out, _ = fitted
    printed = [run("show", path) for path in (out, out / "fit.chronodag", out / "graph.json")]
    assert [result.exit_code for result in printed] == [0, 0, 0]
    tables = [result.stdout[result.stdout.index("edge") :] for result in printed]
    assert tables[0] == tables[1] == tables[2]
    assert "converged" in printed[0].stdout
    assert "converged" in printed[1].stdout
    assert "lags 0 to 1" in printed[2].stdout


def test_json_and_csv_are_the_graphs_own(run, fitted):
    out, _ = fitted
    graph = TemporalGraph.from_json(out / "graph.json")
    assert run("show", out, "--json").stdout == graph.to_json()
    assert run("show", out, "--csv").stdout == graph.to_csv()


def test_cutting_anew_keeps_strengths_and_rules(run, fitted):
    out, _ = fitted
    graph = TemporalGraph.from_json(out / "graph.json")
    low = TemporalGraph.from_json(run("show", out, "--threshold", "0", "--json").stdout)
    high = TemporalGraph.from_json(run("show", out, "--threshold", "99,98", "--json").stdout)
    np.testing.assert_array_equal(low.strengths, graph.strengths)
    assert low.adjacency.sum() >= graph.adjacency.sum()
    assert not any(edge.source == "lake" for edge in low.edges())
    np.testing.assert_array_equal(high.strengths, graph.strengths)
    assert [edge[:3] for edge in high.edges()] == [("rain", "river", 1)]  # required


def test_a_bare_graph_can_be_cut_to_nothing(run, fitted):
    result = run("show", fitted[0] / "graph.json", "--threshold", "99")
    assert result.exit_code == 0
    assert "cut anew at 99" in result.stdout
    assert "No edges" in result.stdout


def test_pictures_are_drawn_on_request(run, fitted, tmp_path):
    result = run(
        "show", fitted[0], "--picture", tmp_path / "a.png", "--graph", tmp_path / "b.svg", "--json"
    )
    assert result.exit_code == 0
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (tmp_path / "b.svg").read_text()
    json.loads(result.stdout)


def test_removed_edges_are_listed(run, tmp_path):
    strengths = np.zeros((1, 2, 2))
    strengths[0, 0, 1], strengths[0, 1, 0] = 0.9, 0.8
    graph = TemporalGraph(("a", "b"), strengths > 0.85, strengths)
    graph.to_json(tmp_path / "graph.json")
    result = run("show", tmp_path / "graph.json", "--threshold", "0.5")
    assert "Left out to keep lag 0 free of cycles: b(t) -> a(t) (0.800)." in result.stdout


@pytest.mark.parametrize(
    ("make", "options", "code", "said"),
    [
        (None, [], 3, "There is no"),
        ("folder", [], 3, "holds no graph.json"),
        ("{}", [], 3, "Not a chronodag graph"),
        (None, ["--json", "--csv"], 2, "only one of them"),
    ],
)
def test_what_cannot_be_shown_is_said(run, tmp_path, make, options, code, said):
    path = tmp_path / "thing.json"
    if make == "folder":
        path.mkdir()
    elif make is not None:
        path.write_text(make)
    result = run("show", path, *options)
    assert result.exit_code == code
    assert said in result.stderr


def test_a_picture_of_an_unknown_kind_is_refused(run, fitted, tmp_path):
    result = run("show", fitted[0], "--picture", tmp_path / "a.xyz")
    assert result.exit_code == 2
    assert "'.xyz'" in result.stderr
