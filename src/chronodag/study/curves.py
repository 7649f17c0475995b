"""A metric against a size or a share: one line per method, as in the paper's figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from chronodag.study.cells import cells
from chronodag.study.measuring import Record
from chronodag.study.spec import Cell, Study
from chronodag.study.summary import Mean, heading, mean_of, outcome

_TOLD = {"require", "forbid"}
Key = tuple[str, str]
"""A panel and a line."""


@dataclass(frozen=True)
class Curves:
    """Means along an axis, for each panel and line."""

    metric: str
    axis: str
    """What the axis shows."""
    panels: tuple[str, ...]
    lines: tuple[str, ...]
    points: Mapping[Key, Mapping[float, Mean]]
    level: Mapping[Key, Mean]
    """Lines of methods that have no place on the axis."""

    @property
    def places(self) -> tuple[float, ...]:
        """All places on the axis, in order."""
        return tuple(sorted({place for many in self.points.values() for place in many}))


def curves(study: Study, records: Mapping[str, list[Record]], metric: str, truth: str) -> Curves:
    """Put the results of a study on the axis that its report names.

    Where each heading of the report has one place on the axis, as where it is the number of
    variables, all go into one panel.
    """
    titles = _titles(study)
    values: dict[tuple[Key, float | None], list[float]] = {}
    for cell in cells(study):
        number, _ = outcome(cell, records, metric, truth)
        key = (titles[cell.data.label], cell.method.group or cell.method.label)
        if number is not None:
            values.setdefault((key, place_of(study, cell)), []).append(number)
    points: dict[Key, dict[float, Mean]] = {}
    level: dict[Key, Mean] = {}
    for (key, place), many in values.items():
        mean = mean_of(many)
        if mean is not None and place is None:
            level[key] = mean
        elif mean is not None and place is not None:
            points.setdefault(key, {})[place] = mean
    names = (spec.group or spec.label for spec in study.methods)
    return Curves(
        metric=metric,
        axis="share told" if set(study.report.curve) <= _TOLD else " or ".join(study.report.curve),
        panels=tuple(dict.fromkeys(titles.values())),
        lines=tuple(dict.fromkeys(names)),
        points=points,
        level=level,
    )


def place_of(study: Study, cell: Cell) -> float | None:
    """Return where a cell stands on the axis: by its data, or by what was chosen for its method."""
    known: dict[str, Any] = {**cell.data.settings, **cell.method.chosen}
    for name in study.report.curve:
        if isinstance(known.get(name), int | float):
            return float(known[name])
    return None


def _titles(study: Study) -> dict[str, str]:
    """Return the panel of each kind of data."""
    headings = {spec.label: heading(study, spec) for spec in study.data}
    own = [name for name in study.report.curve if any(name in spec.settings for spec in study.data)]
    places: dict[str, set[Any]] = {}
    for spec in study.data:
        seen = places.setdefault(headings[spec.label], set())
        seen |= {spec.settings.get(name) for name in own}
    if own and all(len(seen) == 1 for seen in places.values()):
        return dict.fromkeys(headings, "")
    return headings
