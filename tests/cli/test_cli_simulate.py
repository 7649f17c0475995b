import numpy as np
import pytest

from chronodag.data import Panel, read_table
from chronodag.graph import TemporalGraph
from chronodag.simulate import bold, hockey, lorenz96, sortability


def test_the_table_holds_every_digit_of_the_series(run, tmp_path):
    options = ("--variables", 5, "--rows", 30, "--seed", 4, "--forcing", 8)
    result = run("simulate", "lorenz96", *options, "--out", tmp_path / "ring")
    assert result.exit_code == 0, result.output
    made = lorenz96(5, 30, rng=4, forcing=8.0)
    panel = Panel.from_any(read_table(tmp_path / "ring" / "data.csv"))
    assert panel.names == made.names
    np.testing.assert_array_equal(panel.values, made.data)
    assert TemporalGraph.from_json(tmp_path / "ring" / "graph.json") == made.graph
    assert "5 variables × 30 rows" in result.stdout
    assert "chronodag fit" in result.stdout
    share = sortability(made.data, made.graph).variance_window
    printed = " ".join(result.stdout.split())
    assert f"by variance undefined at lag 0, {share:.2f} at all lags" in printed


@pytest.mark.parametrize("mechanism", ["ANM", "AIM", "GLM-Pois", "linear"])
def test_random_data_repeats_with_its_seed(run, tmp_path, mechanism):
    options = ("--variables", 4, "--lags", 2, "--rows", 25, "--mechanism", mechanism, "--seed", 1)
    for name in ("one", "two"):
        assert run("simulate", "random", *options, "--out", tmp_path / name).exit_code == 0
    one, two = ((tmp_path / name / "data.csv").read_bytes() for name in ("one", "two"))
    assert one == two
    assert TemporalGraph.from_json(tmp_path / "one" / "graph.json").lags == 2


def test_earlier_files_are_kept_unless_forced(run, tmp_path):
    options = ("simulate", "random", "--rows", 10, "--out", tmp_path)
    assert run(*options).exit_code == 0
    assert run(*options).exit_code == 2
    assert run(*options, "--force").exit_code == 0


def test_hockey_is_one_long_table_with_a_column_of_series(run, tmp_path):
    result = run("simulate", "hockey", "--games", 2, "--seed", 3, "--out", tmp_path / "ice")
    assert result.exit_code == 0, result.output
    made = hockey(2, rng=3)
    panel = Panel.from_any(read_table(tmp_path / "ice" / "data.csv"), series="series")
    assert panel.names == made.names
    assert panel.lengths == tuple(map(len, made.series))
    np.testing.assert_array_equal(panel.values, np.concatenate(made.series))
    assert TemporalGraph.from_json(tmp_path / "ice" / "graph.json") == made.graph
    assert f"{len(panel.series)} series" in result.stdout
    for part in ("--series series", "--forbid 'goal@0,1 -> *'", "--lags 1"):
        assert part in " ".join(result.stdout.split())


def test_bold_holds_every_digit_of_the_series(run, tmp_path):
    options = ("--variables", 3, "--rows", 20, "--seed", 5, "--noise", 0.2)
    result = run("simulate", "bold", *options, "--out", tmp_path / "brain")
    assert result.exit_code == 0, result.output
    made = bold(3, 20, rng=5, noise=0.2)
    panel = Panel.from_any(read_table(tmp_path / "brain" / "data.csv"))
    np.testing.assert_array_equal(panel.values, made.data)
    assert TemporalGraph.from_json(tmp_path / "brain" / "graph.json") == made.graph


@pytest.mark.parametrize(
    "options",
    [("lorenz96", "--variables", 2), ("random", "--mechanism", "magic"), ("hockey", "--games", 0)],
)
def test_impossible_settings_are_refused(run, tmp_path, options):
    result = run("simulate", *options, "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert "expected" in result.stderr
    assert not (tmp_path / "out").exists()
