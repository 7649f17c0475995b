"""Where in a study file something stands, and checked reading of what stands there."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, NoReturn

from chronodag.errors import SettingsError


@dataclass(frozen=True)
class Place:
    """A value in a study file, with the way to it for messages."""

    file: str
    key: str
    value: Any

    def wrong(self, expected: str) -> NoReturn:
        """Refuse the value: say where it stands and what was expected."""
        where = f"{self.file}: {self.key}" if self.key else self.file
        raise SettingsError(f"{where} is {shown(self.value)}; expected {expected}.")

    def at(self, key: str | int) -> Place:
        """Return the place of an entry."""
        way = f"{self.key}[{key}]" if isinstance(key, int) else f"{self.key}.{key}".lstrip(".")
        return Place(self.file, way, self.value[key])

    def mapping(self, known: Collection[str] | None = None) -> Mapping[str, Any]:
        """Return a mapping with text keys, all of them known."""
        if not isinstance(self.value, Mapping):
            self.wrong("a mapping (key: value)")
        for key in self.value:
            if not isinstance(key, str):
                self.wrong(f"text for every key; {key!r} is none, so put it in quotes")
            if known is not None and key not in known:
                close = get_close_matches(key, known, n=1)
                hint = f" Did you mean {close[0]!r}?" if close else ""
                raise SettingsError(
                    f"{self.file}: {f'{self.key}.{key}'.lstrip('.')} is no key of a study; "
                    f"expected one of {', '.join(known)}.{hint}"
                )
        return self.value

    def entries(self) -> list[Place]:
        """Return the places of a list's entries; at least one."""
        if not isinstance(self.value, list) or not self.value:
            self.wrong("a list with at least one entry")
        return [self.at(index) for index in range(len(self.value))]

    def lists(self) -> dict[str, list[Any]]:
        """Return a mapping from text keys to lists with at least one entry, as a `grid` has."""
        for key in self.mapping():
            self.at(key).entries()
        return dict(self.value)

    def filled(self, settings: Mapping[str, Any]) -> str:
        """Return a text such as `F={forcing}` with settings put in."""
        text = self.text()
        try:
            return text.format(**settings)
        except (KeyError, IndexError, ValueError):
            self.wrong(
                f"names of settings in the braces: {', '.join(settings) or 'there are none'}"
            )

    def get(self, key: str) -> Place | None:
        """Return the place of an entry of a mapping if it is there."""
        return self.at(key) if key in self.value else None

    def text(self) -> str:
        """Return a text that is not empty."""
        if not isinstance(self.value, str) or not self.value.strip():
            self.wrong("a text")
        return self.value

    def flag(self) -> bool:
        """Return true or false."""
        if not isinstance(self.value, bool):
            self.wrong("true or false")
        return self.value

    def whole(self, at_least: int) -> int:
        """Return a whole number."""
        value = self.value
        if isinstance(value, bool) or not isinstance(value, int) or value < at_least:
            self.wrong(f"a whole number of {at_least} or more")
        return int(value)

    def number(self, above: float) -> float:
        """Return a number greater than `above`."""
        value = self.value
        if isinstance(value, bool) or not isinstance(value, int | float) or not value > above:
            self.wrong(f"a number greater than {above:g}")
        return float(value)

    def share(self) -> float:
        """Return a number from 0 to 1."""
        value = self.value
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            self.wrong("a share from 0 to 1")
        return float(value)


def shown(value: Any) -> str:
    """Return a value for a message, cut where it is long."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
