"""What data must satisfy. Each check raises a DataError that names the place and the remedy."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from chronodag.errors import DataError

FloatArray = npt.NDArray[np.float64]

# Why an array of this kind of dtype holds no variables, and what to do about it.
_REMEDIES = {
    "c": "give the real and the imaginary part as two columns",
    "O": "if every entry is a number, convert it with array.astype(float)",
    "M": "times are not variables: leave them out, or give a frame and name their column in time=",
    "m": "convert the durations to numbers, for example to seconds",
    "U": "encode the text as numbers, or leave it out",
    "S": "encode the bytes as numbers, or leave them out",
    "V": "give the fields as the columns of a frame, for example pandas.DataFrame(array)",
}


def quoted(items: Iterable[object], limit: int = 8) -> str:
    """Items as text, `'a', 'b' and 3 more`, so that a message stays short."""
    texts = [repr(str(item)) for item in items]
    more = f" and {len(texts) - limit} more" if len(texts) > limit else ""
    return ", ".join(texts[:limit]) + more


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun: `1 row`, `2 rows`."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


@contextmanager
def naming_series(key: str) -> Iterator[None]:
    """Say in every DataError from the block which series it is about."""
    try:
        yield
    except DataError as error:
        raise DataError(f"Series {key!r}: {error}") from error


def as_names(names: Sequence[object]) -> tuple[str, ...]:
    """Names as distinct, non-empty strings."""
    if isinstance(names, str):
        raise DataError(f"names must be a list with one name per variable, got {names!r} alone.")
    texts = tuple(str(name) for name in names)
    empty = [position for position, text in enumerate(texts) if not text.strip()]
    if empty:
        raise DataError(
            f"Column {empty[0]} (counted from 0) has no name. Give every variable a name; if the "
            "column is an index written to a file by pandas, write it with index=False."
        )
    require_distinct(texts, "Two columns have the same name", "Rename or drop one of each.")
    return texts


def require_distinct(texts: Sequence[str], problem: str, remedy: str) -> None:
    """Refuse repeated texts."""
    repeated = [text for text, times in Counter(texts).items() if times > 1]
    if repeated:
        raise DataError(f"{problem}: {quoted(repeated)}. {remedy}")


def as_matrix(array: Any) -> FloatArray:
    """A (time, variable) array of numbers as float64; masked entries become NaN."""
    array = array if isinstance(array, np.ma.MaskedArray) else np.asarray(array)
    _require_two_dimensions(array.shape)
    rows, columns = array.shape
    if not rows or not columns:
        raise DataError(
            f"The data is empty: {counted(rows, 'row')}, {counted(columns, 'column')}. "
            "Give at least one row and one column."
        )
    if array.dtype.kind not in "biuf":
        # Number types foreign to numpy, such as bfloat16, are of kind V without any fields.
        kind = "" if array.dtype.kind == "V" and not array.dtype.names else array.dtype.kind
        remedy = _REMEDIES.get(kind, "convert it with array.astype(float)")
        raise DataError(f"The array has dtype {array.dtype}, not numbers: {remedy}.")
    numbers = array.astype(np.float64, copy=False)
    return np.ma.filled(numbers, np.nan) if isinstance(numbers, np.ma.MaskedArray) else numbers


def _require_two_dimensions(shape: tuple[int, ...]) -> None:
    if len(shape) == 2:
        return
    remedy = {
        1: "For one variable give array[:, None]; put several variables side by side with "
        "numpy.column_stack, or in one frame.",
        3: "If the axes are (series, time, variable), give list(array).",
    }.get(len(shape), "Give one row per moment and one column per variable.")
    raise DataError(
        f"Expected two dimensions (time, variable), got {len(shape)} with shape {shape}. {remedy}"
    )


def check_finite(
    values: FloatArray, names: Sequence[str], keys: Sequence[str], offsets: Sequence[int]
) -> None:
    """Refuse missing and infinite values, saying where the first of them are."""
    bad = ~np.isfinite(values)
    if not bad.any():
        return
    places = []
    for column in np.flatnonzero(bad.any(axis=0)).tolist():
        rows = np.flatnonzero(bad[:, column])
        missing = int(np.isnan(values[rows, column]).sum())
        counts = {"missing": missing, "infinite": len(rows) - missing}
        what = " and ".join(f"{count} {kind}" for kind, count in counts.items() if count)
        places.append(f"{names[column]!r} ({what}, first at {_place(rows, keys, offsets)})")
    more = f"; and {len(places) - 8} more columns" if len(places) > 8 else ""
    raise DataError(
        f"The data has missing (NaN, null) or infinite values in {'; '.join(places[:8])}{more}. "
        "Rows count from 0. Fill these values, or cut the series at the gaps and give the pieces "
        "as a list of series."
    )


def _place(rows: npt.NDArray[np.intp], keys: Sequence[str], offsets: Sequence[int]) -> str:
    """The first few bad rows, counted within the first series that has any."""
    series = int(np.searchsorted(offsets, rows[0], side="right")) - 1
    end = offsets[series + 1] if series + 1 < len(offsets) else rows[-1] + 1
    local = rows[rows < end] - offsets[series]
    text = ("row " if len(local) == 1 else "rows ") + ", ".join(str(row) for row in local[:3])
    text += ", …" if len(local) > 3 else ""
    return text + (f" of series {keys[series]!r}" if len(keys) > 1 else "")


def check_varies(values: FloatArray, names: Sequence[str]) -> None:
    """Refuse columns that never change: nothing can be learned about them."""
    if len(values) == 1:
        raise DataError("The data has 1 row in all: a time series needs at least 2.")
    low, high = values.min(axis=0), values.max(axis=0)
    # A change in the last binary digits only is rounding, and scaling would blow it up to noise.
    rounding = 8 * np.finfo(np.float64).eps * np.maximum(np.abs(low), np.abs(high))
    with np.errstate(over="ignore"):
        constant = np.flatnonzero(high - low <= rounding)
    if constant.size:
        listed = ", ".join(f"{names[c]!r} (always {low[c]:g})" for c in constant[:8])
        more = f" and {constant.size - 8} more" if constant.size > 8 else ""
        raise DataError(
            f"These columns never change: {listed}{more}. "
            "A constant can neither drive nor be driven: drop it."
        )


def reads_as_number(text: str) -> bool:
    """Whether a text is a number to Python."""
    try:
        float(text)
    except ValueError:
        return False
    return True
