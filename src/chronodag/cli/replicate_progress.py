"""The state of a running bootstrap on stderr: a bar in a terminal, sparse plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from chronodag.cli.interrupts import catching_interrupts

if TYPE_CHECKING:
    from rich.console import Console

    from chronodag.learn.replicates import Callback, Progress

_PATIENCE = 5.0
"""Seconds between two plain lines."""


class Stopped(Exception):
    """Ctrl-C was pressed, and the chunk that was running is done and kept."""


@contextmanager
def watching_replicates(*, quiet: bool) -> Iterator[Callback]:
    """Yield the callback of a bootstrap; after Ctrl-C it raises `Stopped`."""
    from chronodag.cli.terminal import stderr

    console = stderr()

    def stopping() -> None:
        if not quiet:
            console.print("Stopping after this chunk. Ctrl-C again kills at once.")

    with catching_interrupts(stopping) as interrupt, _display(console, quiet) as show:

        def watch(progress: Progress) -> bool:
            show(progress)
            if interrupt.requested:
                raise Stopped
            return False

        try:
            yield watch
        except Exception:
            # Ctrl-C also reaches workers, whose end then shows as an error of theirs.
            if interrupt.requested:
                raise Stopped from None
            raise


@contextmanager
def _display(console: Console, quiet: bool) -> Iterator[Callable[[Progress], None]]:
    if quiet:
        yield lambda progress: None
    elif console.is_terminal:
        with _bar(console) as show:
            yield show
    else:
        yield _lines(console)


@contextmanager
def _bar(console: Console) -> Iterator[Callable[[Progress], None]]:
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bars

    columns = (BarColumn(), TextColumn("{task.description}", markup=False))
    with Bars(*columns, console=console, transient=True) as bars:
        task = bars.add_task("getting ready …", total=None)

        def show(progress: Progress) -> None:
            bars.update(
                task,
                completed=progress.done,
                total=progress.replicates,
                description=f"{describe(progress)}. Ctrl-C keeps what is done.",
            )

        yield show


def _lines(console: Console) -> Callable[[Progress], None]:
    last = -_PATIENCE

    def show(progress: Progress) -> None:
        nonlocal last
        now = time.perf_counter()
        if now - last >= _PATIENCE or progress.done == progress.replicates:
            last = now
            console.print(describe(progress))

    return show


def describe(progress: Progress) -> str:
    """Return the state in one line."""
    from chronodag.study.foresight import duration

    seconds = progress.seconds_left
    left = "" if seconds is None or not seconds else f", about {duration(seconds)} left"
    return f"{progress.done} of {progress.replicates} replicates{left}"
