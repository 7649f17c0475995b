"""`chronodag bootstrap`: how stable the edges are over replicates of the data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from chronodag.cli.exits import ExitCode, clean_errors, print_error
from chronodag.cli.shared import (
    DATA,
    KNOWN,
    MODEL,
    RESULT,
    Given,
    folder_of,
    learner_of,
    with_options_of_fit,
)

if TYPE_CHECKING:
    from chronodag.data import Panel
    from chronodag.learn import Bootstrap

FILES = ("bootstrap.json", "bootstrap.csv", "presence.png")
STORE = "replicates"
"""The folder, within that of the result, where finished chunks lie."""
_PANEL = "The replicates"
_STABLE = 0.9


@with_options_of_fit(*DATA, *KNOWN, *MODEL, *RESULT)
def bootstrap(
    given: Given,
    replicates: Annotated[
        int, typer.Option("--replicates", "-n", min=1, help="How many.", rich_help_panel=_PANEL)
    ] = 100,
    block: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Windows per block (default: their third root; whole series from 8 series on).",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    half: Annotated[
        bool,
        typer.Option(
            "--half",
            help="Halves of the data, for a bound on false edges.",
            rich_help_panel=_PANEL,
        ),
    ] = False,
    cold: Annotated[
        bool,
        typer.Option(
            "--cold",
            help="Each replicate from a random start of its own; slower.",
            rich_help_panel=_PANEL,
        ),
    ] = False,
    min_presence: Annotated[
        float,
        typer.Option(
            min=0.0, max=1.0, help="Show edges present in this share.", rich_help_panel=_PANEL
        ),
    ] = 0.5,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs", "-j", min=1, help="Chunks at once (default: 1).", rich_help_panel=_PANEL
        ),
    ] = None,
    backend: Annotated[
        str | None,
        typer.Option(help="Who fits: threading, loky, dask or ray.", rich_help_panel=_PANEL),
    ] = None,
    address: Annotated[
        str | None,
        typer.Option(
            help="Join this Dask or Ray cluster instead of starting one.", rich_help_panel=_PANEL
        ),
    ] = None,
) -> None:
    """Learn a graph from many replicates of the data, and count how often each edge comes back.

    Finished replicates are kept in the folder, so that the same command goes on where it was
    stopped; with --force and more --replicates it adds to a finished result.
    """
    options = {"replicates": replicates, "block": block, "jobs": jobs, "backend": backend}
    options |= {"address": address, "resample": "half" if half else "bootstrap"}
    options["warm"] = not cold
    with clean_errors():
        from chronodag.cli import folders
        from chronodag.cli import options as texts

        folder = folder_of(given)
        with folders.result_folder(folder, FILES, force=given["force"]):
            panel = texts.panel_of(given)
            asked = _Asked(given, folder, options, min_presence)
            result = _fit(panel, asked)
            _report(result, panel, asked)
    raise typer.Exit(ExitCode.STOPPED_EARLY if result.failed else ExitCode.DONE)


class _Asked(NamedTuple):
    """What the options come to."""

    given: Given
    folder: Path
    options: dict[str, Any]
    min_presence: float


def _fit(panel: Panel, asked: _Asked) -> Bootstrap:
    """Fit the replicates with a display; on Ctrl-C say how to go on."""
    from chronodag.cli.replicate_progress import Stopped, watching_replicates
    from chronodag.cli.terminal import stderr
    from chronodag.learn import bootstrap as learn_replicates
    from chronodag.learn.settings import is_automatic

    given = asked.given
    learner = learner_of(given)
    if is_automatic(learner.get_params(deep=False)) and not given["quiet"]:
        stderr().print("The edges are chosen by the evidence first; then the replicates follow.")
    try:
        with watching_replicates(quiet=given["quiet"]) as watcher:
            return learn_replicates(
                learner,
                panel,
                random_state=given["seed"],
                store=asked.folder / STORE,
                callback=watcher,
                **asked.options,
            )
    except (Stopped, KeyboardInterrupt):
        print_error(
            f"interrupted; the replicates that are done are kept in {str(asked.folder)!r}. The "
            "same command goes on from there."
        )
        raise typer.Exit(ExitCode.INTERRUPTED) from None


def _report(result: Bootstrap, panel: Panel, asked: _Asked) -> None:
    """Write the files, then print the result."""
    from chronodag import view
    from chronodag.cli import folders, tables
    from chronodag.cli.terminal import stdout

    folder = asked.folder
    folders.clear(folder, FILES)
    result.to_json(folder / "bootstrap.json")
    result.to_csv(folder / "bootstrap.csv")
    picture = view.confidences(result, min_presence=asked.min_presence)
    view.save(picture, folder / "presence.png")

    console = stdout()
    console.print(tables.data_line(asked.given["data"].name, panel))
    console.print(result.message, style="bold yellow" if result.failed else "green")
    console.print()
    edges = result.edges(asked.min_presence)
    share = f"{asked.min_presence:.0%} of the replicates or more"
    console.print(f"{tables.counted(len(edges), 'edge')} in {share}:", style="bold")
    if edges:
        console.print(_table(result, asked.min_presence))
    if len(edges) > tables.SHOWN:
        console.print(f"… {len(edges) - tables.SHOWN} more in {folder / 'bootstrap.csv'}")
    if result.resample == "half":
        console.print(_bound(result))
    console.print(f"\nFiles in {folder}/: {', '.join(FILES)}")


def _bound(result: Bootstrap) -> str:
    found = len(result.edges(_STABLE))
    return (
        f"\nOf the {found} in {_STABLE:.0%} or more, at most {result.stability_bound(_STABLE):.1f} "
        "are expected to be false (Meinshausen and Bühlmann 2010, under their assumptions)."
    )


def _table(result: Bootstrap, min_presence: float) -> Any:
    from rich.table import Table

    from chronodag.cli.tables import SHOWN
    from chronodag.graph import node_label

    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("source", overflow="fold", justify="right")
    table.add_column("")
    table.add_column("target", overflow="fold")
    span = f"strength ({result.level:.0%})"
    for heading in ("presence", "this way", span):
        table.add_column(heading, justify="right", no_wrap=True)
    for edge in result.edges(min_presence)[:SHOWN]:
        table.add_row(
            node_label(edge.source, edge.lag),
            "->",
            node_label(edge.target, 0),
            f"{edge.presence:.2f}",
            "" if edge.direction is None else f"{edge.direction:.2f}",
            f"{edge.strength_low:.3f} to {edge.strength_high:.3f}",
        )
    return table
