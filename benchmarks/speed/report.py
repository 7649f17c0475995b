"""A part's result: a Markdown table, and the same numbers as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.speed import machine

NOISE = (
    "Machines are noisy and differ: compare figures within this run (ratios, shares, slopes), "
    "not seconds between runs."
)


@dataclass(frozen=True)
class Report:
    """What a part measured."""

    part: str
    title: str
    columns: Mapping[str, str]  # key of a row -> heading
    rows: Sequence[Mapping[str, Any]]
    notes: Sequence[str] = ()  # how to read the table, printed below it
    details: Any = None  # for the JSON only
    draw: Callable[[Path], bool] | None = None  # writes a picture; False if it could not
    caption: str = ""
    skipped: Sequence[str] = field(default_factory=list)  # what was left out, and why

    def table(self) -> str:
        """Return the rows as a Markdown table."""
        lines = [list(self.columns.values()), ["---"] * len(self.columns)]
        lines += [[number(row.get(key)) for key in self.columns] for row in self.rows]
        return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def number(value: Any) -> str:
    """Write a cell: whole numbers in full, others to three digits, nothing as a dash."""
    if value is None:
        return "–"
    if not isinstance(value, float):
        return str(value)
    if value != 0 and not 1e-3 <= abs(value) < 1e5:
        return f"{value:.2e}"
    digits = 3 if abs(value) < 1 else 2 if abs(value) < 10 else 1 if abs(value) < 100 else 0
    return f"{value:.{digits}f}"


def write(report: Report, out: Path, command: str, quick: bool) -> Path:
    """Write the table, its JSON and its picture into `out`; return the table's path."""
    out.mkdir(parents=True, exist_ok=True)
    stem = f"speed-{report.part}-{machine.backend()}"
    facts = {"command": command, **machine.facts()}
    picture = report.draw is not None and report.draw(out / f"{stem}.png")
    lines = [f"# {report.title}", ""]
    if quick:
        lines += ["**A quick check with small sizes and few runs: not a measurement.**", ""]
    lines += [f"- {name}: {_as_code(name, fact)}" for name, fact in facts.items()]
    lines += [f"- {NOISE}", "", report.table(), ""]
    if picture:
        lines += [f"![{report.caption}]({stem}.png)", ""]
    lines += [f"- {note}" for note in (*report.notes, *report.skipped)]
    path = out / f"{stem}.md"
    path.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
    content = {
        "part": report.part,
        "quick": quick,
        **facts,
        "rows": list(report.rows),
        "details": report.details,
        "notes": [*report.notes, *report.skipped],
    }
    text = json.dumps(content, indent=1, ensure_ascii=False)
    (out / f"{stem}.json").write_text(text + "\n", encoding="utf-8")
    return path


def _as_code(name: str, fact: str) -> str:
    return f"`{fact}`" if name in ("command", "commit") else fact
