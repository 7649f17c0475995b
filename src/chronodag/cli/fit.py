"""`chronodag fit`: a table in, a graph out."""

from __future__ import annotations

import warnings
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chronodag.cli.exits import ExitCode, clean_errors

if TYPE_CHECKING:
    from chronodag.data import Panel
    from chronodag.graph import TemporalGraph
    from chronodag.learn import NTSNotears

# The groups of options in the help.
_data = partial(typer.Option, rich_help_panel="The data")
_known = partial(typer.Option, rich_help_panel="What you know")
_model = partial(typer.Option, rich_help_panel="The model")
_result = partial(typer.Option, rich_help_panel="The result")

_Names = list[str] | None
_Text = str | None


def fit(
    context: typer.Context,
    data: Annotated[
        Path, typer.Argument(help="A .csv, .tsv or .parquet table: a row per moment, in order.")
    ],
    series: Annotated[
        _Text, _data(metavar="COLUMN", help="The column that tells several series apart.")
    ] = None,
    time: Annotated[
        _Text, _data(metavar="COLUMN", help="The column with the time of each row.")
    ] = None,
    columns: Annotated[_Names, _data(metavar="A,B,…", help="Use only these columns.")] = None,
    drop: Annotated[_Names, _data(metavar="A,B,…", help="Leave these columns out.")] = None,
    standardize: Annotated[
        bool,
        _data("--standardize/--no-standardize", help="Mean 0 and spread 1 for every variable."),
    ] = True,
    forbid: Annotated[
        _Names,
        _known(
            metavar="RULE",
            help="An impossible edge: source@lags -> target, like 'goal@0,1 -> *'. Repeatable.",
        ),
    ] = None,
    require: Annotated[
        _Names, _known(metavar="RULE", help="A certain edge, like 'rain@1 -> river'. Repeatable.")
    ] = None,
    knowledge: Annotated[
        Path | None, _known(metavar="FILE", help="Rules from a YAML or JSON file.")
    ] = None,
    lags: Annotated[
        str, _model("--lags", "-k", metavar="N", help="Look back this many rows, or auto.")
    ] = "1",
    method: Annotated[
        str, _model(metavar="NAME", help="What learns; chronodag methods lists them.")
    ] = "nts-notears",
    setting: Annotated[
        _Names,
        _model(
            "--set",
            metavar="KEY=VALUE",
            help="A setting of another method than nts-notears. Repeatable.",
        ),
    ] = None,
    hidden: Annotated[
        _Text,
        _model(
            metavar="N",
            help="Kernels per network, or 10,5 for two layers (default: as many as variables).",
        ),
    ] = None,
    l1: Annotated[
        _Text,
        _model(metavar="N,N,…", help="Sparsity: one number or one per lag. See above."),
    ] = None,
    l2: Annotated[float | None, _model(help="Shrinkage of all weights. See above.")] = None,
    threshold: Annotated[
        _Text,
        _model(
            metavar="N,N,…",
            help="Cut weaker edges: one number, one per lag, or auto. See above.",
        ),
    ] = None,
    preset: Annotated[
        _Text,
        _model(metavar="NAME", help="Named settings, like paper-lorenz96; others given replace."),
    ] = None,
    effort: Annotated[
        str, _model(help="low, normal or high: the work to weigh the evidence.")
    ] = "normal",
    instantaneous: Annotated[
        bool | None,
        _model(
            "--instantaneous/--no-instantaneous",
            help="Edges at lag 0 or not (default: yes, unless the series are free of noise).",
        ),
    ] = None,
    solver: Annotated[str, _model(help="device or scipy (slower; the paper's).")] = "device",
    dtype: Annotated[str, _model(help="float64 or float32.")] = "float64",
    device: Annotated[str, _model(help="auto, cpu or gpu.")] = "auto",
    memory_limit: Annotated[
        float | None,
        _model(metavar="GIB", help="Memory the fit may need (default: 60 % of the machine's)."),
    ] = None,
    max_iter: Annotated[int, _model(help="Rounds of the solver at most.")] = 100,
    seed: Annotated[int, _model(min=0, help="Seed of the random start.")] = 0,
    out: Annotated[
        Path | None,
        _result(
            "--out",
            "-o",
            metavar="DIR",
            help="Folder for the files (default: the data's name with -chronodag).",
        ),
    ] = None,
    truth: Annotated[
        Path | None,
        _result(metavar="GRAPH.json", help="The true graph, if known: prints scores against it."),
    ] = None,
    quiet: Annotated[bool, _result("--quiet", "-q", help="No progress on stderr.")] = False,
    force: Annotated[bool, _result("--force", help="Replace an earlier result.")] = False,
) -> None:
    """Learn a graph from a table of time series.

    Every column is a variable, unless you say otherwise. With none of --l1, --l2 and --threshold,
    the edges are chosen from the data by the evidence for them, and each has a confidence. With one
    of them, or a preset, nothing is chosen; what is not given is then 2 / rows, 0.015 and 0.3.
    """
    given = dict(context.params)
    with clean_errors():
        from chronodag.cli import folders, method_run, methods, options, results

        chosen = methods.choose(context, method, setting or [])
        arguments = options.learner_settings(given)
        folder = folders.folder_for(data) if out is None else out
        with folders.result_folder(folder, results.FILES, force=force):
            panel = options.panel_of(given)
            true_graph = None if truth is None else _read_truth(truth, panel)
            if chosen is not None:
                raise typer.Exit(
                    method_run.run(chosen, panel, arguments["knowledge"], data, folder, true_graph)
                )
            learner = _learn(panel, arguments, quiet=quiet)
            _report(learner, panel, data, folder, true_graph, arguments)
        code = _exit_code(learner)
    raise typer.Exit(code)


