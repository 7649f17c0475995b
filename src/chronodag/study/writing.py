"""The report of a study on disk: report.md and its pictures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from chronodag.study.curve_figures import draw_curves
from chronodag.study.curves import curves
from chronodag.study.figures import draw_summary
from chronodag.study.measuring import Record
from chronodag.study.report import records_of, report
from chronodag.study.scores import SPENT
from chronodag.study.spec import Study
from chronodag.study.store import Store
from chronodag.study.summary import summarise, truths
from chronodag.view.files import save

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MOST_ROWS = 400
"""A picture with more rows than this is no picture; the report's tables have it all."""


def write_report(
    study: Study, out: str | Path, metrics: Iterable[str] | None = None
) -> tuple[Path, ...]:
    """Write report.md and the pictures into the folder; return their paths."""
    chosen = tuple(metrics or study.report.metrics)
    store = Store(out)
    records = records_of(study, store)
    text = report(study, out, chosen)
    pictures = [
        save(figure, store.out / f"{name}.png")
        for metric in chosen
        for name, figure in _pictures(study, records, metric)
    ]
    shown = "".join(f"\n![{path.stem}]({path.name})\n" for path in pictures)
    if shown:
        text += f"\n## Pictures\n{shown}"
    return store.write_text("report.md", text), *pictures


def _pictures(
    study: Study, records: Mapping[str, list[Record]], metric: str
) -> Iterator[tuple[str, Figure]]:
    """Yield the pictures of one metric by name: along the axis if there is one, then all."""
    found = truths(records)
    for truth in found[:1] if metric in SPENT else found:
        suffix = f"-{truth}" if len(found) > 1 and metric not in SPENT else ""
        if study.report.curve:
            along = curves(study, records, metric, truth)
            if along.points:
                yield f"{metric}-curve{suffix}", draw_curves(along)
        if any(spec.chosen for spec in study.methods):
            continue  # a row per setting of a grid is for the tables
        summary = summarise(study, records, metric, truth)
        if len(summary.columns) * len(summary.methods) <= _MOST_ROWS:
            yield f"{metric}{suffix}", draw_summary(summary)
