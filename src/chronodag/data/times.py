"""Times of the rows, in a column or as pandas row labels: they must grow within each series."""

from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

from chronodag.data.checks import counted, naming_series, reads_as_number
from chronodag.errors import DataError

Column = nw.Series[Any]
Rows = npt.NDArray[np.intp] | slice


def check_times(
    data: Any, columns: dict[str, Column], groups: dict[str, Rows], time: str | None
) -> None:
    """Refuse times that do not grow: those in the column `time`, else those in the index."""
    if time is not None:
        times, source = _times(columns[time], time), f"The times in {time!r}"
    elif (labels := _time_labels(data)) is not None:
        times, source = labels, "The times in the index"
    else:
        return
    for key, rows in groups.items():
        if len(groups) == 1:
            _check_increasing(times[rows], source)
            continue
        with naming_series(key):
            _check_increasing(times[rows], source)


def _check_increasing(times: npt.NDArray[Any], source: str) -> None:
    # A missing time is later than nothing, so it is refused here as well.
    late = np.flatnonzero(~np.asarray(times[1:] > times[:-1], dtype=bool))
    if late.size:
        row = int(late[0]) + 1
        raise DataError(
            f"{source} must grow from row to row, but row {row} ({times[row]}) is not later than "
            f"row {row - 1} ({times[row - 1]}); this happens {counted(late.size, 'time')}. Rows "
            "count from 0. Sort the rows by time and remove repeated moments; if the table holds "
            "several series, name the column that tells them apart in series=."
        )


def _times(column: Column, name: str) -> npt.NDArray[Any]:
    """The times of a column, as an array whose order is that of time."""
    if not (column.dtype.is_temporal() or column.dtype.is_numeric()):
        raise DataError(
            f"The time column {name!r} holds {describe(column)}, which has no order in time. "
            "Convert it to dates or numbers first, for example with pandas.to_datetime."
        )
    missing = missing_rows(column)
    if missing.size:
        raise DataError(
            f"The time column {name!r} has no value in row {missing[0]} (counted from 0), and "
            f"{missing.size} such in all. Fill in the times or drop these rows."
        )
    return column.to_numpy()


def _time_labels(data: Any) -> npt.NDArray[Any] | None:
    """Row labels of a pandas frame that are times; other labels mean nothing to us."""
    index: Any = data.index if nw.dependencies.is_pandas_dataframe(data) else None
    if type(index).__name__ not in ("DatetimeIndex", "PeriodIndex", "TimedeltaIndex"):
        return None
    # Moments with a time zone and periods come as objects, which compare as they should.
    return np.asarray(index.to_numpy())


def missing_rows(column: Column) -> npt.NDArray[np.intp]:
    """The rows of a column that hold no value."""
    missing = column.is_null().to_numpy().astype(bool)
    if column.dtype.is_float():
        missing = missing | np.isnan(column.to_numpy())
    return np.flatnonzero(missing)


def describe(column: Column) -> str:
    """The type of a column, with the first text in it that is not a number."""
    if column.dtype == nw.Unknown:
        native = column.to_native()
        return str(getattr(native, "dtype", None) or getattr(native, "type", "unknown type"))
    if column.dtype != nw.String:
        return str(column.dtype)
    for row, text in enumerate(column.to_list()):
        if isinstance(text, str) and not reads_as_number(text):
            return f"String, {text[:20]!r} in row {row}"
    return "String"
