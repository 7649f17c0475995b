"""The studies that come with the package."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from chronodag.errors import SettingsError
from chronodag.study.reading import parse_study, read_study
from chronodag.study.spec import Study


def builtin_studies() -> tuple[str, ...]:
    """Return the names of the built-in studies."""
    folder = files("chronodag.study") / "studies"
    found = [Path(entry.name) for entry in folder.iterdir()]
    return tuple(sorted(path.stem for path in found if path.suffix == ".yaml"))


def find_study(name: str, *, quick: bool = False) -> Study:
    """Return a built-in study by name, or read one from a file ending in .yaml or .yml."""
    if Path(name).suffix.lower() in (".yaml", ".yml"):
        return read_study(name, quick=quick)
    if name not in builtin_studies():
        raise SettingsError(
            f"No study is named {name!r}; expected one of {', '.join(builtin_studies())}, or a "
            "file that ends in .yaml."
        )
    text = (files("chronodag.study") / "studies" / f"{name}.yaml").read_text(encoding="utf-8")
    return parse_study(text, f"{name}.yaml", quick=quick)
