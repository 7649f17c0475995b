"""Whatever a person has at hand becomes a list of series: arrays, frames, lists and dicts."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np

from chronodag.data.checks import as_matrix, as_names, counted, naming_series, quoted
from chronodag.data.frames import Reading, is_frame, read_frame
from chronodag.errors import DataError

_ACCEPTED = (
    "a pandas or polars frame, a pyarrow table, a numpy array (time, variable), "
    "or a list or dict of these"
)


def read(
    data: Any, names: Sequence[str] | None, series: str | None, time: str | None
) -> list[Reading]:
    """All series in `data`, in order, every one with the same names."""
    names = None if names is None else as_names(names)
    if isinstance(data, dict):
        readings = _read_many(data.items(), names, series, time)
    elif isinstance(data, list | tuple):
        readings = _read_many(enumerate(data), names, series, time)
    else:
        readings = _read_one(data, "0", names, series, time)
    _require_same_names(readings)
    return readings


def require_names(found: Sequence[str], expected: Sequence[str]) -> None:
    """Refuse names other than the expected ones: nothing is renamed or reordered silently."""
    if tuple(found) == tuple(expected):
        return
    if sorted(found) == sorted(expected):
        problem = "The columns are in another order than names= says"
    else:
        problem = "The columns are not those that names= says"
    raise DataError(
        f"{problem}: found {quoted(found, 20)}; expected {quoted(expected, 20)}. "
        "Select or rename the columns before, or leave names= out."
    )


def _read_many(
    entries: Iterable[tuple[Any, Any]],
    names: tuple[str, ...] | None,
    series: str | None,
    time: str | None,
) -> list[Reading]:
    """One series from each entry of a list or dict."""
    entries = [(str(key), entry) for key, entry in entries]
    if not entries:
        raise DataError(f"The list or dict of series is empty. Give {_ACCEPTED}.")
    if series is not None:
        raise DataError(
            f"series={series!r} is for one long table, but a list or dict of series came. "
            "Leave series= out: each entry is one series."
        )
    readings = []
    for key, entry in entries:
        _refuse_plain_numbers(entry)
        with naming_series(key):
            readings += _read_one(entry, key, names, None, time)
    return readings


def _refuse_plain_numbers(entry: Any) -> None:
    if isinstance(entry, list | tuple | dict | int | float | complex | str | np.generic):
        raise DataError(
            "A list or dict holds one table per series, but an entry of type "
            f"{type(entry).__name__} came. If the whole is one table, make it numpy.array(data) "
            "with one row per moment, or a frame: pandas.DataFrame(data)."
        )


def _read_one(
    data: Any, key: str, names: tuple[str, ...] | None, series: str | None, time: str | None
) -> list[Reading]:
    """The series of one frame or array."""
    if is_frame(data):
        readings = read_frame(data, key, series, time)
        if names is not None:
            require_names(readings[0].names, names)
        return readings
    _require_array(data)
    if series is not None or time is not None:
        raise DataError(
            "series= and time= name columns of a frame, but an array came. "
            "Give a frame, or a list with one array per series."
        )
    values = as_matrix(data)
    default = tuple(f"X{column + 1}" for column in range(values.shape[1]))
    found = default if names is None else names
    if len(found) != values.shape[1]:
        raise DataError(
            f"{counted(len(found), 'name')} came for {counted(values.shape[1], 'column')}"
            f"{': ' if found else ''}{quoted(found, 20)}. Give one name per column."
        )
    return [Reading(key, found, values)]


def _require_array(data: Any) -> None:
    """Refuse what is neither frame nor array, with a hint for the common cases."""
    kind = type(data).__name__
    native = nw.from_native(data, allow_series=True, pass_through=True)
    if isinstance(native, nw.Series):
        hint = "That is one column: put it into a frame, for example with .to_frame()."
    elif isinstance(native, nw.LazyFrame):
        hint = "Its rows are not in memory yet: call .collect() first."
    elif isinstance(data, str | Path):
        hint = "To read a file, use chronodag.data.read_table(path)."
    elif type(data).__module__.split(".")[0] == "xarray":
        hint = "Call .to_pandas() first, so that the names survive."
    elif hasattr(data, "__array__"):
        return
    else:
        hint = ""
    raise DataError(f"Expected {_ACCEPTED}; got {kind}. {hint}".rstrip())


def _require_same_names(readings: Sequence[Reading]) -> None:
    first = readings[0]
    for other in readings[1:]:
        if other.names != first.names:
            raise DataError(
                f"Every series must have the same columns in the same order: series {other.key!r} "
                f"has {quoted(other.names, 20)}, but series {first.key!r} has "
                f"{quoted(first.names, 20)}."
            )
