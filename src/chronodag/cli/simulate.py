"""`chronodag simulate`: data whose true graph is known."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chronodag.cli.exits import clean_errors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from chronodag.data import Panel
    from chronodag.graph import TemporalGraph

_FILES = ("data.csv", "graph.json")
_Rows = Annotated[int, typer.Option(help="Number of rows.")]
_Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same data.")]
_Out = Annotated[
    Path,
    typer.Option("--out", "-o", metavar="DIR", help="Folder for data.csv and graph.json."),
]
_Force = Annotated[bool, typer.Option("--force", help="Replace earlier files.")]


def lorenz96(
    variables: Annotated[int, typer.Option(help="Number of variables on the ring.")] = 20,
    rows: _Rows = 500,
    forcing: Annotated[float, typer.Option(help="F: the larger, the more chaotic.")] = 10.0,
    variant: Annotated[
        str, typer.Option(help="Whose settings: paper, neural-granger or recurrent.")
    ] = "paper",
    noise: Annotated[
        float | None, typer.Option(help="Standard deviation of the noise (default: the variant's).")
    ] = None,
    seed: _Seed = 0,
    out: _Out = Path("lorenz96"),
    force: _Force = False,
) -> None:
    """Lorenz-96: a ring of chaotic variables, driven by i-2, i-1, i and i+1 at lag 1."""
    with clean_errors():
        from chronodag.simulate import lorenz96 as simulate

        made = simulate(variables, rows, rng=seed, forcing=forcing, variant=variant, noise=noise)
        _write(out, made.data, made.graph, force=force)


def random(
    variables: Annotated[int, typer.Option(help="Number of variables.")] = 7,
    lags: Annotated[int, typer.Option(help="The largest lag.")] = 1,
    rows: _Rows = 1000,
    mechanism: Annotated[str, typer.Option(help="ANM, AIM, GLM-Pois or linear.")] = "ANM",
    scheme: Annotated[str, typer.Option(help="Graph at lag 0: ER, BA or bipartite.")] = "ER",
    degree: Annotated[float, typer.Option(help="Mean out-degree at lag 0.")] = 2.0,
    lagged_degree: Annotated[float, typer.Option(help="Mean out-degree at each later lag.")] = 1.0,
    seed: _Seed = 0,
    out: _Out = Path("random"),
    force: _Force = False,
) -> None:
    """Draw a random graph with random nonlinear (or linear) mechanisms, and data from it."""
    with clean_errors():
        import numpy as np

        from chronodag.simulate import random_process

        rng = np.random.default_rng(seed)
        process = random_process(
            variables,
            lags,
            rng=rng,
            mechanism=mechanism,
            scheme=scheme,
            degree=degree,
            lagged_degree=lagged_degree,
        )
        _write(out, process.sample(rows, rng), process.graph, force=force)


def hockey(
    games: Annotated[int, typer.Option(help="Number of games, of about 900 plays each.")] = 10,
    seed: _Seed = 0,
    out: _Out = Path("hockey"),
    force: _Force = False,
) -> None:
    """Ice hockey: 12 variables of mixed types, a series per stretch of play up to a goal."""
    with clean_errors():
        from chronodag.simulate import HOCKEY_KNOWLEDGE
        from chronodag.simulate import hockey as simulate

        made = simulate(games, rng=seed)
        options = f"--series series --forbid '{HOCKEY_KNOWLEDGE}'"
        _write(out, made.panel, made.graph, force=force, options=options)


def bold(
    variables: Annotated[int, typer.Option(help="Number of regions.")] = 5,
    rows: Annotated[int, typer.Option(help="Number of scans.")] = 200,
    repetition_time: Annotated[float, typer.Option(help="Seconds between scans.")] = 3.0,
    noise: Annotated[float, typer.Option(help="Noise, as a share of each region's own sd.")] = 0.1,
    seed: _Seed = 0,
    out: _Out = Path("bold"),
    force: _Force = False,
) -> None:
    """BOLD: a network of brain regions as functional MRI sees it, edges at lag 1."""
    with clean_errors():
        from chronodag.simulate import bold as simulate

        made = simulate(variables, rows, rng=seed, repetition_time=repetition_time, noise=noise)
        _write(out, made.data, made.graph, force=force)


def _write(
    folder: Path,
    data: NDArray[np.float64] | Panel,
    graph: TemporalGraph,
    *,
    force: bool,
    options: str = "",
) -> None:
    from chronodag.cli.folders import result_folder
    from chronodag.cli.terminal import stdout
    from chronodag.data import Panel

    with result_folder(folder, _FILES, force=force):
        if isinstance(data, Panel):
            _write_panel(folder / "data.csv", data)
        else:
            _write_table(folder / "data.csv", data, graph.names)
        graph.to_json(folder / "graph.json")
    console = stdout()
    many = f" in {len(data.series)} series" if isinstance(data, Panel) else ""
    rows = data.length if isinstance(data, Panel) else len(data)
    edges = int(graph.adjacency.sum())
    console.print(f"{folder / 'data.csv'}: {len(graph.names)} variables × {rows} rows{many}")
    console.print(
        f"{folder / 'graph.json'}: the true graph, {edges} edges at lags 0 to {graph.lags}"
    )
    console.print(_sortability(data.values if isinstance(data, Panel) else data, graph))
    words = ["chronodag fit", str(folder / "data.csv"), options, f"--lags {graph.lags}"]
    words.append(f"--truth {folder / 'graph.json'}")
    console.print("Learn it: " + " ".join(filter(None, words)), style="dim")


def _sortability(values: NDArray[np.float64], graph: TemporalGraph) -> str:
    """Say how far the spread of the columns gives the directions away; a short table has none."""
    from chronodag.simulate import sortability

    if len(values) < 2:
        return "Sortability: not defined for a single row"
    share = sortability(values, graph)
    spread, fit = (
        (_shown(a), _shown(b))
        for a, b in ((share.variance, share.variance_window), (share.r2, share.r2_window))
    )
    return (
        f"Sortability (0.5 says nothing): by variance {spread[0]} at lag 0, {spread[1]} at all "
        f"lags; by R² {fit[0]} and {fit[1]}"
    )


def _shown(share: float) -> str:
    return "undefined" if math.isnan(share) else f"{share:.2f}"


def _write_table(path: Path, data: NDArray[np.float64], names: tuple[str, ...]) -> None:
    import numpy as np

    # "%s" writes the shortest text that reads back as the same number
    np.savetxt(path, data, "%s", ",", header=",".join(names), comments="")


def _write_panel(path: Path, panel: Panel) -> None:
    """Write one long table, its first column the number of the series, from 1."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(",".join(["series", *panel.names]) + "\n")
        for number, series in enumerate(panel.series, start=1):
            for row in series.tolist():
                file.write(",".join([str(number), *map(repr, row)]) + "\n")
