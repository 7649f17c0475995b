"""Whole fits from one start: the device solver in both precisions, and SciPy's L-BFGS-B."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from statistics import median
from typing import Any

from benchmarks.speed import machine
from benchmarks.speed.problems import AS_PUBLISHED, ON_DEVICE, Setting, build
from benchmarks.speed.report import Report
from benchmarks.speed.timing import timed, warm_up
from chronodag.solve import (
    Callback,
    DeviceSolver,
    DualSettings,
    InnerSolver,
    Problem,
    Progress,
    ScipySolver,
    solve_constrained,
)


@dataclass(frozen=True)
class Case:
    """A setting, and what the authors' program needed there by our notes."""

    name: str
    setting: Setting
    authors_seconds: float


CASES = (
    Case("simulated (AIM)", Setting(5, 3, 5, 1000), 2.8),
    Case("simulated (AIM)", Setting(10, 3, 10, 1000), 13.0),
    Case("Lorenz-96", Setting(20, 1, 40, 500, "Lorenz-96", (0.1, 0.001), 0.01), 97.0),
    Case("simulated (AIM)", Setting(20, 3, 20, 1000), 256.0),
)
SOLVERS: Mapping[str, tuple[InnerSolver, DualSettings]] = {
    "device, float64": (DeviceSolver(dtype="float64"), ON_DEVICE),
    "device, float32": (DeviceSolver(dtype="float32"), ON_DEVICE),
    "scipy": (ScipySolver(), AS_PUBLISHED),
}
SAME = 1e-4  # of F, and the h that counts as nearly acyclic, when asking who is there first
COLUMNS = {
    "data": "data",
    "d": "d",
    "K": "K",
    "m": "m",
    "T": "T",
    "solver": "solver",
    "seconds": "seconds",
    "evaluations": "evaluations",
    "objective": "F reached",
    "h": "largest h",
    "above_scipy": "F above SciPy's",
    "ratio": "times faster to the end",
    "ratio_same": "times faster to the same F",
    "authors": "authors' program (not measured in this run)",
}


def measure(quick: bool, cases: tuple[Case, ...] | None = None) -> Report:
    """Solve every case with every solver, on several data sets."""
    if cases is None:
        cases = CASES[:2] if quick else CASES
    seeds = range(1 if quick else 3)
    solvers, skipped = _available()
    rows, details = [], []
    for case in cases:
        runs = [_run(case, seed, solvers) for seed in seeds]
        fits = {name: [run[name] for run in runs] for name in solvers}
        rows += [_row(case, name, fits) for name in solvers]
        details.append({"data": case.name, **case.setting.sizes, "fits": fits})
    return Report(
        "solvers",
        "Seconds of a whole fit, by solver",
        COLUMNS,
        rows,
        notes=_notes(len(seeds)),
        details=details,
        skipped=skipped,
    )


def _available() -> tuple[list[str], list[str]]:
    if machine.backend() == "gpu":
        why = "SciPy's solver was left out: it computes on the host and is timed on the processor."
    elif find_spec("scipy") is None or find_spec("threadpoolctl") is None:
        why = "SciPy's solver was left out: scipy and threadpoolctl are not both installed here."
    else:
        return list(SOLVERS), []
    print(f"  {why}")
    return [name for name in SOLVERS if name != "scipy"], [why]


def _run(case: Case, seed: int, solvers: list[str]) -> dict[str, dict[str, Any]]:
    """Solve one data set with every solver, from the same start."""
    problem = build(case.setting, seed)
    start = problem.clip(case.setting.start(seed))
    path: list[Progress] = []
    fits: dict[str, dict[str, Any]] = {}
    for name in solvers:
        if seed == 0:
            warm_up(SOLVERS[name][0], problem, start)
        fits[name] = _fit(name, problem, start, path.append if name == "scipy" else None)
        print(f"  {case.name} {case.setting.sizes} {name}: {fits[name]}", flush=True)
    if "scipy" in fits:
        for fit in fits.values():
            fit["scipy_seconds_to_same"] = _first_there(path, fits["scipy"], fit)
    return fits


def _fit(name: str, problem: Problem, start: Any, watch: Callback | None) -> dict[str, Any]:
    solver, dual = SOLVERS[name]
    seconds, solution = timed(lambda: solve_constrained(problem, start, solver, dual, watch))
    return {
        "seconds": seconds,
        "objective": solution.objective,
        "h": solution.h,
        "evaluations": solution.evaluations,
        "status": solution.status.name,
    }


def _first_there(path: list[Progress], scipy: dict[str, Any], other: dict[str, Any]) -> float:
    """Return when SciPy first was nearly acyclic and no higher than the higher of the two ends."""
    target = max(scipy["objective"], other["objective"]) * (1 + SAME)
    times = [at.seconds for at in path if at.h <= SAME and at.objective <= target]
    return float(min(times, default=scipy["seconds"]))


def _row(case: Case, name: str, fits: Mapping[str, list[dict[str, Any]]]) -> dict[str, Any]:
    ours, scipy = fits[name], fits.get("scipy")
    row = {
        "data": case.name,
        **case.setting.sizes,
        "solver": name,
        "seconds": float(median(fit["seconds"] for fit in ours)),
        "evaluations": int(median(fit["evaluations"] for fit in ours)),
        "objective": f"{median(fit['objective'] for fit in ours):.4f}",
        "h": f"{max(fit['h'] for fit in ours):.0e}",
        "authors": f"{case.authors_seconds:g} s",
    }
    if scipy is not None and name != "scipy":
        pairs = list(zip(ours, scipy, strict=True))
        above = median(mine["objective"] / theirs["objective"] - 1 for mine, theirs in pairs)
        row["above_scipy"] = f"{100 * above:+.2f} %"
        row["ratio"] = float(median(theirs["seconds"] / mine["seconds"] for mine, theirs in pairs))
        same = median(mine["scipy_seconds_to_same"] / mine["seconds"] for mine in ours)
        row["ratio_same"] = float(same)
    return row


def _notes(count: int) -> list[str]:
    return [
        f"Medians over {count} data set{'s' * (count > 1)}; all solvers start from the same "
        "weights, in one process, with compiled code warm. Each runs to its own end with the "
        "tolerances that `NTSNotears` gives it.",
        "F is the objective reached (squared error, L1 and L2 terms, without the acyclicity "
        "terms); “largest h” shows how far the worst answer is from acyclic at lag 0 (the JSON has "
        "every fit, with its status). “F above SciPy's” is negative where the device solver "
        "ended lower; the problem is not convex, so solvers may end in different minima.",
        f"“Times faster to the same F” asks when SciPy first had h ≤ {SAME:g} and an F within "
        f"{100 * SAME:g} % of the higher of the two ends, and compares that with the device "
        "solver's whole time: SciPy is not charged for what it did beyond the device solver's "
        "answer.",
        "Evaluations are of value and gradient. For the device solver one evaluation is one turn "
        "of all networks, steps refused included.",
        "The authors' program: published by our notes as 97 s, 256 s, 13 s and 2.8 s on a machine "
        "of this kind (two cores), for data of these sizes; it was not run here.",
    ]
