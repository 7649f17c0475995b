"""`chronodag methods`, and what `chronodag fit --method` and `--set` mean."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

import typer

from chronodag.cli.exits import clean_errors
from chronodag.errors import SettingsError

if TYPE_CHECKING:
    from chronodag.rivals import Method

OWN = "nts-notears"
"""The method that has options of its own."""
_MODEL_OPTIONS = (
    "standardize",
    "hidden",
    "l1",
    "l2",
    "threshold",
    "max_iter",
    "effort",
    "instantaneous",
    "preset",
)
_OWN_OPTIONS = (*_MODEL_OPTIONS, "solver", "dtype", "device", "memory_limit")


def methods() -> None:
    """List the methods, what each can do, and its settings."""
    with clean_errors():
        from rich.table import Table

        from chronodag import rivals
        from chronodag.cli.terminal import stdout

        flags = [field.name for field in fields(rivals.Capabilities)]
        table = Table(box=None, pad_edge=False, header_style="dim")
        for heading in ("method", *(flag.replace("_", " ") for flag in flags)):
            table.add_column(heading)
        for name in rivals.names():
            can = asdict(rivals.capabilities(name))
            table.add_row(name, *("yes" if can[flag] else "-" for flag in flags))
        console = stdout()
        console.print(table)
        console.print("\nSettings and their defaults, for --set:", style="bold")
        for name in rivals.names():
            if name != OWN:
                known = {k: v for k, v in rivals.settings(name).items() if k != "lags"}
                shown = ", ".join(f"{key}={value}" for key, value in known.items())
                console.print(f"  {name}: {shown or 'none'}")


def choose(context: typer.Context, name: str, texts: list[str]) -> Method | None:
    """Return the method with its settings, before any work; None for NTS-NOTEARS itself."""
    if name == OWN:
        if texts:
            raise SettingsError(
                f"--set came, but {OWN} has options of its own, such as --l1 or --hidden. Use "
                "those, or name another --method."
            )
        return None
    from chronodag import rivals
    from chronodag.cli.options import lags as read_lags

    defaults = rivals.settings(name)
    foreign = [option for option in _OWN_OPTIONS if _was_given(context, option)]
    if foreign:
        listed = ", ".join(f"--{option.replace('_', '-')}" for option in foreign)
        raise SettingsError(
            f"{listed} came, which only {OWN} knows; {name} takes --set with one of "
            f"{', '.join(key for key in defaults if key != 'lags') or 'nothing'}."
        )
    given = dict(_setting(text, defaults) for text in texts)
    if _was_given(context, "seed") and "seed" not in defaults:
        raise SettingsError(f"--seed came, but {name} has no randomness. Leave it out.")
    if "seed" in defaults and _was_given(context, "seed"):
        given.setdefault("seed", context.params["seed"])
    lags = read_lags("--lags", context.params["lags"])
    if isinstance(lags, str):
        raise SettingsError(f"--lags got {lags!r}; only {OWN} chooses the lags. Give a number.")
    return rivals.method(name, lags=lags, **given)


def _was_given(context: typer.Context, option: str) -> bool:
    source = context.get_parameter_source(option)
    return source is not None and source.name != "DEFAULT"


def _setting(text: str, defaults: dict[str, Any]) -> tuple[str, Any]:
    """Read `alpha=0.05` as a name and a value of the kind that the setting has."""
    key, equals, value = text.partition("=")
    key = key.strip()
    if not equals:
        raise SettingsError(f"--set got {text!r}; expected KEY=VALUE, such as alpha=0.05.")
    if key == "lags":
        raise SettingsError("--set got lags; give the number of lags by --lags.")
    default = defaults.get(key)
    if default is None or isinstance(default, str):
        return key, value.strip()  # an unknown key is refused with the others' names
    try:
        return key, type(default)(value)
    except ValueError:
        kind = "a whole number" if isinstance(default, int) else "a number"
        raise SettingsError(f"--set {key} got {value!r}; expected {kind}.") from None
