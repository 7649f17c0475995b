"""The panel: one or many time series of the same variables, checked once, then unchangeable."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

import numpy as np

from chronodag.data.checks import (
    FloatArray,
    as_matrix,
    as_names,
    check_finite,
    check_varies,
    counted,
    naming_series,
    require_distinct,
)
from chronodag.data.read import read, require_names
from chronodag.errors import DataError, SettingsError


@dataclass(frozen=True, eq=False, repr=False)
class Panel:
    """Time series of the same variables, each an array (time, variable), rows in order of time.

    The panel owns a read-only copy of the numbers. A lag never reaches from one series into
    another. Build one from your own data with `Panel.from_any`.

    Attributes:
        names: the variables, in the order of the columns.
        series: one read-only float64 array (T_s, d) per series: views into `values`.
        keys: what each series is called; "0", "1", ... unless given.
        values: all series laid end to end, (N, d), read-only.
    """

    names: tuple[str, ...]
    series: tuple[FloatArray, ...]
    keys: tuple[str, ...] = ()
    values: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        names = as_names(self.names)
        keys = tuple(str(key) for key in self.keys) or tuple(map(str, range(len(self.series))))
        parts = _matrices(names, self.series, keys)
        values = np.empty((sum(map(len, parts)), len(names)))
        np.concatenate(parts, out=values)
        offsets = _starts(parts)
        check_finite(values, names, keys, offsets)
        values.flags.writeable = False
        views = (values[start : start + len(p)] for start, p in zip(offsets, parts, strict=True))
        settled = {"names": names, "series": tuple(views), "keys": keys, "values": values}
        for name, value in settled.items():
            object.__setattr__(self, name, value)

    @classmethod
    def from_any(
        cls,
        data: Any,
        names: Sequence[str] | None = None,
        *,
        series: str | None = None,
        time: str | None = None,
        allow_constant: bool = False,
    ) -> "Panel":
        """A panel from whatever holds the data.

        Args:
            data: a frame (pandas, polars, pyarrow, ...), an array (time, variable), a list or
                dict of these with one entry per series, or a panel, which is returned as it is.
                A pandas index is never a variable; one that holds times must grow.
            names: names for the columns of an array ("X1", "X2", ... by default). A frame or a
                panel has names of its own, which must then be these, in this order.
            series: for one long frame, the column that tells the series apart. Series keep the
                order of first appearance; the rows of each keep theirs.
            time: the column with the time of each row; it must grow within each series.
            allow_constant: accept columns that never change, as short data to predict from
                may have.

        Raises:
            DataError: the data cannot be used as it is; the message says where and why.
        """
        if isinstance(data, Panel):
            panel = data._with_names_checked(names, series, time)
        else:
            readings = read(data, names, series, time)
            parts = tuple(reading.values for reading in readings)
            panel = cls(readings[0].names, parts, tuple(reading.key for reading in readings))
        if not allow_constant:
            check_varies(panel.values, panel.names)
        return panel

    def _with_names_checked(
        self, names: Sequence[str] | None, series: str | None, time: str | None
    ) -> "Panel":
        if series is not None or time is not None:
            raise DataError(
                "series= and time= name columns of a frame, but a Panel came, which has its "
                "series already. Leave them out."
            )
        if names is not None:
            require_names(self.names, as_names(names))
        return self

    @property
    def dimension(self) -> int:
        """The number of variables, d."""
        return len(self.names)

    @property
    def length(self) -> int:
        """The number of rows in all series together, N."""
        return len(self.values)

    @property
    def lengths(self) -> tuple[int, ...]:
        """The number of rows of each series."""
        return tuple(len(part) for part in self.series)

    @property
    def offsets(self) -> tuple[int, ...]:
        """The row of `values` at which each series starts."""
        return _starts(self.series)

    def require_longer_than(self, lags: int) -> None:
        """Refuse series too short to hold one row with all its lags before it."""
        if isinstance(lags, bool) or not isinstance(lags, int | np.integer) or lags < 0:
            raise SettingsError(f"lags must be a whole number, 0 or more; got {lags!r}.")
        short = [(k, t) for k, t in zip(self.keys, self.lengths, strict=True) if t <= lags]
        if short:
            listed = ", ".join(f"{key!r} ({counted(rows, 'row')})" for key, rows in short[:8])
            more = f" and {len(short) - 8} more" if len(short) > 8 else ""
            raise DataError(
                f"With {counted(int(lags), 'lag')} every series needs at least {lags + 1} rows, "
                f"and these are shorter: {listed}{more}. Use fewer lags or leave them out."
            )

    def __repr__(self) -> str:
        variables = counted(self.dimension, "variable")
        series = counted(len(self.series), "series", "series")
        return f"Panel({variables} × {counted(self.length, 'row')} in {series})"

    def __reduce__(self) -> tuple[Callable[..., "Panel"], tuple[Any, ...]]:
        # Arrays come back writable from a pickle; building anew makes them read-only again.
        return Panel, (self.names, self.series, self.keys)


def _matrices(
    names: tuple[str, ...], series: Sequence[Any], keys: tuple[str, ...]
) -> list[FloatArray]:
    """Every series as a float array with one column per name."""
    if not len(series):
        raise DataError("A panel needs at least one series; none came.")
    if len(keys) != len(series):
        raise DataError(f"{len(keys)} keys came for {len(series)} series. Give one key per series.")
    require_distinct(keys, "Two series have the same key", "Give each series its own key.")
    parts = []
    for key, array in zip(keys, series, strict=True):
        with naming_series(key):
            part = as_matrix(array)
            if part.shape[1] != len(names):
                found, expected = counted(part.shape[1], "column"), counted(len(names), "name")
                raise DataError(f"{found}, but {expected}. Give one name per column.")
        parts.append(part)
    return parts


def _starts(parts: Sequence[FloatArray]) -> tuple[int, ...]:
    return tuple(accumulate((len(part) for part in parts[:-1]), initial=0))
