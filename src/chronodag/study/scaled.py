"""Settings that grow with the data: "2d" is twice the variables, "3/T" is 3 over the rows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_TIMES_D = re.compile(r"(\d+(?:\.\d+)?)?\s*\*?\s*d")
_OVER_T = re.compile(r"(\d+(?:\.\d+)?)\s*/\s*T")


def scaled(settings: Mapping[str, Any], d: int, T: int) -> dict[str, Any]:
    """Return the settings with every "2d" and "3/T" computed for d variables and T rows."""
    return {key: _value(value, d, T) for key, value in settings.items()}


def _value(value: Any, d: int, T: int) -> Any:
    if isinstance(value, list):
        return [_value(entry, d, T) for entry in value]
    if not isinstance(value, str):
        return value
    if found := _TIMES_D.fullmatch(value):
        return round(float(found[1] or 1) * d)
    if found := _OVER_T.fullmatch(value):
        return float(found[1]) / T
    return value
