"""Many fits in one batch: bootstrap replicates of one data set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.speed import machine
from benchmarks.speed.problems import ON_DEVICE, Setting, build, has_library, learner, raw
from benchmarks.speed.report import Report
from benchmarks.speed.timing import timed, warm_up
from chronodag.solve import DeviceSolver, Problem, Solution, solve_constrained, solve_many

ON_CPU = (Setting(10, 3, 10, 1000), 16)
ON_GPU = (Setting(20, 3, 20, 1000), 100)
QUICK = (Setting(5, 3, 5, 500), 4)
SINGLES = 8  # replicates that are also fitted one after the other
SKIPPED = "`fit_many` was not timed: `chronodag.learn` cannot be imported here."
Statuses = list[tuple[int, bool]]  # per fit: evaluations, and whether it ended well
DTYPES = ("float64", "float32")
COLUMNS = {
    "dtype": "arithmetic",
    "what": "what",
    "fits": "fits",
    "seconds": "seconds",
    "each": "seconds per fit",
    "ratio": "per fit, one by one = 1",
    "evaluations": "evaluations per fit (median)",
    "ended": "ended well",
}


def measure(quick: bool, case: tuple[Setting, int] | None = None) -> Report:
    """Fit replicates one after the other and together."""
    setting, count = case or (QUICK if quick else ON_GPU if machine.backend() == "gpu" else ON_CPU)
    if not has_library():
        print(f"  {SKIPPED}")
    rows: list[dict[str, Any]] = []
    for dtype in DTYPES:
        rows += _measured(setting, count, DeviceSolver(dtype=dtype))
    return Report(
        "many",
        "Many fits at once",
        COLUMNS,
        rows,
        notes=[
            f"d={setting.dimension}, K={setting.lags}, m={setting.kernels}, T={setting.length}, "
            "simulated AIM data; each replicate weights the windows by a multinomial draw "
            "(a bootstrap) and starts from the same weights.",
            "“Together” is one call of `solve_many`, whose rounds are one batch each. The batch "
            "shrinks as fits end, and each size of batch is a program of its own: the first call "
            "may compile them (or read them from the cache on disk), the second finds them.",
            "“fit_many” is the public function, from the raw data to the graphs, in batches of its "
            "own choice (one by one on a processor). By default every fit but the first starts "
            "from the first one's solution; with `warm=False`, from the common start.",
            f"One after the other: the first {min(SINGLES, count)} of the {count} replicates. A "
            "batch goes on until its slowest fit ends, so all of it is charged its evaluations.",
        ],
        skipped=[] if has_library() else [SKIPPED],
    )


def _measured(setting: Setting, count: int, solver: DeviceSolver) -> list[dict[str, Any]]:
    replicates = bootstrap(build(setting), count)
    start = replicates[0].clip(setting.start())
    warm_up(solver, replicates[0], start)

    def singly() -> Statuses:
        chosen = replicates[: min(SINGLES, count)]
        return _ends([solve_constrained(one, start, solver, ON_DEVICE) for one in chosen])

    def together() -> Statuses:
        return _ends(solve_many(replicates, [start] * count, solver, ON_DEVICE))

    rows = [
        _row(solver.dtype, "one after the other", singly),
        _row(solver.dtype, "together, first call", together),
        _row(solver.dtype, "together, second call", together),
    ]
    if has_library():
        for warm, what in ((False, "fit_many, warm=False"), (True, "fit_many")):
            rows.append(_row(solver.dtype, what, _by_fit_many(setting, replicates, solver, warm)))
    for row in rows:
        row["ratio"] = row["each"] / rows[0]["each"]
    return rows


def _ends(solutions: Sequence[Solution]) -> Statuses:
    return [(one.evaluations, one.status.success) for one in solutions]


def _by_fit_many(
    setting: Setting, replicates: Sequence[Problem], solver: DeviceSolver, warm: bool
) -> Callable[[], Statuses]:
    """Return the same work by way of the public function, from the raw data to the graphs."""
    from chronodag.learn.many import fit_many

    weights = np.array([one.data.weights for one in replicates])
    learners = [learner(setting, dtype=solver.dtype) for _ in replicates]

    def work() -> Statuses:
        fitted = fit_many(learners, raw(setting), weights=weights, warm=warm)
        return _ends([one.solution_ for one in fitted])

    return work


def _row(dtype: str, what: str, work: Callable[[], Statuses]) -> dict[str, Any]:
    seconds, ends = timed(work)
    row = {
        "dtype": dtype,
        "what": what,
        "fits": len(ends),
        "seconds": seconds,
        "each": seconds / len(ends),
        "evaluations": int(np.median([evaluations for evaluations, _ in ends])),
        "ended": f"{sum(success for _, success in ends)} of {len(ends)}",
    }
    print(f"  {row}", flush=True)
    return row


def bootstrap(problem: Problem, count: int, seed: int = 0) -> list[Problem]:
    """Return problems that differ in the weights of their windows alone."""
    rng = np.random.default_rng(seed)
    return [
        replace(problem, data=problem.data._replace(weights=_draw(problem.data.weights, rng)))
        for _ in range(count)
    ]


def _draw(weights: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    size = len(weights)
    return rng.multinomial(size, np.full(size, 1 / size)).astype(np.float64)
