"""The demo at a tiny size: its story, its files, its seeds."""

from contextlib import contextmanager

import pytest

from chronodag import demo
from chronodag.graph import TemporalGraph
from chronodag.metrics import compare

TINY = demo.Sizes(ring=4, ring_rows=80, ring_hidden=3, variables=4, rows=120, hidden=3, seed=1)


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    out = tmp_path_factory.mktemp("demo") / "out"
    lines: list[str] = []
    demo.run(out, lines.append, sizes=TINY)
    return out, "\n".join(lines)


def test_the_demo_tells_what_its_files_hold(told):
    out, text = told
    ring = out / "lorenz96"
    truth = TemporalGraph.from_json(ring / "truth.json")
    graph = TemporalGraph.from_json(ring / "graph.json")
    for line in compare(truth, graph).table().splitlines():
        assert line in text
    assert str(graph.edges()[0]) in text
    assert str(ring / "heatmap.png") in text


def test_the_demo_forbids_an_edge_that_is_truly_wrong(told):
    out, text = told
    folder = out / "knowledge"
    truth, before, after = (
        TemporalGraph.from_json(folder / f"{name}.json")
        for name in ("truth", "before-graph", "after-graph")
    )
    true = {edge[:3] for edge in truth.edges()}
    wrong = next(edge for edge in before.edges() if edge[:3] not in true)
    assert f"forbid '{wrong.source}@{wrong.lag} -> {wrong.target}'" in text
    assert wrong[:3] not in {edge[:3] for edge in after.edges()}
    for graph in (before, after):
        score = compare(truth, graph)
        assert f"{score.shd:>24}{score.f1:>8.3f}" in text
    assert "seed was chosen" in text


def test_every_picture_is_named_with_what_it_shows(told):
    out, text = told
    pictures = sorted(out.rglob("*.png"))
    assert [path.name for path in pictures] == ["after.png", "before.png", "heatmap.png"]
    lines = text.splitlines()
    for path in pictures:
        place = next(number for number, line in enumerate(lines) if line.strip() == str(path))
        assert len(lines[place + 1].split()) > 5


def test_lines_fit_a_terminal(told):
    out, text = told
    lines = text.replace(str(out), "chronodag-demo").splitlines()
    assert [line for line in lines if len(line) > 80] == []


def test_the_command_runs_the_demo(run, tmp_path, monkeypatch, told):
    monkeypatch.setattr(demo, "Sizes", lambda: TINY)
    result = run("demo", "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    same = ("knowledge/after-edges.csv", "lorenz96/edges.csv", "lorenz96/data.csv")
    for name in same:
        assert (tmp_path / "out" / name).read_bytes() == (told[0] / name).read_bytes()


def test_a_demo_that_is_interrupted_ends(tmp_path):
    @contextmanager
    def stop_at_once():
        yield lambda progress: True

    with pytest.raises(KeyboardInterrupt, match=r"^$"):
        demo.run(tmp_path, lambda line: None, stop_at_once, TINY)


def test_the_command_says_that_it_was_interrupted(run, tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(demo, "run", interrupted)
    result = run("demo", "--out", tmp_path / "out")
    assert result.exit_code == 130
    assert "not complete" in result.stderr
    assert not (tmp_path / "out").exists()
