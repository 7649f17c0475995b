"""One variable in focus: which parents were found, and how often each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from chronodag.errors import SettingsError
from chronodag.graph import TemporalGraph
from chronodag.metrics.edges import score_edges
from chronodag.study.cells import cells
from chronodag.study.measuring import Record
from chronodag.study.scores import oriented
from chronodag.study.spec import Study
from chronodag.study.store import Store
from chronodag.study.summary import heading

FOCUS = {
    "f1_focus": "F1 of the edges into the variable in focus, at any lag; counted as f1",
    "precision_focus": "precision of the edges into the variable in focus",
    "recall_focus": "recall of the edges into the variable in focus",
}
"""What a report can also show, where it names a variable in focus."""

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Parents:
    """The edges into the variable in focus, `[lag, source]`, found and true."""

    names: tuple[str, ...]
    found: Mask
    true: Mask

    @property
    def scores(self) -> dict[str, float]:
        """The metrics of `FOCUS`."""
        score = score_edges(self.true, self.found, np.ones_like(self.true), 0)
        return {f"{name}_focus": getattr(score, name) for name in ("f1", "precision", "recall")}


def parents(row: Record, focus: str) -> Parents | None:
    """Return the parents in one result; None where it holds no graphs (it failed, or is old)."""
    if row.get("adjacency") is None or row.get("truth_adjacency") is None:
        return None
    names = tuple(row["names"])
    if focus not in names:
        raise SettingsError(
            f"report.focus is {focus!r}; expected a variable of the data: {', '.join(names)}."
        )
    square = (-1, len(names), len(names))
    true = np.reshape(row["truth_adjacency"], square)
    found = np.reshape(row["adjacency"], square)
    if row["undirected"] is not None:
        truth = TemporalGraph.from_adjacency(true, names)
        found = found | oriented(truth, np.reshape(row["undirected"], square))
    at, lags = names.index(focus), max(len(found), len(true))
    return Parents(names, _padded(found[:, :, at], lags), _padded(true[:, :, at], lags))


def _padded(edges: Mask, lags: int) -> Mask:
    padded = np.zeros((lags, edges.shape[1]), dtype=np.bool_)
    padded[: len(edges)] = edges
    return padded


def with_focus(
    study: Study, store: Store, records: Mapping[str, list[Record]]
) -> dict[str, list[Record]]:
    """Return the records with the scores of `FOCUS` added, if the study has a variable in focus."""
    focus = study.report.focus
    if focus is None:
        return dict(records)
    added = {}
    for key, graphs in store.graphs(records).items():
        seen = [parents(row, focus) for row in graphs]
        own = [dict.fromkeys(FOCUS) if one is None else one.scores for one in seen]
        added[key] = [row | more for row, more in zip(records[key], own, strict=True)]
    return added


@dataclass
class _Tally:
    """How often each edge into the focus was true and found, under one heading."""

    sets: Counter[str] = field(default_factory=Counter)
    found: Counter[tuple[str, str]] = field(default_factory=Counter)
    true: Counter[str] = field(default_factory=Counter)
    known: set[tuple[str, int]] = field(default_factory=set)

    def add(self, method: str, data: tuple[str, int], seen: Parents) -> None:
        """Count one result; the truth of a data set counts once."""
        self.sets[method] += 1
        self.found.update((method, edge) for edge in _edges(seen.names, seen.found))
        if data not in self.known:
            self.known.add(data)
            self.true.update(_edges(seen.names, seen.true))

    @property
    def edges(self) -> list[str]:
        """True edges first, then those claimed, the most often claimed before the others."""
        claims = Counter(edge for _, edge in self.found.elements())
        every = {**self.true, **claims}
        return sorted(every, key=lambda edge: (-self.true[edge], -claims[edge], edge))


def _edges(names: tuple[str, ...], into: Mask) -> list[str]:
    return [
        f"{names[source]}(t)" if lag == 0 else f"{names[source]}(t-{lag})"
        for lag, source in np.argwhere(into)
    ]


def parents_lines(study: Study, store: Store, truth: str) -> Iterator[str]:
    """Yield a table per heading: each true or claimed parent, and how often it was found."""
    focus = study.report.focus
    if focus is None:
        return
    for column, tally in _tallies(study, store, truth, focus).items():
        methods = [spec.label for spec in study.methods if tally.sets[spec.label]]
        yield f"## Parents of {focus}, {column}"
        yield ""
        yield (
            f"On how many data sets each edge into {focus} was found, out of those with a result; "
            "all edges that are true or that any method claims."
        )
        yield ""
        yield f"| edge into {focus} | true | " + " | ".join(methods) + " |"
        yield "|---" * (len(methods) + 2) + "|"
        for edge in tally.edges:
            shares = [f"{tally.found[name, edge]} of {tally.sets[name]}" for name in methods]
            yield f"| {edge} | {_truly(tally, edge)} | " + " | ".join(shares) + " |"
        yield ""


def _truly(tally: _Tally, edge: str) -> str:
    count = tally.true[edge]
    if count in (0, len(tally.known)):
        return "yes" if count else "no"
    return f"in {count} of {len(tally.known)}"


def _tallies(study: Study, store: Store, truth: str, focus: str) -> dict[str, _Tally]:
    tallies: dict[str, _Tally] = {}
    wanted = cells(study)
    graphs = store.graphs(dict.fromkeys(cell.key for cell in wanted if store.has(cell.key)))
    for cell in wanted:
        for row in graphs.get(cell.key, []):
            seen = parents(row, focus) if row["truth"] == truth else None
            if seen is not None:
                tally = tallies.setdefault(heading(study, cell.data), _Tally())
                tally.add(cell.method.label, (cell.data.label, cell.seed), seen)
    return tallies
