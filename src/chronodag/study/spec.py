"""What a study is: data × methods × seeds, as plain frozen values."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

FORMAT = 1
"""Part of every cell's key: raised when what a cell means changes, so old results don't mix."""


@dataclass(frozen=True)
class Facts:
    """How much of the truth a method is told: shares of its edges and of its absent edges."""

    forbid: float = 0.0
    """The share of the absent edges that is forbidden."""
    require: float = 0.0
    """The share of the true edges that is required."""
    lags: tuple[int, ...] | None = None
    """Only edges of these lags are told of; None = all."""
    wrong: float = 0.0
    """The share of what is told that is false: an absent edge required, a true one forbidden."""
    one: str | None = None
    """Instead of shares one fact, told after a first fit: "required" is a true edge that this fit
    missed, "forbidden" its strongest wrong edge."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; what is left at its default is left out where it is new."""
        lags = None if self.lags is None else list(self.lags)
        plain = {"forbid": self.forbid, "require": self.require, "lags": lags}
        if self.wrong:
            plain["wrong"] = self.wrong
        return plain if self.one is None else plain | {"one": self.one}


@dataclass(frozen=True)
class DataSpec:
    """One kind of data: a source with its settings, drawn anew for each seed."""

    source: str
    settings: Mapping[str, Any]
    label: str
    standardize: bool = True
    """Whether every method sees the series with mean 0 and standard deviation 1."""


@dataclass(frozen=True)
class MethodSpec:
    """One row of the table: a method with its settings."""

    method: str
    settings: Mapping[str, Any]
    label: str
    by: Mapping[str, Mapping[str, Mapping[str, Any]]] = field(default_factory=dict)
    """Further settings by a setting of the data: {"T": {"200": {...}, "1000": {...}}}."""
    when: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Only data whose settings have these values is given to the method."""
    knowledge: Facts | None = None
    group: str = ""
    """The name shared by all settings of one `grid`; by itself the label."""
    chosen: Mapping[str, Any] = field(default_factory=dict)
    """What `grid`, or a list of shares under `knowledge`, chose for this row."""


@dataclass(frozen=True)
class Limits:
    """What one cell may use."""

    seconds: float | None = None
    memory_gib: float | None = None
    threads: int | None = None
    """Threads per cell; None = the cores shared out over the cells that run at once."""


@dataclass(frozen=True)
class Best:
    """Which settings of each grid are named as the best."""

    metric: str
    """The mean of this decides; the largest, or the smallest where less is better."""
    by: str | None = None
    """A setting of the data: each of its values has its own best; None = one for all."""


@dataclass(frozen=True)
class ReportSpec:
    """What the report shows."""

    metrics: tuple[str, ...] = ("f1",)
    columns: str = "{label}"
    """The heading under which data is put together, made from the data's label and settings."""
    reference: str | None = None
    """The label of the method that the others are compared with; None = the first."""
    focus: str | None = None
    """A variable whose parents are listed, and scored as `f1_focus` and so on."""
    curve: tuple[str, ...] = ()
    """Draw every metric against these: settings of the data, or what a grid of methods crosses."""
    best: Best | None = None


@dataclass(frozen=True)
class Study:
    """Data × methods × seeds, with limits for each cell."""

    name: str
    seeds: tuple[int, ...]
    data: tuple[DataSpec, ...]
    methods: tuple[MethodSpec, ...]
    description: str = ""
    limits: Limits = Limits()
    report: ReportSpec = ReportSpec()
    warm_up: bool = False
    """Whether each cell fits twice and reports the second time, without compiling."""
    one_at_a_time: bool = False
    """Whether cells must not share the machine, as where time is what is measured."""


@dataclass(frozen=True)
class Cell:
    """One fit: one method on one data set."""

    data: DataSpec
    seed: int
    method: MethodSpec
    warm_up: bool = False

    @property
    def content(self) -> dict[str, Any]:
        """Everything the result depends on, and nothing else: labels and limits are left out."""
        facts = self.method.knowledge
        return {
            "format": FORMAT,
            "source": self.data.source,
            "data": dict(self.data.settings),
            "standardize": self.data.standardize,
            "seed": self.seed,
            "method": self.method.method,
            "settings": dict(self.method.settings),
            "knowledge": None if facts is None else facts.to_dict(),
            "warm_up": self.warm_up,
        }

    @cached_property
    def key(self) -> str:
        """The SHA-256 of the content: the same cell has the same key in every study."""
        return hashlib.sha256(canonical(self.content).encode()).hexdigest()


def canonical(value: Any) -> str:
    """Return JSON that is the same for equal values, whatever the order of their keys."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
