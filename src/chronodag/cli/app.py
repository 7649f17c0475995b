"""The commands put together. Heavy imports wait inside the commands, so that --help is instant."""

from typing import Annotated

import typer

from chronodag.cli.bench import bench
from chronodag.cli.bootstrap import bootstrap
from chronodag.cli.demo import demo
from chronodag.cli.exits import EPILOG
from chronodag.cli.fit import fit
from chronodag.cli.methods import methods
from chronodag.cli.path import path
from chronodag.cli.show import show
from chronodag.cli.simulate import bold, hockey, lorenz96, random

app = typer.Typer(
    name="chronodag",
    help="Learn from time series which variable, at which lag, drives which.",
    epilog=EPILOG,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["--help", "-h"]},
)
simulate = typer.Typer(
    help="Make data whose true graph is known.", no_args_is_help=True, rich_markup_mode="rich"
)
app.command(epilog=EPILOG)(fit)
app.command(epilog=EPILOG)(bootstrap)
app.command(epilog=EPILOG)(path)
app.command(epilog=EPILOG)(methods)
app.command(epilog=EPILOG)(show)
app.add_typer(simulate, name="simulate")
simulate.command(epilog=EPILOG)(lorenz96)
simulate.command(epilog=EPILOG)(random)
simulate.command(epilog=EPILOG)(hockey)
simulate.command(epilog=EPILOG)(bold)
app.command(epilog=EPILOG)(bench)
app.command(epilog=EPILOG)(demo)


def _print_version(wanted: bool) -> None:
    if wanted:
        from chronodag import __version__

        typer.echo(f"chronodag {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version and stop.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Hold the options that come before any command."""


def main() -> None:
    """Run the program."""
    app(prog_name="chronodag")
