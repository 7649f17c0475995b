"""`chronodag demo`: the whole way in about a minute."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from chronodag.cli.exits import ExitCode, clean_errors, print_error


def demo(
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="Folder for files and pictures.")
    ] = Path("chronodag-demo"),
) -> None:
    """See it work: a chaotic system is found out, and one known fact repairs a graph.

    Takes about a minute. Files of an earlier demo are replaced.
    """
    with clean_errors():
        from chronodag import demo as tour
        from chronodag.cli.folders import result_folder
        from chronodag.cli.progress import watching

        try:
            with result_folder(out, (), force=True):
                tour.run(
                    out, typer.echo, partial(watching, quiet=False, hint="Ctrl-C ends the demo.")
                )
        except KeyboardInterrupt:
            print_error("interrupted; the demo is not complete.")
            raise typer.Exit(ExitCode.INTERRUPTED) from None
