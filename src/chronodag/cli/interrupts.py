"""Ctrl-C during a fit: the first asks it to stop, the second kills at once."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType


@dataclass
class Interrupt:
    """Whether Ctrl-C was pressed."""

    requested: bool = False


@contextmanager
def catching_interrupts(on_first: Callable[[], None] = lambda: None) -> Iterator[Interrupt]:
    """Turn the first Ctrl-C into a request, and put the previous handler back at the end.

    `on_first` is called right away, to tell the user and to leave the terminal in order.
    """
    interrupt = Interrupt()

    def handle(number: int, frame: FrameType | None) -> None:
        interrupt.requested = True
        # The system's own handler also ends a process that is deep inside compiled code.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        on_first()

    previous = signal.signal(signal.SIGINT, handle)
    try:
        yield interrupt
    finally:
        signal.signal(signal.SIGINT, previous)
