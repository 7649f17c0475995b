"""Tables from files: comma- or tab-separated text, also gzipped, and Parquet."""

import re
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from chronodag.data.checks import as_names, reads_as_number
from chronodag.errors import DataError

_DELIMITERS = {".csv": ",", ".csv.gz": ",", ".tsv": "\t", ".tsv.gz": "\t"}
_SUFFIXES = (*_DELIMITERS, ".parquet")


def read_table(path: str | PathLike[str]) -> Any:
    """The table in a file, as a pyarrow table that `Panel.from_any` and every frame library read.

    The first line of a text file holds the names; spaces around a name are dropped. Of a Parquet
    file that pandas wrote, index columns without a name are left out: an index is no variable.

    Raises:
        DataError: no such file, an unknown kind of file, or one that cannot be read as a table.
    """
    path = Path(path)
    suffix = next((end for end in _SUFFIXES if path.name.lower().endswith(end)), None)
    if suffix is None:
        raise DataError(f"{str(path)!r} is of an unknown kind. Give one of {', '.join(_SUFFIXES)}.")
    if not path.is_file():
        raise DataError(f"There is no file {str(path)!r}. Check the path.")
    try:
        table = _parse(path, suffix)
        names = [name.strip() for name in table.column_names]
    # pyarrow reports malformed files as subclasses of ValueError or OSError.
    except (ValueError, OSError) as error:
        raise DataError(f"{str(path)!r} cannot be read as a table: {error}") from error
    if suffix in _DELIMITERS:
        _require_header(path, names)
    try:
        return table.rename_columns(as_names(names))
    except DataError as error:
        raise DataError(f"In {str(path)!r}: {error}") from error


def _parse(path: Path, suffix: str) -> Any:
    """The table as it stands in the file."""
    if suffix == ".parquet":
        from pyarrow import parquet

        table = parquet.read_table(path)
        return table.select(
            [c for c in table.column_names if not re.fullmatch(r"__index_level_\d+__", c)]
        )
    from pyarrow import csv

    return csv.read_csv(path, parse_options=csv.ParseOptions(delimiter=_DELIMITERS[suffix]))


def _require_header(path: Path, names: Sequence[str]) -> None:
    """Refuse a first line that looks like data, or like another separator."""
    if len(names) == 1 and (found := re.search(r"[;\t|,]", names[0])):
        raise DataError(
            f"{str(path)!r} seems to be separated by {found.group()!r}: its first line is one "
            f"name, {names[0][:60]!r}. Separate .csv by commas and .tsv by tabs."
        )
    if names and not _counts_up(names) and all(map(reads_as_number, names)):
        raise DataError(
            f"The first line of {str(path)!r} holds numbers only, so it looks like data. "
            "Write the names of the columns into the first line."
        )


def _counts_up(names: Sequence[str]) -> bool:
    """Names such as 0, 1, 2, which tables without names of their own are often written with."""
    if not all(name.isdecimal() for name in names):
        return False
    return all(int(name) == int(names[0]) + step for step, name in enumerate(names))
