"""All methods by name. Each is imported when asked for, so that none costs who doesn't use it."""

from __future__ import annotations

from dataclasses import MISSING, fields
from importlib import import_module
from typing import Any

from chronodag.errors import SettingsError
from chronodag.rivals.base import Capabilities, Method

_HOMES = {
    "nts-notears": "nts_notears:NtsNotears",
    "dynotears": "dynotears:Dynotears",
    "tcdf": "tcdf:Tcdf",
    "pcmciplus-parcorr": "pcmciplus:PcmciPlusParCorr",
    "pcmciplus-gpdc": "pcmciplus:PcmciPlusGpdc",
    "var-lingam": "var_lingam:VarLingam",
    "var-lasso": "var_lasso:VarLasso",
    "sort-regress": "sort_regress:SortRegress",
    "empty": "controls:Empty",
    "self-loops": "controls:SelfLoops",
}


def names() -> tuple[str, ...]:
    """Return the names of all methods."""
    return tuple(_HOMES)


def method(name: str, **settings: Any) -> Method:
    """Return a method with its settings: `method("dynotears", lags=3, lambda_w=0.2)`."""
    maker = _maker(name)
    known = [field.name for field in fields(maker)]
    unknown = [key for key in settings if key not in known]
    if unknown:
        raise SettingsError(
            f"{name} has no setting {', '.join(map(repr, unknown))}; it has {', '.join(known)}."
        )
    made: Method = maker(**settings)
    return made


def capabilities(name: str) -> Capabilities:
    """Return what a method declares it can do."""
    declared: Capabilities = _maker(name).capabilities
    return declared


def settings(name: str) -> dict[str, Any]:
    """Return a method's settings with their defaults."""
    return {
        field.name: field.default if field.default is not MISSING else None
        for field in fields(_maker(name))
    }


def _maker(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise SettingsError(f"No method is named {name!r}; expected one of {', '.join(_HOMES)}.")
    module, _, maker = home.partition(":")
    return getattr(import_module(f"chronodag.rivals.{module}"), maker)
