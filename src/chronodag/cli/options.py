"""From the texts of options to the values that the library takes."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chronodag.errors import DataError, SettingsError

if TYPE_CHECKING:
    from chronodag.data import Panel
    from chronodag.knowledge import PriorKnowledge


_AS_GIVEN = (
    *("max_iter", "solver", "dtype", "standardize", "device", "memory_limit"),
    "effort",
)


def number_or_list(option: str, text: str) -> float | list[float]:
    """Read `0.1` as a number and `0.1,0.001` as a list, one per lag."""
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError:
        raise SettingsError(
            f"{option} got {text!r}; expected one number such as 0.1, or one per lag with commas "
            "between them, lag 0 first, such as 0.1,0.001."
        ) from None
    return values[0] if len(values) == 1 else values


def panel_of(values: Mapping[str, Any]) -> Panel:
    """Read the table that the options name."""
    from chronodag.data import Panel, read_table

    series, time = values["series"], values["time"]
    table = choose_columns(
        read_table(values["data"]),
        values["columns"] or [],
        values["drop"] or [],
        always=(series, time),
    )
    return Panel.from_any(table, series=series, time=time)


def learner_settings(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of `NTSNotears` from the options of `chronodag fit`, by their names."""
    readers = {"hidden": widths, "l1": number_or_list, "threshold": numbers_or_auto}
    read = {
        name: reader(f"--{name}", values[name])
        for name, reader in readers.items()
        if values[name] is not None
    }
    given = {name: values[name] for name in ("l2", "instantaneous") if values[name] is not None}
    rules = knowledge(values["knowledge"], values["forbid"] or [], values["require"] or [])
    settings = {
        **{name: values[name] for name in _AS_GIVEN},
        **given,
        **read,
        "lags": lags("--lags", values["lags"]),
        "random_state": values["seed"],
        "knowledge": rules,
    }
    if values["preset"] is None:
        return settings
    from chronodag.learn.presets import preset

    return preset(values["preset"]).settings(settings)


def numbers_or_auto(option: str, text: str) -> float | list[float] | str:
    """Read what `number_or_list` does; `auto` stays."""
    return text if text == "auto" else number_or_list(option, text)


def lags(option: str, text: str) -> int | str:
    """Read `3` as a number; `auto` stays."""
    if text == "auto":
        return text
    try:
        return int(text)
    except ValueError:
        raise SettingsError(
            f"{option} got {text!r}; expected a whole number such as 3, or auto."
        ) from None


def widths(option: str, text: str) -> int | tuple[int, ...]:
    """Read `10` as a number and `10,5` as the widths of several layers."""
    try:
        values = tuple(int(part) for part in text.split(","))
    except ValueError:
        raise SettingsError(
            f"{option} got {text!r}; expected a whole number such as 10, or several with commas "
            "between them, such as 10,5, for several layers."
        ) from None
    return values[0] if len(values) == 1 else values


def knowledge(file: Path | None, forbidden: list[str], required: list[str]) -> PriorKnowledge:
    """Put the rules of the file and of the options together."""
    from chronodag.knowledge import PriorKnowledge

    known = PriorKnowledge() if file is None else PriorKnowledge.from_file(file)
    for text in forbidden:
        known = known.forbid(text)
    for text in required:
        known = known.require(text)
    return known


def choose_columns(
    table: Any, columns: list[str], drop: list[str], always: tuple[str | None, ...]
) -> Any:
    """Keep some columns of a pyarrow table, or leave some out; those of `always` stay."""
    if columns and drop:
        raise SettingsError("Both --columns and --drop came; expected only one of them.")
    present = list(table.column_names)
    if columns:
        chosen = _names("--columns", columns, present)
        extra = [name for name in always if name in present and name not in chosen]
        return table.select([*chosen, *extra])
    if drop:
        dropped = _names("--drop", drop, present)
        return table.select([name for name in present if name not in dropped])
    return table


def _names(option: str, texts: list[str], present: list[str]) -> list[str]:
    """Split at commas, save where a name itself holds them."""
    names = [
        part for text in texts for part in ([text] if text in present else _split(text)) if part
    ]
    for name in names:
        if name not in present:
            close = get_close_matches(name, present, n=1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            raise DataError(
                f"{option} names {name!r}, which is no column.{hint} "
                f"The columns are {', '.join(present[:30])}{', …' if len(present) > 30 else ''}."
            )
    return list(dict.fromkeys(names))


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(",")]
