"""The report of a study on disk: report.md and a picture per metric."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from chronodag.study.cells import cells
from chronodag.study.figures import draw_summary
from chronodag.study.report import SPENT, report
from chronodag.study.spec import Study
from chronodag.study.store import Store
from chronodag.study.summary import summarise, truths
from chronodag.view.files import save

_MOST_ROWS = 400
"""A picture with more rows than this is no picture; the report's tables have it all."""


def write_report(
    study: Study, out: str | Path, metrics: Iterable[str] | None = None
) -> tuple[Path, ...]:
    """Write report.md and the pictures into the folder; return their paths."""
    chosen = tuple(metrics or study.report.metrics)
    store = Store(out)
    records = store.records({cell.key for cell in cells(study)})
    written = [store.write_text("report.md", report(study, out, chosen))]
    for metric in chosen:
        found = truths(records)
        for truth in found[:1] if metric in SPENT else found:
            summary = summarise(study, records, metric, truth)
            if len(summary.columns) * len(summary.methods) > _MOST_ROWS:
                continue
            suffix = f"-{truth}" if len(found) > 1 and metric not in SPENT else ""
            written.append(save(draw_summary(summary), store.out / f"{metric}{suffix}.png"))
    return tuple(written)
