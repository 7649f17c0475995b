"""The state of a running study on stderr: a bar in a terminal, nothing elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chronodag.study import Cell, Plan
    from chronodag.study.estimate import Estimator
    from chronodag.study.measuring import Record


class TimeLeft:
    """How long the rest will take, by the estimates of its cells and the pace so far."""

    def __init__(self, left: tuple[Cell, ...], estimator: Estimator, jobs: int) -> None:
        self.left = {cell.key: cell for cell in left}
        self.estimator, self.jobs = estimator, jobs

    def note(self, cell: Cell, record: Record) -> None:
        """Take a finished cell off the rest, and learn from its time."""
        self.left.pop(cell.key, None)
        self.estimator.add(cell, record)

    def seconds(self) -> float | None:
        """Return the seconds left; cells without an estimate count as the mean of the others."""
        from chronodag.study.estimate import total

        known, unknown = total(self.estimator, self.left.values())
        counted = len(self.left) - len(unknown)
        if self.left and not counted:
            return None
        mean = known / counted if counted else 0.0
        return (known + mean * len(unknown)) / self.jobs


@contextmanager
def watching_cells(
    state: Plan, wanted: tuple[Cell, ...] | None, *, jobs: int, quiet: bool
) -> Iterator[Callable[[Cell, Record], None] | None]:
    """Yield what a study calls for each finished cell, and show a bar meanwhile."""
    from chronodag.cli.terminal import stderr

    console = stderr()
    left = state.missing if wanted is None else wanted
    if quiet or not console.is_terminal or not left:
        yield None
        return
    from rich.progress import BarColumn, Progress, TextColumn

    rest = TimeLeft(left, state.estimator, jobs)
    columns = (BarColumn(), TextColumn("{task.description}", markup=False))
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(_line(0, len(left), 0, rest), total=len(left))
        finished, failed, last = 0, 0, 0.0

        def watch(cell: Cell, record: Record) -> None:
            nonlocal finished, failed, last
            finished += 1
            failed += record["status"] != "ok"
            rest.note(cell, record)
            if (now := time.monotonic()) - last > 0.5 or finished == len(left):
                last = now
                line = _line(finished, len(left), failed, rest)
                progress.update(task, completed=finished, description=line)

        yield watch


def _line(finished: int, count: int, failed: int, rest: TimeLeft) -> str:
    from chronodag.study.foresight import duration

    seconds = rest.seconds()
    left = "time left unknown" if seconds is None else f"about {duration(seconds)} left"
    return f"{finished} of {count} cells, {failed} failed, {left}. Ctrl-C keeps what is done."
