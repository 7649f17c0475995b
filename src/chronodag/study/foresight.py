"""What a study still has to do, and how long that may take."""

from __future__ import annotations

from collections.abc import Iterator

from chronodag.study.estimate import total
from chronodag.study.running import Plan, jobs_for
from chronodag.study.spec import Cell, Study


def foresee(study: Study, state: Plan, jobs: int | None = None) -> Iterator[str]:
    """Yield lines that tell how many cells there are, and the time of those that are missing."""
    count = len(state.missing)
    yield f"{study.name}: {len(study.data)} kinds of data, {len(study.methods)} methods, " + (
        f"{len(study.seeds)} seeds: {len(state.cells)} cells"
    )
    yield f"done {state.done}, failed {state.failed}, to run {count}"
    if not count:
        return
    width = jobs_for(study, jobs)
    seconds, unknown = total(state.estimator, state.missing)
    if len(unknown) < count:
        yield (
            f"about {duration(seconds / width)} for {count - len(unknown)} of them, {width} at "
            "once, from the times of finished cells (scaled with d²T where no cell of the size "
            "has run)"
        )
    if unknown:
        methods = ", ".join(dict.fromkeys(map(_name, unknown)))
        yield (
            f"no estimate for {len(unknown)} cells, since nothing like them has run: {methods}. "
            "--probe runs one of each kind."
        )
    if study.limits.seconds is not None:
        ceiling = duration(count * study.limits.seconds / width)
        yield f"at most {ceiling} by the limit of {study.limits.seconds:g} s per cell"


def probes(state: Plan) -> tuple[Cell, ...]:
    """Return the first missing cell of each method and kind of data without an exact estimate.

    A grid of settings counts as one method: its first settings stand for all.
    """
    chosen: dict[tuple[str, str], Cell] = {}
    for cell in state.missing:
        estimate = state.estimator.seconds(cell)
        if estimate is None or not estimate.exact:
            chosen.setdefault((_name(cell), cell.data.label), cell)
    return tuple(chosen.values())


def _name(cell: Cell) -> str:
    return cell.method.group or cell.method.label


def duration(seconds: float) -> str:
    """Return a time for a person: `40 s`, `12 min`, `3.5 h`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
