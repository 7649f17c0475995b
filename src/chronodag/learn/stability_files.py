"""Bootstraps as JSON and CSV."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np

from chronodag.errors import GraphError
from chronodag.learn.stability import ARRAYS, Bootstrap, StableEdge

FORMAT = "chronodag-bootstrap"
VERSION = 1


def to_json(result: Bootstrap) -> str:
    """Return the result as text; floats keep every digit."""
    content = {name: _listed(value) for name, value in asdict(result).items()}
    head = {"format": FORMAT, "version": VERSION, "axes": ["lag", "source", "target"]}
    return json.dumps({**head, **content}, indent=1, allow_nan=False) + "\n"


def from_json(source: str | Path) -> Bootstrap:
    """Read JSON text, or the file behind a path."""
    content = _read(source)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise GraphError(f'Not a bootstrap: expected a JSON object with "format": "{FORMAT}".')
    if content.get("version") != VERSION:
        raise GraphError(
            f"The bootstrap file has version {content.get('version')!r}; this program reads "
            f"version {VERSION}. A newer chronodag may be needed."
        )
    try:
        made = Bootstrap(**{field.name: content[field.name] for field in fields(Bootstrap)})
    except (KeyError, TypeError, ValueError) as error:
        raise GraphError(
            f"The bootstrap file is damaged ({type(error).__name__}: {error}); expected what "
            "to_json() writes."
        ) from error
    _check_shapes(made)
    return made


def to_csv(result: Bootstrap) -> str:
    """Return one line per possible edge, most frequent first."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(StableEdge._fields)
    writer.writerows(result.edges(0.0))
    return out.getvalue()


def _listed(value: Any) -> Any:
    if not isinstance(value, np.ndarray):
        return value
    plain = value.astype(object)
    plain[value != value] = None  # JSON knows no NaN; null comes back as NaN
    return plain.tolist()


def _read(source: str | Path) -> Any:
    if isinstance(source, Path) or source.strip().endswith(".json"):
        path = Path(source)
        if not path.is_file():
            raise GraphError(f"No file {path}; expected a bootstrap written by to_json().")
        source = path.read_text(encoding="utf-8")
    try:
        return json.loads(source)
    except json.JSONDecodeError as error:
        raise GraphError(f"Not JSON ({error}); expected text written by to_json().") from error


def _check_shapes(made: Bootstrap) -> None:
    d, shape = len(made.names), made.presence.shape
    cells = {getattr(made, name).shape for name in (*ARRAYS[2:5], "candidates")}
    right = len(shape) == 3 and shape[1:] == (d, d) and cells == {shape}
    if not right or made.direction.shape != (d, d) or made.cut.shape != shape[:1]:
        raise GraphError(
            f"The bootstrap file is damaged: its arrays do not fit {d} names; expected what "
            "to_json() writes."
        )
