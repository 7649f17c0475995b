"""A study laid out as cells: every method on every data set it is meant for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from chronodag.errors import SettingsError
from chronodag.study.spec import Cell, DataSpec, MethodSpec, Study


def cells(study: Study) -> tuple[Cell, ...]:
    """Return all cells, seed by seed, so that a study cut short still holds whole comparisons."""
    return tuple(_cells(study))


def _cells(study: Study) -> Iterator[Cell]:
    pairs = [
        (data, resolved(method, data))
        for data in study.data
        for method in study.methods
        if meant_for(method, data)
    ]
    for seed in study.seeds:
        for data, method in pairs:
            yield Cell(data, seed, method, study.warm_up)


def meant_for(method: MethodSpec, data: DataSpec) -> bool:
    """Whether the method's `when` lets it run on this data."""
    return all(str(data.settings.get(key)) in values for key, values in method.when.items())


def resolved(method: MethodSpec, data: DataSpec) -> MethodSpec:
    """Return the method with those settings of `by` that belong to this data."""
    settings: dict[str, Any] = dict(method.settings)
    for key, cases in method.by.items():
        settings |= _case(method, data, key, cases)
    return replace(method, settings=settings, by={}, when={})


def _case(
    method: MethodSpec, data: DataSpec, key: str, cases: Mapping[str, Mapping[str, Any]]
) -> Mapping[str, Any]:
    value = data.settings.get(key)
    if str(value) in cases:
        return cases[str(value)]
    raise SettingsError(
        f"The method {method.label!r} has settings by {key} for {', '.join(cases)}, but the data "
        f"{data.label!r} has {key}={value}; expected one of these. Add a case, or keep the method "
        f"off this data with when: {{{key}: [{', '.join(cases)}]}}."
    )