def _read_truth(path: Path, panel: Panel) -> TemporalGraph:
    """Read the true graph, and see before the long work that it has the data's variables."""
    import numpy as np

    from chronodag.graph import TemporalGraph
    from chronodag.metrics import compare

    truth = TemporalGraph.from_json(path)
    d = panel.dimension
    compare(truth, TemporalGraph.from_adjacency(np.zeros((1, d, d)), panel.names))
    return truth


def _learn(panel: Panel, given: dict[str, Any], *, quiet: bool) -> NTSNotears:
    from sklearn.exceptions import ConvergenceWarning

    from chronodag.cli.progress import watching
    from chronodag.cli.terminal import stderr
    from chronodag.learn import NTSNotears

    learner = NTSNotears(**given)
    if not quiet:
        stderr().print(f"The fit {learner.plan(panel)}.", style="dim")
    with warnings.catch_warnings(), watching(quiet=quiet) as watcher:
        # the status is printed and sets the exit code
        warnings.simplefilter("ignore", ConvergenceWarning)
        return learner.fit(panel, callback=watcher)


def _report(
    learner: NTSNotears,
    panel: Panel,
    data: Path,
    folder: Path,
    truth: TemporalGraph | None,
    given: dict[str, Any],
) -> None:
    """Write the files, then print the result."""
    from chronodag.cli import folders, results, tables
    from chronodag.cli.terminal import stdout
    from chronodag.metrics import compare

    scores = None if truth is None else compare(truth, learner.graph_)
    chosen = learner.choices_ is not None
    provisional = [n for n in ("l1", "l2", "threshold") if n not in given and not chosen]
    run = results.describe_run(
        learner, panel, data, provisional, None if scores is None else scores.to_dict()
    )
    folders.clear(folder, results.FILES)
    results.write_results(folder, learner, run, truth)

    console = stdout()
    console.print(tables.data_line(data.name, panel))
    _print_status(learner)
    console.print()
    tables.print_graph(console, learner.graph_, tables.SHOWN, str(folder / "edges.csv"))
    if run["rules"]:
        console.print("\nRules in force:", style="bold")
        console.print("\n".join(f"  {rule}" for rule in run["rules"]))
    if scores is not None:
        console.print("\nAgainst the truth:", style="bold")
        console.print(scores.table())
    if learner.choices_ is not None:
        console.print("\nChosen from the data:", style="bold")
        console.print("\n".join(f"  {line}" for line in str(learner.choices_).splitlines()))
    if provisional:
        console.print(f"\n{_provisional_note(run['settings'], provisional)}", style="dim")
    console.print(f"\nFiles in {folder}/: {', '.join(results.FILES)}")
    console.print(f"See it again: chronodag show {folder}", style="dim")


def _print_status(learner: NTSNotears) -> None:
    from chronodag.cli.tables import counted
    from chronodag.cli.terminal import stdout

    status, solution = learner.status_, learner.solution_
    style = "green" if status.success else "bold yellow"
    console = stdout()
    console.print(f"{status}", style=style)
    if not status.success:
        console.print("The edges below are not a finished result.", style=style)
    console.print(
        f"{counted(len(solution.trace), 'solve')}, {solution.evaluations} evaluations, "
        f"{solution.seconds:.1f} s; objective {solution.objective:.6g}, h {solution.h:.1e}",
        style="dim",
    )


def _provisional_note(settings: dict[str, Any], provisional: list[str]) -> str:
    values = {name: settings[name] for name in provisional}
    shown = ", ".join(
        f"{name} = {value[0] if isinstance(value, list) else value:g}"
        for name, value in values.items()
    )
    return (
        f"Not given and not chosen from your data: {shown}. Which edges appear depends on them. "
        "With none of --l1, --l2 and --threshold given, the data choose."
    )


def _exit_code(learner: NTSNotears) -> ExitCode:
    if learner.status_.success:
        return ExitCode.DONE
    return ExitCode.INTERRUPTED if learner.status_.name == "INTERRUPTED" else ExitCode.STOPPED_EARLY
