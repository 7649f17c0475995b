"""Arrays kept in a folder under the hash of their question, each file written in one step."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from chronodag.errors import SettingsError

Arrays = dict[str, NDArray[Any]]


class ArrayStore:
    """A folder of arrays, or (without a folder) nothing."""

    def __init__(self, folder: str | Path | None) -> None:
        self.folder = None if folder is None else Path(folder)
        if self.folder is not None:
            _make(self.folder)

    def load(self, key: str) -> Arrays | None:
        """Return what was kept under a key; None if nothing was, or it cannot be read."""
        if self.folder is None:
            return None
        try:
            with np.load(self.folder / f"{key}.npz", allow_pickle=False) as file:
                return {name: file[name] for name in file.files}
        except (OSError, ValueError, EOFError, KeyError, BadZipFile):
            return None  # made anew and replaced

    def save(self, key: str, arrays: Arrays) -> None:
        """Write arrays under a key: all of it is there, or nothing."""
        if self.folder is None:
            return
        part = self.folder / f".{key}.{os.getpid()}.tmp"
        try:
            with part.open("wb") as file:
                np.savez(file, allow_pickle=False, **arrays)
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, self.folder / f"{key}.npz")
        finally:
            part.unlink(missing_ok=True)


def digest(content: Any) -> str:
    """Return a hash of plain values and arrays that is the same in every process."""
    text = json.dumps(content, sort_keys=True, default=_plain)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _plain(value: Any) -> Any:
    array = np.ascontiguousarray(value)
    data = hashlib.sha256(array.tobytes()).hexdigest()
    return [str(array.dtype), list(array.shape), data]


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(
            f"store={str(folder)!r} cannot be used as a folder ({error.strerror}); choose another."
        ) from error
