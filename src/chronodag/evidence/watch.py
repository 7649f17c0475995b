"""Time, and the caller's wish to stop."""

from __future__ import annotations

import time
from collections.abc import Callable

from chronodag.solve import Progress

Callback = Callable[[Progress], bool | None]


class Watch:
    """Tells the caller of the progress, and the work when to end."""

    def __init__(self, seconds: float | None, callback: Callback | None) -> None:
        self.started, self.seconds, self.callback = time.perf_counter(), seconds, callback
        self.stopped = False
        self.evaluations = 0

    @property
    def late(self) -> bool:
        """Whether the caller asked to stop, or time is up; safe to ask from any thread."""
        elapsed = time.perf_counter() - self.started
        return self.stopped or (self.seconds is not None and elapsed > self.seconds)

    def tell(self, stage: str, objective: float, h: float = 0.0) -> bool:
        """Show the progress; True if the caller asks to stop."""
        self.evaluations += 1
        if self.callback is not None and not self.stopped:
            elapsed = time.perf_counter() - self.started
            progress = Progress(0, 0.0, 0.0, h, objective, self.evaluations, elapsed, stage)
            self.stopped = bool(self.callback(progress))
        return self.stopped
