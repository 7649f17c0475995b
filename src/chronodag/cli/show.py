"""`chronodag show`: look again at a result."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from chronodag.cli.exits import clean_errors
from chronodag.errors import GraphError, SettingsError

if TYPE_CHECKING:
    from chronodag.graph import TemporalGraph
    from chronodag.learn import NTSNotears


class _Result(NamedTuple):
    """A graph, where it came from, and the fit behind it, if there is one."""

    graph: TemporalGraph
    status: str | None
    fit: Path | None = None


def show(
    path: Annotated[Path, typer.Argument(help="A folder from fit, a fit.chronodag, a graph.json.")],
    threshold: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBERS", help="Cut anew at this strength: one number, or one per lag."
        ),
    ] = None,
    fdr: Annotated[
        float | None,
        typer.Option(
            metavar="RATE",
            help="Keep as many edges as the confidences allow at this share of false ones.",
        ),
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(metavar="FILE.png", help="Draw the strengths as a matrix per lag."),
    ] = None,
    graph: Annotated[
        Path | None, typer.Option(metavar="FILE.png", help="Draw the graph with its arrows.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the graph as JSON.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print the edges as CSV.")] = False,
) -> None:
    """Print the edges of a result, cut them anew, draw them.

    Pictures are PNG, SVG or PDF, as the name of the file says.
    """
    with clean_errors():
        from chronodag.cli.results import draw
        from chronodag.cli.terminal import stderr

        if as_json and as_csv:
            raise SettingsError("Both --json and --csv came; expected only one of them.")
        if threshold is not None and fdr is not None:
            raise SettingsError("Both --threshold and --fdr came; expected only one of them.")
        result = _find(path)
        found = result.graph if threshold is None else _cut(result, threshold)
        found = found if fdr is None else found.at_false_discovery_rate(fdr)
        if as_json:
            typer.echo(found.to_json(), nl=False)
        elif as_csv:
            typer.echo(found.to_csv(), nl=False)
        else:
            told = None if threshold is None else f"cut anew at {threshold}"
            told = told if fdr is None else f"at an expected false discovery rate of {fdr:g}"
            _print(path, found, result, told)
        draw(found, heatmap=picture, arrows=graph)
        for file in filter(None, (picture, graph)):
            stderr().print(f"Drawn: {file}", style="dim")


def _find(path: Path) -> _Result:
    """Take whatever of a result the path names."""
    from chronodag.graph import TemporalGraph

    if path.is_dir():
        if not (path / "graph.json").is_file():
            raise GraphError(f"{str(path)!r} holds no graph.json; expected a folder from fit.")
        graph = TemporalGraph.from_json(path / "graph.json")
        fit = path / "fit.chronodag"
        return _Result(graph, _recorded_status(path / "run.json"), fit if fit.is_file() else None)
    if not path.exists():
        raise GraphError(
            f"There is no {str(path)!r}; expected a folder from fit, a fit.chronodag or a "
            "graph.json."
        )
    if path.suffix == ".json":
        return _Result(TemporalGraph.from_json(path), None)
    learner = _load(path)
    return _Result(learner.graph_, str(learner.status_), path)


def _recorded_status(path: Path) -> str | None:
    try:
        run: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return str(run["status"]["message"])
    except (OSError, ValueError, KeyError, TypeError):
        return None  # the graph is worth showing without


def _load(path: Path) -> NTSNotears:
    from chronodag.learn import load

    return load(path)


def _cut(result: _Result, text: str) -> TemporalGraph:
    """Draw the graph anew from its strengths; required edges stay, however high the cut."""
    from chronodag.cli.options import number_or_list
    from chronodag.graph import threshold_strengths

    graph = result.graph
    required = None if result.fit is None else _load(result.fit).fitted_.bounds.required
    cuts = number_or_list("--threshold", text)
    return threshold_strengths(graph.strengths, cuts, graph.names, keep=required)


def _print(path: Path, graph: TemporalGraph, result: _Result, cut: str | None) -> None:
    from chronodag.cli.tables import print_graph
    from chronodag.cli.terminal import stdout

    console = stdout()
    console.print(f"{path}: {len(graph.names)} variables, lags 0 to {graph.lags}")
    if result.status is not None:
        console.print(
            result.status, style="green" if result.status.startswith("converged") else "bold yellow"
        )
    if cut is not None:
        console.print(cut)
    console.print()
    print_graph(console, graph, None, "")
