"""How long will it take? Only from what was measured; what nobody has run has no estimate."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from chronodag.study.measuring import Record
from chronodag.study.spec import Cell, canonical

_COUNTED = ("ok", "timeout")


@dataclass(frozen=True)
class Estimate:
    """The expected seconds of one cell."""

    seconds: float
    exact: bool
    """From the same method on the same kind of data; otherwise scaled from another size."""


class Estimator:
    """Learns from records; answers for cells that have not run."""

    def __init__(self) -> None:
        self._same: dict[str, list[float]] = defaultdict(list)
        self._method: dict[str, list[tuple[float, float | None]]] = defaultdict(list)
        self._size: dict[str, float] = {}

    def add(self, cell: Cell, record: Record) -> None:
        """Take note of a finished cell."""
        if record.get("status") not in _COUNTED or record.get("elapsed") is None:
            return
        d, rows = record.get("d"), record.get("T")
        if d and rows:
            self._size[_data(cell)] = work(d, rows)
        self._same[_kind(cell)].append(record["elapsed"])
        self._method[_method(cell)].append((record["elapsed"], self._size_of(cell)))

    def seconds(self, cell: Cell) -> Estimate | None:
        """Return the median of the same kind, or else that of other sizes scaled by d²T."""
        if same := self._same.get(_kind(cell)):
            return Estimate(median(same), exact=True)
        size = self._size_of(cell)
        others = self._method.get(_method(cell), [])
        if size is None or not others:
            return None
        scaled = [seconds * size / other for seconds, other in others if other]
        return Estimate(median(scaled), exact=False) if scaled else None

    def _size_of(self, cell: Cell) -> float | None:
        """Return d²T of the cell's data, as measured or else as its settings say."""
        known = self._size.get(_data(cell))
        d, rows = (cell.data.settings.get(key) for key in ("d", "T"))
        if known is not None or not isinstance(d, int) or not isinstance(rows, int):
            return known
        return work(d, rows)


def work(d: int, rows: int) -> float:
    """Return how the work of a fit grows, roughly: every pair of variables, every row."""
    return float(d * d * rows)


def total(estimator: Estimator, wanted: Iterable[Cell]) -> tuple[float, list[Cell]]:
    """Return the seconds of all cells that have an estimate, and the cells that have none."""
    seconds, unknown = 0.0, []
    for cell in wanted:
        estimate = estimator.seconds(cell)
        if estimate is None:
            unknown.append(cell)
        else:
            seconds += estimate.seconds
    return seconds, unknown


def _data(cell: Cell) -> str:
    return canonical([cell.data.source, dict(cell.data.settings)])


def _method(cell: Cell) -> str:
    return canonical([cell.method.method, cell.method.group or cell.method.label, cell.warm_up])


def _kind(cell: Cell) -> str:
    return canonical({**cell.content, "seed": None})
