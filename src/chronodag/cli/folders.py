"""Folders for results: a new result is never mixed into an old one unasked."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from chronodag.errors import SettingsError


def folder_for(data: Path) -> Path:
    """Return `prices-chronodag` for any `…/prices.csv`, in the current folder."""
    return Path(f"{data.name.split('.')[0] or 'data'}-chronodag")


@contextmanager
def result_folder(folder: Path, files: Iterable[str], *, force: bool) -> Iterator[None]:
    """Make the folder before the long work begins; one that holds any of the files is refused.

    With `force` they may be there: `clear` removes them when the new ones are ready. A folder
    made here that is still empty after an error goes again.
    """
    earlier = [name for name in files if (folder / name).exists()]
    if earlier and not force:
        raise SettingsError(
            f"--out {str(folder)!r} already holds a result ({', '.join(earlier)}). Choose "
            "another folder, or say --force to replace it."
        )
    is_new = not folder.exists()
    _make(folder)
    try:
        yield
    finally:
        if is_new and not any(folder.iterdir()):
            folder.rmdir()


def clear(folder: Path, files: Iterable[str]) -> None:
    """Remove these files, so that nothing of an earlier result stays beside the new one."""
    for name in files:
        (folder / name).unlink(missing_ok=True)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        problem = "it is a file, not a folder"
    except OSError as error:
        problem = error.strerror or str(error)
    else:
        if os.access(folder, os.W_OK):
            return
        problem = "no permission"
    raise SettingsError(f"--out {str(folder)!r} cannot be used: {problem}. Choose another folder.")
