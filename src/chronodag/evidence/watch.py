"""Progress, and the caller's wish to stop."""

from __future__ import annotations

import time
from collections.abc import Callable

from chronodag.solve import Progress

Callback = Callable[[Progress], bool | None]


class Watch:
    """Tells the caller of the progress; `stopped` once the caller asked for that."""

    def __init__(self, callback: Callback | None) -> None:
        self.started, self.callback = time.perf_counter(), callback
        self.stopped = False
        self.evaluations = 0

    def tell(self, stage: str, objective: float, h: float = 0.0) -> bool:
        """Show the progress; True if the caller asks to stop."""
        self.evaluations += 1
        if self.callback is not None and not self.stopped:
            elapsed = time.perf_counter() - self.started
            progress = Progress(0, 0.0, 0.0, h, objective, self.evaluations, elapsed, stage)
            self.stopped = bool(self.callback(progress))
        return self.stopped
