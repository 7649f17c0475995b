"""Consoles that print names exactly as they are: no markup, no emoji, nothing cut off."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.console import Console

_UNLIMITED = 10_000
"""The width of a pipe or a file: lines are not broken there."""


def stdout() -> Console:
    """Return the console for results."""
    return _console(sys.stdout)


def stderr() -> Console:
    """Return the console for progress, notes and errors."""
    return _console(sys.stderr)


def _console(stream: TextIO) -> Console:
    from rich.console import Console

    width = None if stream.isatty() else _UNLIMITED
    return Console(file=stream, markup=False, emoji=False, highlight=False, width=width)
