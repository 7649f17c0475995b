"""Results on disk: one Parquet file per cell, named by the cell's key, written in one step."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chronodag.errors import DataError, SettingsError
from chronodag.study.measuring import Record
from chronodag.study.scores import METRICS
from chronodag.study.spec import FORMAT, Cell, canonical

if TYPE_CHECKING:
    import pyarrow as pa

_TEXTS = (
    *("key", "study", "data_label", "method_label", "source", "method", "truth", "status"),
    *("error", "message", "started", "data", "settings", "environment"),
)
_NUMBERS = ("seconds", "first_seconds", "data_seconds", "elapsed", "peak_mib", *METRICS)
_WHOLE = ("format", "seed", "d", "T")
_SPENT = ("seconds", "first_seconds", "data_seconds", "elapsed", "peak_mib")
_LIGHT = (*_TEXTS, *_NUMBERS, *_WHOLE)
"""All columns but the arrays: what tables need."""
_GRAPHS = ("truth", "names", "shape", "adjacency", "undirected", "truth_adjacency")


class Store:
    """The folder of a study's results."""

    def __init__(self, out: str | Path) -> None:
        self.out = Path(out)
        self.cells = self.out / "cells"

    def path(self, key: str) -> Path:
        """Return where a cell's result lies, or will."""
        return self.cells / f"{key}.parquet"

    def has(self, key: str) -> bool:
        """Whether there is a file for a cell."""
        return self.path(key).exists()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder for one run; remove what a killed one left half-written."""
        self.cells.mkdir(parents=True, exist_ok=True)
        with (self.out / ".lock").open("w", encoding="ascii") as file:
            _lock(file, self.out)
            for left in self.cells.glob(".*.tmp"):
                left.unlink(missing_ok=True)
            yield

    def write(self, cell: Cell, record: Record, study: str, environment: dict[str, Any]) -> None:
        """Write one result: all of it is there, or nothing."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        rows = _rows(cell, record, study, environment)
        table = pa.Table.from_pylist(rows, schema=_schema())
        target = self.path(cell.key)
        part = target.with_name(f".{target.name}.{os.getpid()}.tmp")
        with part.open("wb") as file:
            pq.write_table(table, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, target)

    def write_text(self, name: str, text: str) -> Path:
        """Write a file beside the cells in one step."""
        target = self.out / name
        part = target.with_name(f".{name}.{os.getpid()}.tmp")
        part.write_text(text, encoding="utf-8")
        os.replace(part, target)
        return target

    def records(self, keys: set[str] | None = None) -> dict[str, list[Record]]:
        """Return the rows of every readable result by key, without arrays; one row per truth."""
        paths = sorted(self.cells.glob("*.parquet"))
        wanted = [path for path in paths if keys is None or path.stem in keys]
        read = ((path.stem, _read(path)) for path in wanted)
        return {key: rows for key, rows in read if rows}

    def graphs(self, keys: Iterable[str]) -> dict[str, list[Record]]:
        """Return what was found and what is true, by key; one row per truth, arrays flat."""
        read = ((key, _read(self.path(key), _GRAPHS)) for key in keys)
        return {key: rows for key, rows in read if rows}


def load(out: str | Path) -> pa.Table:
    """Return all results of a folder as one table: a row per cell and truth, arrays included.

    Arrays are lists; `shape` turns `strengths` and `adjacency` back to [lag, source, target], and
    `truth_adjacency` has the same variables in the same order, with the lags of the truth.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    paths = sorted(Store(out).cells.glob("*.parquet"))
    if not paths:
        raise DataError(
            f"{str(out)!r} holds no results; expected a folder that chronodag bench wrote, with "
            "cells/*.parquet in it."
        )
    tables = [pq.read_table(path, partitioning=None) for path in paths]
    # Results of an earlier version have fewer columns.
    return pa.concat_tables(tables, promote_options="default")


def _read(path: Path, columns: tuple[str, ...] = _LIGHT) -> list[Record]:
    """Return the rows of one result, from memory if the file has not changed since."""
    state = path.stat()
    return _read_once(str(path), columns, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=100_000)
def _read_once(path: str, columns: tuple[str, ...], changed: int, size: int) -> list[Record]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            rows: list[Record] = file.read(columns=list(columns)).to_pylist()
    except (pa.ArrowInvalid, OSError):
        return []  # not a result; the cell runs again and replaces it
    return rows


def _rows(
    cell: Cell, record: Record, study: str, environment: dict[str, Any]
) -> list[dict[str, Any]]:
    content = cell.content
    common = {
        "key": cell.key,
        "study": study,
        "data_label": cell.data.label,
        "method_label": cell.method.label,
        "data": canonical(content["data"] | {"standardize": content["standardize"]}),
        "settings": canonical(content["settings"] | _told(content)),
        "environment": json.dumps(environment | {"machine": record.get("machine")}),
        "format": FORMAT,
        **{name: content[name] for name in ("source", "method", "seed")},
        **{name: record.get(name) for name in ("status", "error", "message", "started", "d", "T")},
        **{name: record.get(name) for name in _SPENT},
        **{name: record.get(name) for name in ("shape", "names", "strengths")},
        **{name: record.get(name) for name in ("adjacency", "undirected")},
    }
    scores: dict[str, dict[str, float]] = record.get("scores") or {"": {}}
    true = record.get("truths") or {}
    return [
        common | {"truth": truth, "truth_adjacency": true.get(truth)} | values
        for truth, values in scores.items()
    ]


def _told(content: dict[str, Any]) -> dict[str, Any]:
    return {} if content["knowledge"] is None else {"(knowledge)": content["knowledge"]}


def _schema() -> pa.Schema:
    import pyarrow as pa

    kinds = {
        **dict.fromkeys(_TEXTS, pa.string()),
        **dict.fromkeys(_NUMBERS, pa.float64()),
        **dict.fromkeys(_WHOLE, pa.int64()),
        "shape": pa.list_(pa.int64()),
        "names": pa.list_(pa.string()),
        "strengths": pa.list_(pa.float64()),
        "adjacency": pa.list_(pa.bool_()),
        "undirected": pa.list_(pa.bool_()),
        "truth_adjacency": pa.list_(pa.bool_()),
    }
    return pa.schema(list(kinds.items()))


def _lock(file: Any, out: Path) -> None:
    try:
        import fcntl
    except ImportError:  # not a POSIX system: the user takes care
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise SettingsError(
            f"{str(out)!r} is in use by another run of a study. Wait for it, or choose another "
            "folder with --out."
        ) from None
