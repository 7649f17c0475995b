"""Means with confidence intervals, and paired differences: what the results say together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from chronodag.study.cells import cells
from chronodag.study.measuring import Record
from chronodag.study.spec import Cell, DataSpec, Study

Pair = tuple[str, int]
"""The label of a kind of data and a seed: one data set, which every method sees."""


@dataclass(frozen=True)
class Mean:
    """A mean with half the width of its 95 % confidence interval (Student's t)."""

    mean: float
    half: float | None
    """None with a single value."""
    count: int


@dataclass(frozen=True)
class Entry:
    """One method under one heading: its values, and what did not yield any."""

    values: Mapping[Pair, float]
    lost: Mapping[str, int] = field(default_factory=dict)
    """How many cells failed, timed out, ran out of memory, are undefined or have not run."""

    @property
    def mean(self) -> Mean | None:
        """The mean of the values; None if there are none."""
        return mean_of(list(self.values.values()))

    def minus(self, other: Entry) -> Mean | None:
        """Return the mean of the differences on the data sets that both have a value for."""
        return mean_of([self.values[pair] - other.values[pair] for pair in self.shared(other)])

    def shared(self, other: Entry) -> list[Pair]:
        """Return the data sets that both have a value for."""
        return [pair for pair in self.values if pair in other.values]


@dataclass(frozen=True)
class Summary:
    """One metric against one truth: rows are methods, columns are headings of data."""

    metric: str
    truth: str
    methods: tuple[str, ...]
    columns: tuple[str, ...]
    entries: Mapping[tuple[str, str], Entry]
    reference: str


def mean_of(values: list[float]) -> Mean | None:
    """Return the mean with its interval; None without values."""
    if not values:
        return None
    count = len(values)
    if count == 1:
        return Mean(values[0], None, 1)
    from scipy.stats import t

    spread = float(np.std(values, ddof=1)) / np.sqrt(count)
    return Mean(float(np.mean(values)), float(t.ppf(0.975, count - 1) * spread), count)


def summarise(
    study: Study, records: Mapping[str, list[Record]], metric: str, truth: str
) -> Summary:
    """Put the results of a study together; cells without a value are counted, never dropped."""
    values: dict[tuple[str, str], dict[Pair, float]] = {}
    lost: dict[tuple[str, str], Counter[str]] = {}
    for cell in cells(study):
        place = (cell.method.label, heading(study, cell.data))
        own, missed = values.setdefault(place, {}), lost.setdefault(place, Counter())
        value, reason = outcome(cell, records, metric, truth)
        if value is None:
            missed[reason] += 1
        else:
            own[cell.data.label, cell.seed] = value
    methods = tuple(spec.label for spec in study.methods)
    return Summary(
        metric=metric,
        truth=truth,
        methods=methods,
        columns=tuple(dict.fromkeys(heading(study, spec) for spec in study.data)),
        entries={place: Entry(own, dict(lost[place])) for place, own in values.items()},
        reference=study.report.reference or methods[0],
    )


def heading(study: Study, data: DataSpec) -> str:
    """Return the heading under which this data is reported."""
    return study.report.columns.format(**{**data.settings, "label": data.label})


def outcome(
    cell: Cell, records: Mapping[str, list[Record]], metric: str, truth: str
) -> tuple[float | None, str]:
    """Return the value of a cell, or why there is none."""
    rows = records.get(cell.key)
    if not rows:
        return None, "not run"
    if rows[0]["status"] != "ok":
        return None, str(rows[0]["status"])
    for row in rows:
        if row["truth"] == truth:
            value = row[metric]
            return (None, "undefined") if value is None else (float(value), "")
    return None, f"no truth {truth}"


def truths(records: Mapping[str, list[Record]]) -> tuple[str, ...]:
    """Return the names of the truths that results were scored against, in their order."""
    found = (row["truth"] for rows in records.values() for row in rows if row["truth"])
    return tuple(dict.fromkeys(found)) or ("truth",)
