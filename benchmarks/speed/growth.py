"""How the time grows with T, d, K and m: log-log slopes and a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.speed.problems import ON_DEVICE, Setting, build
from benchmarks.speed.report import Report
from benchmarks.speed.timing import timed, warm_up
from chronodag.solve import DeviceSolver, Multipliers, Problem, Status, Task, solve_constrained


@dataclass(frozen=True)
class Sweep:
    """One size that varies while the others rest."""

    letter: str
    field: str
    values: tuple[int, ...]

    def settings(self) -> list[Setting]:
        """Return the settings along the sweep."""
        changes: list[Any] = [{self.field: value} for value in self.values]
        return [replace(BASE, **change) for change in changes]


BASE = Setting(10, 2, 10, 1000)
SWEEPS = (
    Sweep("T", "length", (250, 500, 1000, 2000, 4000, 8000, 16000)),
    Sweep("d", "dimension", (5, 10, 20, 40, 80)),
    Sweep("K", "lags", (1, 2, 3, 4, 5, 6, 7, 8)),
    Sweep("m", "kernels", (5, 10, 20, 40, 80)),
)
TURNS = 60
COLUMNS = {
    "sweep": "varied",
    "d": "d",
    "K": "K",
    "m": "m",
    "T": "T",
    "milliseconds": "ms per evaluation",
    "seconds": "seconds per fit",
    "evaluations": "evaluations per fit",
}


def measure(quick: bool, sweeps: Sequence[Sweep] | None = None) -> Report:
    """Time the device solver (float64) along each sweep."""
    if sweeps is None:
        sweeps = [replace(one, values=one.values[:3]) for one in SWEEPS] if quick else SWEEPS
    patience = 2.0 if quick else 15.0
    known: dict[Setting, dict[str, Any]] = {}
    rows = []
    for sweep in sweeps:
        for setting in sweep.settings():
            known[setting] = known.get(setting) or _measured(setting, patience)
            rows.append({"sweep": sweep.letter, **setting.sizes, **known[setting]})
            print(f"  {rows[-1]}", flush=True)
    slopes = {sweep.letter: _slopes(sweep.letter, rows) for sweep in sweeps}
    return Report(
        "growth",
        "Growth of the time with T, d, K and m",
        COLUMNS,
        rows,
        notes=[_slope_note(letter, found) for letter, found in slopes.items()] + _notes(patience),
        details=slopes,
        draw=lambda path: draw(rows, slopes, path),
        caption="Time against T, d, K and m, both axes logarithmic, with slopes",
    )


def _measured(setting: Setting, patience: float) -> dict[str, Any]:
    problem = build(setting)
    start = problem.clip(setting.start())
    warm_up(DeviceSolver(), problem, start)
    row: dict[str, Any] = {"milliseconds": 1e3 * _turn_seconds(problem, start)}
    seconds, solution = timed(
        lambda: solve_constrained(
            problem, start, DeviceSolver(), ON_DEVICE, lambda progress: progress.seconds > patience
        )
    )
    if solution.status is not Status.INTERRUPTED:
        row |= {"seconds": seconds, "evaluations": solution.evaluations}
    return row


def _turn_seconds(problem: Problem, start: Any) -> float:
    """Return the seconds per turn of a search of `TURNS` turns at most, the best of three."""
    solver, task = (
        DeviceSolver(max_evaluations=TURNS),
        Task(problem, start, Multipliers(1.0, 0.0), 0.0),
    )
    found = []
    for _ in range(3):
        seconds, results = timed(lambda: solver([task]))
        found.append(seconds / results[0].evaluations)
    return min(found)


def _slopes(letter: str, rows: Sequence[dict[str, Any]]) -> dict[str, float]:
    """Return d log(time) / d log(size): over all points, and over the last two."""
    mine = [row for row in rows if row["sweep"] == letter]
    sizes = np.log([row[letter] for row in mine])
    times = np.log([row["milliseconds"] for row in mine])
    found = {"all": _slope(sizes, times), "last": _slope(sizes[-2:], times[-2:])}
    ended = [row for row in mine if "seconds" in row]
    if len(ended) > 2:
        fits = np.log([[row[letter], row["seconds"]] for row in ended])
        found["fits"] = _slope(fits[:, 0], fits[:, 1])
    return found


def _slope(sizes: Any, times: Any) -> float:
    return float(np.polyfit(sizes, times, 1)[0])


def _slope_note(letter: str, found: dict[str, float]) -> str:
    fits = f"; seconds per fit {found['fits']:.2f}" if "fits" in found else ""
    return (
        f"Slope in {letter}: ms per evaluation {found['all']:.2f} over all points, "
        f"{found['last']:.2f} between the last two{fits}."
    )


def _notes(patience: float) -> list[str]:
    return [
        f"“ms per evaluation” is one turn of the device solver in float64, its own linear algebra "
        f"included, from a search limited to {TURNS} evaluations (warm, best of three).",
        "“Seconds per fit” is one whole fit from a random start (simulated AIM data, seed 0); "
        f"fits that would take more than {patience:g} s were stopped and have a dash. It is one "
        "fit per size, and the number of evaluations varies from data set to data set, so its "
        "slope is rough.",
    ]


def draw(rows: Sequence[dict[str, Any]], slopes: dict[str, dict[str, float]], path: Path) -> bool:
    """Draw one panel per sweep; say so and return False where matplotlib is missing."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        print("  no picture: matplotlib is not installed here")
        return False
    figure = Figure(figsize=(9, 7), layout="constrained")
    panels = figure.subplots(2, 2).ravel()
    for axes, (letter, found) in zip(panels, slopes.items(), strict=False):
        _panel(axes, letter, found, [row for row in rows if row["sweep"] == letter])
    for axes in panels[len(slopes) :]:
        axes.set_visible(False)
    figure.savefig(path, dpi=120)
    return True


def _panel(axes: Any, letter: str, found: dict[str, float], rows: Sequence[dict[str, Any]]) -> None:
    others = ", ".join(f"{name} = {rows[0][name]}" for name in "TdKm" if name != letter)
    turns = f"ms per evaluation, slope {found['all']:.2f} (last two points: {found['last']:.2f})"
    sizes = [row[letter] for row in rows]
    axes.loglog(sizes, [row["milliseconds"] for row in rows], "o-", label=turns)
    ended = [row for row in rows if "seconds" in row]
    slope = f", slope {found['fits']:.2f}" if "fits" in found else ""
    if ended:
        seconds = [row["seconds"] for row in ended]
        label = f"seconds per fit{slope}"
        axes.loglog([row[letter] for row in ended], seconds, "s--", label=label, alpha=0.6)
    axes.set_xticks(sizes, [str(size) for size in sizes], minor=False)
    axes.set_xticks([], minor=True)
    axes.set_xlabel(f"{letter}   ({others})")
    axes.grid(True, which="both", alpha=0.2)
    axes.legend(fontsize=8, loc="lower left", bbox_to_anchor=(0, 1))  # above the lines
