"""Saving a figure: the same picture gives the same bytes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from chronodag.errors import SettingsError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Dates would make each file of the same picture a different one.
_METADATA: dict[str, dict[str, Any]] = {
    ".png": {},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}


def save(figure: Figure, path: str | Path) -> Path:
    """Write a figure as PNG, SVG or PDF, chosen by the suffix, and return the path.

    The same figure always gives the same bytes. An existing file is replaced; folders are not
    created.
    """
    import matplotlib

    target = Path(path)
    kind = target.suffix.lower()
    if kind not in _METADATA:
        raise SettingsError(
            f"The file {target.name!r} has the suffix {target.suffix!r}; expected one of "
            f"{', '.join(_METADATA)}, which chooses the format."
        )
    if not target.parent.is_dir():
        raise SettingsError(
            f"The folder {str(target.parent)!r} does not exist, so {target.name!r} cannot be "
            "written there; create the folder first."
        )
    # The salt fixes the ids inside an SVG; both settings are put back at once.
    with matplotlib.rc_context({"svg.hashsalt": "chronodag", "savefig.bbox": None}):
        figure.savefig(
            target, format=kind[1:], dpi=150, facecolor="white", metadata=_METADATA[kind]
        )
    return target
