"""From the name of a method in a study to the method; unknown ones are refused before any work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from chronodag import rivals
from chronodag.errors import SettingsError
from chronodag.rivals import Method
from chronodag.study.loading import load_object
from chronodag.study.sources import find_source
from chronodag.study.spec import Cell, MethodSpec


def make_method(name: str, settings: Mapping[str, Any]) -> Method:
    """Return a registered method, or the one behind an import path "module:Class"."""
    if ":" in name:
        made: Method = load_object(name, "method")(**settings)
        return made
    return rivals.method(name, **settings)


def known_settings(name: str) -> tuple[str, ...] | None:
    """Return the names of a method's settings; None where it doesn't say."""
    if ":" not in name:
        return tuple(rivals.settings(name))
    maker = load_object(name, "method")
    return tuple(field.name for field in fields(maker)) if is_dataclass(maker) else None


def check_cells(wanted: tuple[Cell, ...]) -> None:
    """Refuse unknown sources, methods and settings, and knowledge for methods that take none."""
    for source in {cell.data.source: None for cell in wanted}:
        find_source(source)
    for spec in {id(cell.method): cell.method for cell in wanted}.values():
        _check_method(spec)


def _check_method(spec: MethodSpec) -> None:
    if ":" not in spec.method and spec.method not in rivals.names():
        raise SettingsError(
            f"No method is named {spec.method!r}; expected one of {', '.join(rivals.names())}, or "
            "a class of your own as 'module:Class'. Leave it out with --methods."
        )
    known = known_settings(spec.method)
    unknown = [key for key in spec.settings if known is not None and key not in known]
    if unknown:
        raise SettingsError(
            f"The method {spec.label!r} has no setting {unknown[0]!r}; {spec.method} has "
            f"{', '.join(known or ())}."
        )
    if spec.knowledge is not None and not takes_knowledge(spec.method):
        raise SettingsError(
            f"The method {spec.label!r} is given knowledge, but {spec.method} takes none. Leave "
            "out knowledge: there."
        )


def takes_knowledge(name: str) -> bool:
    """Whether a method declares that it takes knowledge."""
    if ":" not in name:
        return rivals.capabilities(name).knowledge
    declared = getattr(load_object(name, "method"), "capabilities", None)
    return bool(getattr(declared, "knowledge", False))
