import numpy as np
import pytest

from chronodag.data import Panel, read_table
from chronodag.graph import TemporalGraph
from chronodag.simulate import lorenz96


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


@pytest.mark.parametrize(
    "options", [("lorenz96", "--variables", 2), ("random", "--mechanism", "magic")]
)
def test_impossible_settings_are_refused(run, tmp_path, options):
    result = run("simulate", *options, "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert "expected" in result.stderr
    assert not (tmp_path / "out").exists()
