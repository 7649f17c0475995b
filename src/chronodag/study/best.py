"""The best settings of each grid, as a search on validation data chooses them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from chronodag.study.cells import cells
from chronodag.study.measuring import Record
from chronodag.study.reading_methods import settings_text
from chronodag.study.scores import LESS_IS_BETTER
from chronodag.study.spec import Best, Study
from chronodag.study.summary import Mean, mean_of, outcome


@dataclass(frozen=True)
class Choice:
    """What one grid chose for one value of the data's setting."""

    group: str
    value: Any
    """The value of the data's setting; None where there is one best for all data."""
    settings: Mapping[str, Any]
    mean: Mean
    sets: int
    """How many data sets there are; the mean may come from fewer, where cells failed."""
    tried: int
    """How many settings have a value."""


def choose(study: Study, records: Mapping[str, list[Record]], truth: str) -> tuple[Choice, ...]:
    """Return the best settings by group and value, in the order of the study.

    Settings with results on more data sets go first, so that none wins by failing on the hard
    ones; then the better mean; then the earlier in the grid.
    """
    best = study.report.best
    if best is None:
        return ()
    values, sets = _values(study, records, best, truth)
    chosen_by = {spec.label: spec.chosen for spec in study.methods}
    found = []
    for (group, value), own in values.items():
        sign = -1 if best.metric in LESS_IS_BETTER else 1
        means = {label: mean_of(many) for label, many in own.items()}
        known = {label: mean for label, mean in means.items() if mean is not None}
        if known:
            label = max(known, key=lambda one: (known[one].count, sign * known[one].mean))
            count = sets[group, value, label]
            found.append(Choice(group, value, chosen_by[label], known[label], count, len(known)))
    return tuple(found)


def _values(
    study: Study, records: Mapping[str, list[Record]], best: Best, truth: str
) -> tuple[dict[tuple[str, Any], dict[str, list[float]]], dict[tuple[str, Any, str], int]]:
    """Return the values by group and setting of the data, then by label; and how many were due."""
    values: dict[tuple[str, Any], dict[str, list[float]]] = {}
    sets: dict[tuple[str, Any, str], int] = {}
    for cell in cells(study):
        if not cell.method.chosen:
            continue
        value = None if best.by is None else cell.data.settings.get(best.by)
        group, label = cell.method.group, cell.method.label
        sets[group, value, label] = sets.get((group, value, label), 0) + 1
        many = values.setdefault((group, value), {}).setdefault(label, [])
        number, _ = outcome(cell, records, best.metric, truth)
        if number is not None:
            many.append(number)
    return values, sets


def best_lines(study: Study, records: Mapping[str, list[Record]], truth: str) -> Iterator[str]:
    """Yield the table of the best settings, if the study asks for one."""
    best = study.report.best
    if best is None:
        return
    by = best.by or "data"
    yield f"## Best settings by {best.metric}"
    yield ""
    yield (
        f"Of each grid the settings with the best mean {best.metric}, ± half of the 95 % interval "
        "over data sets. The best of many looks better than it is: other data must judge it."
    )
    yield ""
    yield f"| method | {by} | best settings | mean {best.metric} | data sets | settings tried |"
    yield "|---|---|---|---|---|---|"
    for one in choose(study, records, truth):
        half = "" if one.mean.half is None else f" ± {one.mean.half:.3f}"
        yield (
            f"| {one.group} | {'all' if one.value is None else one.value} "
            f"| {settings_text(one.settings)} | {one.mean.mean:.3f}{half} "
            f"| {one.mean.count} of {one.sets} | {one.tried} |"
        )
    yield ""
