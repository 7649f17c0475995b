"""`chronodag path`: the strengths of all edges as the sparsity goes from strong to weak."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
    from chronodag.learn import L1Path

FILES = ("path.csv", "path.png")


@with_options_of_fit(*DATA, *KNOWN, *MODEL, *RESULT)
def path(
    given: Given,
    points: Annotated[
        int, typer.Option(min=2, help="How many values of l1.", rich_help_panel="The path")
    ] = 12,
    truth: Annotated[
        Path | None,
        typer.Option(
            metavar="GRAPH.json", help="Colour the edges of this graph.", rich_help_panel="The path"
        ),
    ] = None,
) -> None:
    """Learn once per sparsity l1, from eight times 2 / rows to an eighth of it, and draw it."""
    with clean_errors():
        from chronodag.cli import folders, options

        folder = folder_of(given)
        with folders.result_folder(folder, FILES, force=given["force"]):
            panel = options.panel_of(given)
            found = _learn(panel, given, points)
            _report(found, panel, given, folder, truth)
    raise typer.Exit(ExitCode.DONE if found.converged.all() else ExitCode.STOPPED_EARLY)


def _learn(panel: Panel, given: Given, points: int) -> L1Path:
    from chronodag.cli.terminal import stderr
    from chronodag.learn import l1_path

    learner = learner_of(given)
    if not given["quiet"]:
        stderr().print(f"Learning with {points} values of l1.")
    try:
        return l1_path(learner, panel, points=points)
    except KeyboardInterrupt:
        print_error("interrupted; nothing was written.")
        raise typer.Exit(ExitCode.INTERRUPTED) from None


def _report(found: L1Path, panel: Panel, given: Given, folder: Path, truth: Path | None) -> None:
    """Write the files, then print how many edges there are at each λ1."""
    from chronodag import view
    from chronodag.cli import folders, tables
    from chronodag.cli.terminal import stdout
    from chronodag.graph import TemporalGraph

    true = None if truth is None else TemporalGraph.from_json(truth)
    picture = view.l1_path(found, truth=true)
    folders.clear(folder, FILES)
    found.to_csv(folder / "path.csv")
    view.save(picture, folder / "path.png")
    console = stdout()
    console.print(tables.data_line(given["data"].name, panel))
    for l1, edges, fine in zip(found.l1s, found.edges, found.converged, strict=True):
        late = "" if fine else "  (not converged)"
        console.print(f"l1 {l1:<10.3g} {tables.counted(int(edges), 'edge')}{late}")
    console.print(f"\nFiles in {folder}/: {', '.join(FILES)}")
