"""Running a study: what is missing is run, each result written as it comes, and nothing twice."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from chronodag.backends import backend, each
from chronodag.errors import SettingsError
from chronodag.study.cells import cells
from chronodag.study.children import allow_children, close_children, run_in_child, stop_children
from chronodag.study.estimate import Estimator
from chronodag.study.machine import commit, status_mib, usable_cores, versions
from chronodag.study.measuring import Record
from chronodag.study.methods import check_cells
from chronodag.study.spec import Cell, Limits, Study
from chronodag.study.store import Store

Watch = Callable[[Cell, Record], None]
_ROUNDS_WITHOUT_GAIN = 3


@dataclass(frozen=True)
class Plan:
    """What there is to do, and what is done."""

    cells: tuple[Cell, ...]
    missing: tuple[Cell, ...]
    """Cells to run; with `retry_failed`, those that did not succeed are among them."""
    done: int
    """How many ended well."""
    failed: int
    """How many failed or went beyond a limit, and are not run again."""
    estimator: Estimator


@dataclass(frozen=True, kw_only=True)
class Options:
    """How to run; none of it changes a result."""

    jobs: int | None = None
    """Cells at once; None = one per core."""
    backend: str = "threading"
    address: str | None = None
    """An existing Dask or Ray cluster."""
    retry_failed: bool = False
    data_folder: str | None = None
    """The folder of files for sources that read some."""


def only(study: Study, methods: list[str]) -> Study:
    """Return the study with these methods alone, by label; a group's name takes its whole grid."""
    groups = [name for spec in study.methods for name in (spec.label, spec.group or spec.label)]
    known = list(dict.fromkeys(groups))
    for label in methods:
        if label not in known:
            raise SettingsError(
                f"The study {study.name!r} has no method {label!r}; expected {', '.join(known)}."
            )
    chosen = tuple(spec for spec in study.methods if {spec.label, spec.group} & set(methods))
    left = [spec.label for spec in chosen]
    reference = study.report.reference if study.report.reference in left else None
    return replace(study, methods=chosen, report=replace(study.report, reference=reference))


def plan(study: Study, out: str | Path, *, retry_failed: bool = False) -> Plan:
    """Compare a study with the results in a folder."""
    wanted = distinct(cells(study))
    records = Store(out).records({cell.key for cell in wanted})
    estimator, missing, done, failed = Estimator(), [], 0, 0
    for cell in wanted:
        rows = records.get(cell.key)
        if rows:
            estimator.add(cell, rows[0])
        if rows and rows[0]["status"] == "ok":
            done += 1
        elif rows and not retry_failed:
            failed += 1
        else:
            missing.append(cell)
    return Plan(wanted, tuple(missing), done, failed, estimator)


def distinct(wanted: tuple[Cell, ...]) -> tuple[Cell, ...]:
    """Return each cell once, though two rows of a study may ask for the same."""
    return tuple({cell.key: cell for cell in wanted}.values())


def run(
    study: Study,
    out: str | Path,
    options: Options | None = None,
    *,
    watch: Watch | None = None,
    wanted: tuple[Cell, ...] | None = None,
) -> Plan:
    """Run the cells of a study whose results are not in the folder yet.

    Interrupted or killed at any time, the same call goes on where it stopped. `wanted` runs only
    these of its cells. `watch` is called with each cell and its record, once written.
    """
    options = options or Options()
    todo = plan(study, out, retry_failed=options.retry_failed).missing
    if wanted is not None:
        keys = {cell.key for cell in wanted}
        todo = tuple(cell for cell in todo if cell.key in keys)
    check_cells(todo)
    _check_limits(study.limits)
    if study.one_at_a_time and options.address is not None:
        raise SettingsError(
            f"The study {study.name!r} runs one cell at a time, since it measures time; a cluster "
            "at an address runs many. Leave the address out."
        )
    store = Store(out)
    with store.locked():
        if todo:
            _run_all(study, todo, store, options, watch)
    return plan(study, out)


def _check_limits(limits: Limits) -> None:
    import os

    if sys.platform == "win32":
        raise SettingsError(
            "Studies run their cells in processes connected by POSIX sockets; this is Windows. "
            "Run the study under WSL or on another machine."
        )
    if limits.memory_gib is not None and status_mib(os.getpid()) is None:
        raise SettingsError(
            "limits: memory_gib was given, but this system does not tell how much memory a process "
            "holds. Leave memory_gib out."
        )


def _run_all(
    study: Study, todo: tuple[Cell, ...], store: Store, options: Options, watch: Watch | None
) -> None:
    """Hand out the cells; where workers are lost, hand out again what came to no result."""
    environment = {"commit": commit(), "versions": versions()}
    jobs = jobs_for(study, options.jobs)
    left, vain = {cell.key: cell for cell in todo}, 0
    allow_children()
    try:
        with backend(options.backend, min(jobs, len(todo)), options.address) as width:
            while left:
                before = len(left)
                try:
                    _one_round(study, left, store, environment, options, width, watch)
                except Exception:
                    vain = vain + 1 if len(left) == before else 0
                    if vain == _ROUNDS_WITHOUT_GAIN:
                        raise
    except BaseException:
        stop_children()
        raise
    finally:
        close_children()


def jobs_for(study: Study, jobs: int | None) -> int:
    """Return how many cells run at once: as asked, or else one per core."""
    if jobs is not None and jobs < 1:
        raise SettingsError(f"jobs is {jobs}; expected 1 or more cells at once.")
    if not study.one_at_a_time:
        return usable_cores() if jobs is None else jobs
    if jobs is not None and jobs > 1:
        raise SettingsError(
            f"jobs is {jobs}, but the study {study.name!r} runs one cell at a time, since it "
            "measures time. Leave jobs out."
        )
    return 1


def _one_round(
    study: Study,
    left: dict[str, Cell],
    store: Store,
    environment: dict[str, Any],
    options: Options,
    width: int,
    watch: Watch | None,
) -> None:
    threads = _threads(study.limits, options, width)
    path = tuple(entry for entry in sys.path if _is_own(entry))
    arguments = [(cell, study.limits, threads, path, options.data_folder) for cell in left.values()]
    for key, record in each(_keyed, arguments):
        if record["status"] == "interrupted" or key not in left:
            continue
        cell = left[key]
        store.write(cell, record, study.name, environment)
        del left[key]
        if watch is not None:
            watch(cell, record)


def _keyed(
    cell: Cell, limits: Limits, threads: int, path: tuple[str, ...], folder: str | None
) -> tuple[str, Record]:
    """Run one cell on a worker; joblib returns results in no order, so the key comes along."""
    return cell.key, run_in_child(cell, limits, threads, path, folder)


def _threads(limits: Limits, options: Options, width: int) -> int:
    """Return how many threads a cell gets; workers of a cluster count their own cores."""
    if limits.threads is not None:
        return limits.threads
    return 1 if options.address is not None else max(1, usable_cores() // width)


def _is_own(entry: str) -> bool:
    """Whether a place on the Python path is the user's, not Python's or an environment's."""
    return bool(entry) and "site-packages" not in entry and not entry.startswith(sys.base_prefix)
