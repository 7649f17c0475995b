"""One small table, and one fit of it, for all tests of the command line."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from chronodag.cli import app

Run = Callable[..., Any]


def write_columns(path: Path, columns: dict[str, Any], separator: str = ",") -> Path:
    lines = [separator.join(columns)]
    lines += [separator.join(map(str, row)) for row in zip(*columns.values(), strict=True)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def chain(rows: int) -> dict[str, np.ndarray]:
    """rain(t-1) -> river(t) -> lake(t)."""
    rng = np.random.default_rng(0)
    rain = rng.standard_normal(rows)
    river = 0.9 * np.concatenate([[0.0], rain[:-1]]) + 0.3 * rng.standard_normal(rows)
    lake = np.tanh(2 * river) + 0.3 * rng.standard_normal(rows)
    return {"rain": rain, "river": river, "lake": lake}


@pytest.fixture(scope="session")
def weather() -> dict[str, np.ndarray]:
    return chain(120)


@pytest.fixture(scope="session")
def write() -> Callable[..., Path]:
    return write_columns


@pytest.fixture(scope="session")
def run() -> Run:
    runner = CliRunner()

    def invoke(*arguments: object) -> Any:
        return runner.invoke(app, [str(one) for one in arguments], prog_name="chronodag")

    return invoke


@pytest.fixture(scope="session")
def table(tmp_path_factory: pytest.TempPathFactory, weather: dict[str, np.ndarray]) -> Path:
    return write_columns(tmp_path_factory.mktemp("data") / "weather.csv", weather)


@pytest.fixture(scope="session")
def quick() -> tuple[str, ...]:
    """Options of a fit that takes no time."""
    return ("--hidden", "3", "--quiet", "--l1", "0.02", "--l2", "0.01", "--threshold", "0.3")


@pytest.fixture(scope="session")
def fitted(
    run: Run, table: Path, quick: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Any]:
    """The folder of a fit with two rules, and what was printed."""
    out = tmp_path_factory.mktemp("fit") / "out"
    rules = ("--forbid", "lake -> *", "--require", "rain@1 -> river")
    result = run("fit", table, "--out", out, *quick, *rules)
    assert result.exit_code == 0, result.output
    return out, result
