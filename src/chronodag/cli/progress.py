"""The state of a running fit on stderr: a live line in a terminal, sparse plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Protocol

from chronodag.cli.interrupts import Interrupt, catching_interrupts

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

    from chronodag.solve import Progress

_PATIENCE = 5.0
"""Seconds between two plain lines."""
_HINT = "Ctrl-C stops and keeps the best state so far."


class Display(Protocol):
    """What a fit reports to."""

    def shown(self) -> AbstractContextManager[object]:
        """Show the display as long as the fit runs."""

    def update(self, progress: Progress) -> None:
        """Take note of a new state."""

    def stopping(self) -> None:
        """Say that the fit was asked to stop."""


class Watcher:
    """The callback of a fit: shows the progress and answers whether to stop."""

    def __init__(self, display: Display, interrupt: Interrupt) -> None:
        self.display, self.interrupt = display, interrupt

    def __call__(self, progress: Progress) -> bool:
        """Report one state; True asks the fit to stop."""
        self.display.update(progress)
        return self.interrupt.requested


@contextmanager
def watching(*, quiet: bool, hint: str = _HINT) -> Iterator[Watcher]:
    """Yield the callback for a fit, which shows its progress and stops it on Ctrl-C."""
    display = _display(quiet, hint)
    with catching_interrupts(display.stopping) as interrupt, display.shown():
        yield Watcher(display, interrupt)


def _display(quiet: bool, hint: str) -> Display:
    from chronodag.cli.terminal import stderr

    if quiet:
        return Silent()
    console = stderr()
    return LiveLine(console, hint) if console.is_terminal else PlainLines(console, hint)


def describe(progress: Progress) -> str:
    """Return the state in one line of less than 80 characters."""
    if progress.stage:
        return (
            f"evidence: {progress.stage} · {progress.objective:.0f} nats · "
            f"{progress.evaluations} looks · {progress.seconds:.0f} s"
        )
    return (
        f"round {progress.round} · ρ {progress.rho:.0e} · h {progress.h:.1e} · "
        f"objective {progress.objective:.5g} · {progress.evaluations} evaluations · "
        f"{progress.seconds:.1f} s"
    )


class Silent:
    """Shows nothing."""

    def shown(self) -> AbstractContextManager[None]:
        """Change nothing."""
        return nullcontext()

    def update(self, progress: Progress) -> None:
        """Pass over the state."""

    def stopping(self) -> None:
        """Pass over the request."""


class PlainLines:
    """Prints the state when a round has begun, though not more often than every few seconds."""

    def __init__(self, console: Console, hint: str = _HINT) -> None:
        self.console, self.hint = console, hint
        self.stage, self.last = (0, ""), time.perf_counter()

    def shown(self) -> AbstractContextManager[None]:
        """Say that the fit begins."""
        self.console.print(f"Learning. {self.hint}")
        return nullcontext()

    def update(self, progress: Progress) -> None:
        """Print the state if it is time to."""
        now = time.perf_counter()
        stage = (progress.round, progress.stage)
        if (stage != self.stage or progress.stage) and now - self.last >= _PATIENCE:
            self.stage, self.last = stage, now
            self.console.print(describe(progress))

    def stopping(self) -> None:
        """Say that the fit was asked to stop."""
        self.console.print("Stopping. Ctrl-C again kills at once.")


class LiveLine:
    """Draws the newest state over the previous one."""

    def __init__(self, console: Console, hint: str = _HINT) -> None:
        from rich.spinner import Spinner

        self.console = console
        self.spinner = Spinner("dots", style="cyan")
        self.text = "getting ready (compiling for this size of data) …"
        self.hint = hint

    def shown(self) -> AbstractContextManager[object]:
        """Draw the line anew several times a second, and take it away at the end."""
        from rich.live import Live

        return Live(self, console=self.console, refresh_per_second=8, transient=True)

    def update(self, progress: Progress) -> None:
        """Keep the state for the next time the line is drawn."""
        self.text = describe(progress)

    def stopping(self) -> None:
        """Say that the fit was asked to stop."""
        # Killed by a second Ctrl-C, nobody else would bring the cursor back.
        self.console.show_cursor(True)
        self.hint = "Stopping … Ctrl-C again kills at once."

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw the two lines."""
        from rich.text import Text

        self.spinner.update(text=Text(self.text))
        yield self.spinner
        yield Text(f"  {self.hint}", style="dim")
