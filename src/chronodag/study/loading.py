"""Methods and sources of the user's own, by import path."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from chronodag.errors import SettingsError


def load_object(path: str, kind: str) -> Any:
    """Return what "module:object" names."""
    module, _, name = path.partition(":")
    try:
        found: Any = import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, ValueError) as error:
        raise SettingsError(
            f"The {kind} {path!r} cannot be imported: {error}. Expected 'module:object', with the "
            "module on the Python path (PYTHONPATH)."
        ) from error
    return found
