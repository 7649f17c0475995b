"""The report of a study as Markdown: tables with intervals, failures in plain sight, provenance."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from chronodag.errors import SettingsError
from chronodag.study.best import best_lines
from chronodag.study.cells import cells
from chronodag.study.focus import FOCUS, parents_lines, with_focus
from chronodag.study.measuring import Record
from chronodag.study.scores import METRICS, SPENT
from chronodag.study.spec import Study
from chronodag.study.store import Store
from chronodag.study.summary import Entry, Mean, Summary, summarise, truths

_MEANINGS = METRICS | FOCUS | SPENT


def report(study: Study, out: str | Path, metrics: Iterable[str] | None = None) -> str:
    """Return the report on the results in a folder; metrics as in the study unless given."""
    store = Store(out)
    records = records_of(study, store)
    primary = truths(records)[0]
    lines = [f"# {study.name}", ""]
    lines += [study.description, ""] if study.description else []
    lines += [_count_line(study, records), ""]
    compared = study.report.best is None or study.report.reference is not None
    lines += best_lines(study, records, primary)
    lines += parents_lines(study, store, primary)
    for metric in metrics or study.report.metrics:
        check_metric(metric, study.report.focus)
        for truth in _truths_for(metric, records):
            summary = summarise(study, records, metric, truth)
            lines += _section(summary, len(truths(records)))
            lines += _differences(summary) if compared else []
    lines += list(_failures(study, records))
    lines += list(_provenance(records))
    return "\n".join(lines).rstrip() + "\n"


def records_of(study: Study, store: Store) -> dict[str, list[Record]]:
    """Return the results of a study with every score that its report may show."""
    return with_focus(study, store, store.records({cell.key for cell in cells(study)}))


def check_metric(metric: str, focus: str | None = None) -> None:
    """Refuse what no result holds; `focus` is the variable that the study's report names."""
    if metric in FOCUS and focus is None:
        raise SettingsError(
            f"The metric {metric!r} is of one variable, and the study names none. Add "
            "focus: (a variable) to its report section."
        )
    if metric not in _MEANINGS:
        raise SettingsError(
            f"No metric is named {metric!r}; expected one of {', '.join(_MEANINGS)}."
        )


def _truths_for(metric: str, records: Mapping[str, list[Record]]) -> tuple[str, ...]:
    found = truths(records)
    return found[:1] if metric in SPENT else found


def _count_line(study: Study, records: Mapping[str, list[Record]]) -> str:
    wanted = {cell.key for cell in cells(study)}
    states = Counter(rows[0]["status"] for rows in records.values())
    states["not run"] = len(wanted) - len(records)
    order = sorted(states, key=lambda state: (state != "ok", state))
    parts = [f"{states[state]} {state}" for state in order if states[state]]
    return f"{len(wanted)} cells: {', '.join(parts)}."


def _section(summary: Summary, truth_count: int) -> Iterator[str]:
    against = f", against the truth “{summary.truth}”" if truth_count > 1 else ""
    yield f"## {summary.metric}{against if summary.metric not in SPENT else ''}"
    yield ""
    yield _MEANINGS[summary.metric] + ". Mean ± half of the 95 % interval (Student's t)."
    yield ""
    yield from _table(summary, lambda method, column: _shown(summary.entries.get((method, column))))
    yield ""


def _differences(summary: Summary) -> Iterator[str]:
    if len(summary.methods) > 1:
        yield (
            f"Paired differences to {summary.reference} on the data sets both have a value for; "
            "bold where the interval leaves out 0."
        )
        yield ""
        yield from _table(summary, lambda method, column: _difference(summary, method, column))
        yield ""


def _table(summary: Summary, cell: Callable[[str, str], str]) -> Iterator[str]:
    yield "| method | " + " | ".join(map(_escaped, summary.columns)) + " |"
    yield "|---" * (len(summary.columns) + 1) + "|"
    for method in summary.methods:
        row = " | ".join(cell(method, column) for column in summary.columns)
        yield f"| {_escaped(method)} | {row} |"


def _shown(entry: Entry | None) -> str:
    if entry is None:
        return "not meant"
    lost = ", ".join(f"{number} {reason}" for reason, number in entry.lost.items())
    if entry.mean is None:
        return lost or "–"
    return with_interval(entry.mean) + (f" ({lost})" if lost else "")


def _difference(summary: Summary, method: str, column: str) -> str:
    own = summary.entries.get((method, column))
    other = summary.entries.get((summary.reference, column))
    if method == summary.reference or own is None or other is None:
        return "–"
    difference = own.minus(other)
    if difference is None:
        return "no pairs"
    text = with_interval(difference, signed=True)
    if difference.half is not None and abs(difference.mean) > difference.half:
        text = f"**{text}**"
    pairs = len(own.values) + sum(own.lost.values())
    return text if difference.count == pairs else f"{text} ({difference.count} of {pairs} pairs)"


def with_interval(value: Mean, *, signed: bool = False) -> str:
    """Return `0.912 ± 0.034`, or the bare value if there is but one."""
    digits = 3 if max(abs(value.mean), value.half or 0.0) < 10 else 1
    mean = f"{value.mean:+.{digits}f}" if signed else f"{value.mean:.{digits}f}"
    return f"{mean} (n=1)" if value.half is None else f"{mean} ± {value.half:.{digits}f}"


def _failures(study: Study, records: Mapping[str, list[Record]]) -> Iterator[str]:
    """Yield what went wrong, each message once per method."""
    found: Counter[tuple[str, str, str]] = Counter()
    for cell in cells(study):
        rows = records.get(cell.key)
        if rows and rows[0]["status"] != "ok":
            found[cell.method.label, rows[0]["status"], rows[0]["error"] or ""] += 1
    if found:
        yield "## What failed"
        yield ""
        for (method, status, error), number in found.most_common():
            yield f"- {_escaped(method)}: {number} × {status}: {' '.join(error.split())}"
        yield ""


def _provenance(records: Mapping[str, list[Record]]) -> Iterator[str]:
    yield "## Where these figures come from"
    yield ""
    spent = sum(rows[0]["elapsed"] or 0.0 for rows in records.values())
    yield f"- Time in cells: {spent:.0f} s."
    texts = dict.fromkeys(rows[0]["environment"] for rows in records.values())
    seen = [json.loads(text) for text in texts]
    commits = dict.fromkeys(str(one.get("commit")) for one in seen)
    yield f"- Commit: {', '.join(commits) or 'none'}."
    told = [one["machine"] for one in seen if one.get("machine")]  # a killed cell tells nothing
    for line in dict.fromkeys(map(_machine_line, told)):
        yield f"- {line}"


def _machine_line(machine: Mapping[str, object]) -> str:
    versions = machine["versions"]
    assert isinstance(versions, Mapping)
    packages = ", ".join(f"{name} {number}" for name, number in versions.items())
    return (
        f"{machine['cpu']}, {machine['cores']} cores, {machine['memory_gib']} GiB, "
        f"{machine['system']}; {machine['threads']} threads per cell; Python {machine['python']}; "
        f"{packages}."
    )


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")
