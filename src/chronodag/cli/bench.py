"""`chronodag bench`: run a study, resume it, report on it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from chronodag.cli.exits import ExitCode, clean_errors, print_error
from chronodag.errors import SettingsError

if TYPE_CHECKING:
    from chronodag.study import Options, Plan, Study


class _Run(NamedTuple):
    """What the options come to."""

    study: Study
    out: Path
    options: Options
    quiet: bool


def bench(
    name: Annotated[
        str | None, typer.Argument(help="A built-in study (see --list) or a FILE.yaml.")
    ] = None,
    list_studies: Annotated[
        bool, typer.Option("--list", help="List the built-in studies and stop.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="DIR", help="Folder for results (default NAME-study)."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Less of it, as the study's quick: section says.")
    ] = False,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", min=1, help="Cells at once (default: all cores).")
    ] = None,
    backend: Annotated[
        str, typer.Option(help="Who runs the cells: threading, loky, dask or ray.")
    ] = "threading",
    address: Annotated[
        str | None, typer.Option(help="Join this Dask or Ray cluster instead of starting one.")
    ] = None,
    methods: Annotated[
        list[str] | None,
        typer.Option(metavar="LABEL", help="Only this method; may be given several times."),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Report this metric; may be given several times."),
    ] = None,
    data_folder: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder of files for studies of those.")
    ] = None,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Run cells that failed or timed out again.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what is to do and how long it may take.")
    ] = False,
    probe: Annotated[
        bool,
        typer.Option("--probe", help="Run one cell of each kind that has no estimate, then stop."),
    ] = False,
    report_only: Annotated[
        bool, typer.Option("--report-only", help="Run nothing; report on what is there.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Run a study: data × methods × seeds, from a small file.

    Each result is written at once, so a study that was killed or stopped goes on where it was when
    the same command is given again. The report is report.md in the folder, with a picture.
    """
    with clean_errors():
        if list_studies or name is None:
            _list(asked=list_studies)
            return
        from chronodag.study import Options, find_study, only

        study = find_study(name, quick=quick)
        if methods:
            study = only(study, methods)
        options = Options(
            jobs=jobs,
            backend=backend,
            address=address,
            retry_failed=retry_failed,
            data_folder=None if data_folder is None else str(data_folder),
        )
        chosen = _Run(study, out or Path(f"{study.name}-study"), options, quiet)
        _check_metrics(metric, study)
        if dry_run or probe:
            _foresee(chosen, probe=probe)
        else:
            _finish(chosen, metric, run=not report_only)


def _list(*, asked: bool) -> None:
    from chronodag.study import builtin_studies, find_study

    if not asked:
        raise SettingsError(
            "No study was named; expected a built-in one (see chronodag bench --list) or a file "
            "that ends in .yaml."
        )
    names = builtin_studies()
    width = max(map(len, names))
    for name in names:
        typer.echo(f"{name:<{width}}  {find_study(name).description}")


def _check_metrics(metrics: list[str] | None, study: Study) -> None:
    from chronodag.study.report import check_metric

    for metric in metrics or study.report.metrics:
        check_metric(metric, study.report.focus)


def _finish(chosen: _Run, metrics: list[str] | None, *, run: bool) -> None:
    """Run what is missing, write the report, and leave with the code that fits."""
    from chronodag.study import plan
    from chronodag.study.writing import write_report

    state = _go(chosen, None) if run else plan(chosen.study, chosen.out)
    if not run and len(state.missing) == len(state.cells):
        raise SettingsError(
            f"--out {str(chosen.out)!r} holds no result of the study {chosen.study.name!r}. Run it "
            "without --report-only."
        )
    for path in write_report(chosen.study, chosen.out, metrics):
        typer.echo(str(path))
    _leave(chosen, state)


def _leave(chosen: _Run, state: Plan) -> None:
    if state.failed:
        print_error(
            f"{state.failed} of {len(state.cells)} cells failed or went beyond a limit; the report "
            "says which and why. --retry-failed runs them again."
        )
        raise typer.Exit(ExitCode.STOPPED_EARLY)


def _go(chosen: _Run, wanted: Any) -> Plan:
    """Run cells with a display; on Ctrl-C say how to go on."""
    from chronodag.cli.bench_progress import watching_cells
    from chronodag.study import plan, run
    from chronodag.study.running import jobs_for

    state = plan(chosen.study, chosen.out, retry_failed=chosen.options.retry_failed)
    jobs = jobs_for(chosen.study, chosen.options.jobs)
    try:
        with watching_cells(state, wanted, jobs=jobs, quiet=chosen.quiet) as watch:
            return run(chosen.study, chosen.out, chosen.options, watch=watch, wanted=wanted)
    except KeyboardInterrupt:
        left = plan(chosen.study, chosen.out)
        print_error(
            f"interrupted; {left.done + left.failed} of {len(left.cells)} cells are done and kept "
            f"in {str(chosen.out)!r}. The same command goes on from there."
        )
        raise typer.Exit(ExitCode.INTERRUPTED) from None


def _foresee(chosen: _Run, *, probe: bool) -> None:
    """Say what is to do; with `probe`, run one cell of each kind without an estimate before."""
    from chronodag.study import plan
    from chronodag.study.foresight import foresee, probes

    state = plan(chosen.study, chosen.out, retry_failed=chosen.options.retry_failed)
    if probe and (first := probes(state)):
        _go(chosen, first)
        state = plan(chosen.study, chosen.out, retry_failed=chosen.options.retry_failed)
    for line in foresee(chosen.study, state, chosen.options.jobs):
        typer.echo(line)
