"""Exit codes, and turning expected errors into one clean message on stderr."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum

import typer

from chronodag.errors import (
    ChronodagError,
    DataError,
    GraphError,
    KnowledgeError,
    SettingsError,
)


class ExitCode(IntEnum):
    """What the shell is told."""

    DONE = 0
    UNEXPECTED = 1
    USAGE = 2
    DATA = 3
    KNOWLEDGE = 4
    STOPPED_EARLY = 5
    INTERRUPTED = 130


EPILOG = (
    "Exit codes: 0 done; 1 unexpected error; 2 wrong usage or setting; 3 the data (or a graph "
    "file) cannot be used; 4 the knowledge cannot be used; 5 the solver stopped early, or cells "
    "of a study failed, files written; 130 interrupted by Ctrl-C, files written."
)

_CODES: dict[type[ChronodagError], ExitCode] = {
    DataError: ExitCode.DATA,
    GraphError: ExitCode.DATA,
    KnowledgeError: ExitCode.KNOWLEDGE,
    SettingsError: ExitCode.USAGE,
}
# The library's messages name its arguments; here they are options of the command line.
_ARGUMENT = re.compile(r"\b(lags|series|time|threshold)=(?=(\S?))")

_IN_OTHER_WORDS = {
    "give the pieces as a list of series": "tell the pieces apart in a column for --series",
    'goes through the argument form, for example forbid("my@name", "goal", lag=1)': (
        "goes into a --knowledge file, as {source: my@name, target: goal, lag: 1}"
    ),
    "otherwise drop the column": "otherwise leave it out with --drop",
}


@contextmanager
def clean_errors() -> Iterator[None]:
    """Print an expected error in red, without a traceback, and leave with its exit code.

    Anything else is a bug: its traceback shows, and the exit code is 1.
    """
    try:
        yield
    except ChronodagError as error:
        print_error(as_options(str(error)))
        raise typer.Exit(_CODES.get(type(error), ExitCode.UNEXPECTED)) from None


def as_options(message: str) -> str:
    """Write `time="day"` as `--time "day"`, and advice for Python as advice for the shell."""
    for words, others in _IN_OTHER_WORDS.items():
        message = message.replace(words, others)
    return _ARGUMENT.sub(
        lambda found: f"--{found[1]}" + (" " if found[2].isalnum() or found[2] in "\"'" else ""),
        message,
    )


def print_error(message: str) -> None:
    """Write one message to stderr, red where there are colours."""
    from chronodag.cli.terminal import stderr

    stderr().print(f"Error: {message}", style="bold red")
