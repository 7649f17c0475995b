"""Working processes seen from the parent: kept from cell to cell, killed at a limit.

Each thread that runs cells has one child of its own. It is a plain process started with a socket,
not one of `multiprocessing`, because workers of clusters may be daemons, which may not have such
children, and because the number of threads must be in its environment before it imports anything.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from multiprocessing.connection import Connection
from typing import Any

from chronodag.study.machine import status_mib
from chronodag.study.measuring import Record
from chronodag.study.spec import Cell, Limits

_LOOK = 0.05
"""Seconds between two looks at the memory of a child."""
_THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "NPROC",  # read by XLA for the size of its pool
)
_own = threading.local()
_alive: dict[int, Child] = {}
_lock = threading.Lock()
_stopping = threading.Event()


class Child:
    """One working process."""

    def __init__(self, threads: int, path: tuple[str, ...]) -> None:
        self.settings = (threads, path)
        ours, theirs = socket.socketpair()
        with theirs:  # closed on our side: only so do we notice when the child is gone
            self.process = subprocess.Popen(
                [sys.executable, "-m", "chronodag.study.child", str(theirs.fileno())],
                env=_environment(threads, path),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,  # what methods print is no result of ours
                pass_fds=(theirs.fileno(),),
                start_new_session=True,  # Ctrl-C is for the parent; and all of it is killed at once
            )
        self.pipe: Any = Connection(ours.detach())
        with _lock:
            _alive[self.process.pid] = self
        self.pipe.recv()  # "ready"

    def kill(self) -> None:
        """End the process and whatever it started; once only, whichever thread comes first.

        The pipe closes when nobody holds it any more: another thread may be waiting on it.
        """
        with _lock:
            if _alive.pop(self.process.pid, None) is None:
                return
        self.end()

    def end(self) -> None:
        """Kill the process, unless it has ended, and wait until it is gone."""
        if self.process.poll() is None:
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except ProcessLookupError:
                self.process.kill()
        self.process.wait()


def _environment(threads: int, path: tuple[str, ...]) -> dict[str, str]:
    known = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    together = dict.fromkeys([*path, *filter(None, known)])
    environment = os.environ | {name: str(threads) for name in _THREAD_VARIABLES}
    # Several children on one accelerator must not each reserve most of its memory.
    environment.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    return environment | {"PYTHONPATH": os.pathsep.join(together)}


def run_in_child(
    cell: Cell,
    limits: Limits,
    threads: int,
    path: tuple[str, ...] = (),
    folder: str | None = None,
) -> Record:
    """Run one cell in this thread's child, starting one if there is none; always answers.

    A cell that warms up has a child to itself: what others imported and compiled there would show
    in its memory and in the time of its first fit.
    """
    if _stopping.is_set():
        return {"status": "interrupted"}
    started = time.perf_counter()
    try:
        child = _child(threads, path, fresh=cell.warm_up)
        started = time.perf_counter()
        child.pipe.send((cell, folder))
        record = _wait(child, limits, started)
    except (EOFError, OSError) as error:
        record = _died(error)
    record.setdefault("elapsed", time.perf_counter() - started)
    return record


def _child(threads: int, path: tuple[str, ...], *, fresh: bool = False) -> Child:
    child: Child | None = getattr(_own, "child", None)
    if child is not None and (
        fresh or child.settings != (threads, path) or child.process.poll() is not None
    ):
        child.kill()
        child = None
    if child is None:
        child = _own.child = Child(threads, path)
    return child


def _wait(child: Child, limits: Limits, started: float) -> Record:
    """Wait for the record; kill the child when it goes beyond a limit."""
    ceiling = None if limits.memory_gib is None else limits.memory_gib * 1024
    while not child.pipe.poll(_LOOK):
        seconds = time.perf_counter() - started
        if limits.seconds is not None and seconds > limits.seconds:
            return _over(child, "timeout", f"took more than {limits.seconds:g} s")
        held = None if ceiling is None else status_mib(child.process.pid)
        if held is not None and ceiling is not None and held > ceiling:
            text = f"held {held / 1024:.2f} GiB, more than {limits.memory_gib:g} GiB"
            return _over(child, "out-of-memory", text) | {"peak_mib": held}
    record: Record = child.pipe.recv()
    return record


def _over(child: Child, status: str, error: str) -> Record:
    child.kill()
    return {"status": status, "error": error}


def _died(error: Exception) -> Record:
    child: Child | None = getattr(_own, "child", None)
    _own.child = None
    if child is None:
        return {"status": "failed", "error": f"the working process did not start: {error}"}
    child.kill()
    if _stopping.is_set():
        return {"status": "interrupted"}
    code = child.process.returncode
    how = f"by signal {-code}" if code < 0 else f"with exit code {code}"
    hint = "; perhaps the system had no memory left" if code == -signal.SIGKILL else ""
    return {"status": "failed", "error": f"the working process ended {how}{hint}"}


def stop_children() -> None:
    """Kill all children of this process; cells under way are then "interrupted", none starts."""
    _stopping.set()
    for child in _children():
        child.end()


def allow_children() -> None:
    """Let cells start (again)."""
    _stopping.clear()


def close_children() -> None:
    """End the children of this process, none of which may be at work."""
    for child in _children():
        child.kill()


def _children() -> list[Child]:
    with _lock:
        return list(_alive.values())
