"""The process that does the work: takes one cell after the other until its parent goes away.

Started by `chronodag.study.children` as `python -m chronodag.study.child FD`; the threads it may
use are in its environment, since libraries read that once, when they are imported.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from multiprocessing.connection import Connection
from typing import Any

IDLE_SECONDS = 600.0
"""A child without work for so long ends by itself: on a cluster nobody else would end it."""


def main(descriptor: int) -> None:
    """Answer each cell with its record."""
    from chronodag.study.measuring import measure

    pipe: Any = Connection(descriptor)
    jobs: queue.Queue[Any] = queue.Queue()
    threading.Thread(target=_listen, args=(pipe, jobs), daemon=True).start()
    _answer(pipe, "ready")
    while True:
        try:
            cell, folder = jobs.get(timeout=IDLE_SECONDS)
        except queue.Empty:
            os._exit(0)
        _answer(pipe, measure(cell, folder))


def _answer(pipe: Any, message: Any) -> None:
    """Send to the parent; when it is gone there is nobody to tell, so end without a word."""
    try:
        pipe.send(message)
    except OSError:
        os._exit(0)


def _listen(pipe: Any, jobs: queue.Queue[Any]) -> None:
    """Pass jobs on; when the parent is gone, end at once, in the midst of a cell or not."""
    while True:
        try:
            jobs.put(pipe.recv())
        except (EOFError, OSError):
            os._exit(0)


if __name__ == "__main__":
    main(int(sys.argv[1]))
