"""One frame of any brand becomes names and numbers, split into its series."""

from collections.abc import Hashable
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np

from chronodag.data.checks import FloatArray, as_names, counted, quoted
from chronodag.data.times import Column, Rows, check_times, describe, missing_rows
from chronodag.errors import DataError


class Reading(NamedTuple):
    """One series as it was read, before the checks that look at all series together."""

    key: str
    names: tuple[str, ...]
    values: FloatArray


def is_frame(data: Any) -> bool:
    """Whether narwhals sees a frame that is in memory."""
    try:
        return isinstance(nw.from_native(data, eager_only=True, pass_through=True), nw.DataFrame)
    except nw.exceptions.DuplicateError:
        return True  # a frame with repeated names, which are refused with the other names


def read_frame(data: Any, key: str, series: str | None, time: str | None) -> list[Reading]:
    """The series of one frame; `series` and `time` name columns that are not variables."""
    data = nw.to_native(data, pass_through=True)
    columns = _columns(data)
    for role, name in (("series", series), ("time", time)):
        if name is not None and name not in columns:
            raise DataError(
                f"{role}={name!r} names no column. The columns are {quoted(columns, 20)}."
            )
    if series is not None and series == time:
        raise DataError(f"series= and time= both name {series!r}: they must be different columns.")
    variables = {name: column for name, column in columns.items() if name not in (series, time)}
    if not variables:
        raise DataError("No variables are left: every column is named in series= or time=.")
    _require_numbers(variables)
    values = np.column_stack([_as_floats(column) for column in variables.values()])
    groups: dict[str, Rows] = (
        {key: slice(None)} if series is None else _groups(columns[series], series)
    )
    check_times(data, columns, groups, time)
    return [Reading(group, tuple(variables), values[rows]) for group, rows in groups.items()]


def _columns(data: Any) -> dict[str, Column]:
    """The columns by name, in their order; refuses empty frames and repeated names."""
    _refuse_row_labels_of_many_levels(data)
    # pandas and pyarrow allow repeated names and narwhals does not, so look at the frame itself.
    header = data.column_names if hasattr(data, "column_names") else data.columns
    names = as_names(list(header))
    frame = nw.from_native(data, eager_only=True)
    if not names or not len(frame):
        raise DataError(
            f"The data is empty: {counted(len(frame), 'row')}, {counted(len(names), 'column')}. "
            "Give at least one row and one column."
        )
    return dict(zip(names, frame.iter_columns(), strict=True))


def _require_numbers(variables: dict[str, Column]) -> None:
    """Refuse columns that hold no numbers, each with its type."""
    odd = {n: c for n, c in variables.items() if not (c.dtype.is_numeric() or _is_bool(c))}
    if not odd:
        return
    shown = [f"{name!r} ({describe(column)})" for name, column in list(odd.items())[:8]]
    listed = ", ".join(shown) + (f" and {len(odd) - 8} more" if len(odd) > 8 else "")
    hints = []
    times = [name for name, column in odd.items() if column.dtype.is_temporal()]
    texts = [name for name, column in odd.items() if name not in times]
    if times:
        hints.append(f'if {times[0]!r} holds the time of each row, say time="{times[0]}"')
    if texts:
        hints.append(
            f"encode {texts[0]!r} as numbers (an object column of numbers: astype(float)), "
            f'or say series="{texts[0]}" if it tells several series apart'
        )
    raise DataError(
        f"Every variable must be numeric, but these columns are not: {listed}. "
        f"What to do: {'; '.join(hints)}; otherwise drop the column."
    )


def _is_bool(column: Column) -> bool:
    return column.dtype == nw.Boolean


def _as_floats(column: Column) -> FloatArray:
    """Numbers as float64: booleans become 0 and 1, nulls become NaN."""
    column = column.cast(nw.Float64) if _is_bool(column) else column
    return column.to_numpy().astype(np.float64)


def _groups(identity: Column, name: str) -> dict[str, Rows]:
    """The rows of each series, in the order in which the series first appear."""
    missing = missing_rows(identity)
    if missing.size:
        raise DataError(
            f"The series column {name!r} has no value in row {missing[0]} (counted from 0), and "
            f"{missing.size} such in all. Every row must say which series it belongs to."
        )
    positions: dict[Any, list[int]] = {}
    for row, value in enumerate(identity.to_list()):
        if not isinstance(value, Hashable):
            raise DataError(
                f"The series column {name!r} holds {type(value).__name__} values, which cannot "
                "name a series. Use numbers or text."
            )
        positions.setdefault(value, []).append(row)
    groups: dict[str, Rows] = {str(value): np.array(rows) for value, rows in positions.items()}
    if len(groups) < len(positions):
        raise DataError(
            f"Two values of the series column {name!r} read the same as text, such as 1 and '1'. "
            "Give each series its own name."
        )
    return groups


def _refuse_row_labels_of_many_levels(data: Any) -> None:
    """Labels of several levels often tell series apart: never read these as one series."""
    if nw.dependencies.is_pandas_dataframe(data) and data.index.nlevels > 1:
        raise DataError(
            f"The rows are labelled by {data.index.nlevels} levels ({quoted(data.index.names)}). "
            "Turn them into columns with reset_index() and say which one is series= and which one "
            "is time=."
        )
