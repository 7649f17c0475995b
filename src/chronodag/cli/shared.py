"""Options that other commands share with `chronodag fit`: defined there, once."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

from chronodag.cli.fit import fit

if TYPE_CHECKING:
    from chronodag.learn import NTSNotears

Given = dict[str, Any]
"""The values of the shared options, by their names."""

DATA = ("data", "series", "time", "columns", "drop", "standardize")
KNOWN = ("forbid", "require", "knowledge")
MODEL = (
    *("lags", "hidden", "l1", "l2", "threshold", "effort", "instantaneous", "preset"),
    *("solver", "dtype", "device", "memory_limit", "max_iter", "seed"),
)
RESULT = ("out", "quiet", "force")


def with_options_of_fit(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command these options of fit before its own; their values come first, as a dict."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        shared = _parameters(fit, names)
        own = _parameters(command, list(inspect.signature(command).parameters)[1:])

        def combined(**values: Any) -> None:
            given = {name: values.pop(name) for name in names}
            command(given, **values)

        combined.__name__, combined.__doc__ = command.__name__, command.__doc__
        parameters = [*shared, *own]
        combined.__annotations__ = {one.name: one.annotation for one in parameters}
        combined.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        return combined

    return decorate


def _parameters(function: Callable[..., Any], names: Any) -> list[inspect.Parameter]:
    """Return parameters with annotations that are objects, not texts."""
    hints = get_type_hints(function, include_extras=True)
    found = inspect.signature(function).parameters
    kind = inspect.Parameter.KEYWORD_ONLY
    return [found[name].replace(annotation=hints[name], kind=kind) for name in names]


def learner_of(given: Given) -> NTSNotears:
    """Make the learner that the options describe; none of l1, l2, threshold = by evidence."""
    from chronodag.cli import options
    from chronodag.learn import NTSNotears

    return NTSNotears(**options.learner_settings(given))


def folder_of(given: Given) -> Path:
    """Return the folder for the files."""
    from chronodag.cli import folders

    out: Path | None = given["out"]
    return folders.folder_for(given["data"]) if out is None else out
