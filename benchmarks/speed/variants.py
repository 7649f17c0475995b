"""What the solver's choices cost and gain: `python -m benchmarks.speed.variants [NAME …]`.

Every variant solves the same problems from the same starts. The table it prints is the one in
docs/results/solver.md.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from chronodag.data import Panel
from chronodag.graph import TemporalGraph, threshold_strengths
from chronodag.learn import NTSNotears
from chronodag.learn.fitting import Setup
from chronodag.metrics import compare
from chronodag.model import strengths
from chronodag.simulate import lorenz96, random_process
from chronodag.solve import DeviceSolver, DualSettings, InnerSolver, ScipySolver, solve_constrained

CHOSEN = DualSettings(early_relative_decrease=1e-5, settle_below=1e-2, relative_decrease=1e-7)
MECHANISMS = ("AIM", "ANM", "GLM-Pois")
VARIANTS: dict[str, tuple[InnerSolver, DualSettings]] = {
    "scipy": (ScipySolver(), DualSettings()),
    "rounds as published": (DeviceSolver(), DualSettings()),
    "chosen": (DeviceSolver(), CHOSEN),
    "early 1e-4": (DeviceSolver(), replace(CHOSEN, early_relative_decrease=1e-4)),
    "early 1e-6": (DeviceSolver(), replace(CHOSEN, early_relative_decrease=1e-6)),
    "settle 1e-1": (DeviceSolver(), replace(CHOSEN, settle_below=1e-1)),
    "settle 1e-3": (DeviceSolver(), replace(CHOSEN, settle_below=1e-3)),
    "final 1e-6": (DeviceSolver(), replace(CHOSEN, relative_decrease=1e-6)),
    "final 1e-8": (DeviceSolver(), replace(CHOSEN, relative_decrease=1e-8)),
    "rho x100": (DeviceSolver(), replace(CHOSEN, rho_growth=100.0)),
    "rho x3": (DeviceSolver(), replace(CHOSEN, rho_growth=3.0)),
    "memory 5": (DeviceSolver(memory=5), CHOSEN),
    "memory 20": (DeviceSolver(memory=20), CHOSEN),
    "patience 1": (DeviceSolver(patience=1), CHOSEN),
    "early float32": (DeviceSolver(early_dtype="float32"), CHOSEN),
    "float32": (DeviceSolver(dtype="float32"), CHOSEN),
}


class Case(NamedTuple):
    group: str
    setup: Setup
    truth: TemporalGraph


def cases() -> Iterator[Case]:
    for seed in range(4):
        simulated = lorenz96(20, 500, rng=70 + seed)
        learner = NTSNotears(
            lags=1, hidden=40, l1=[0.1, 0.001], l2=0.01, threshold=0.5, random_state=seed
        )
        yield Case("Lorenz-96", learner.setup(Panel.from_any(simulated.data)), simulated.graph)
    for dimension, count, first in ((10, 6, 70), (20, 3, 80)):
        for seed in range(count):
            process = random_process(dimension, 3, rng=first + seed, mechanism=MECHANISMS[seed % 3])
            learner = NTSNotears(lags=3, l1=0.002, l2=0.015, random_state=seed)
            panel = Panel.from_any(process.sample(1000, np.random.default_rng(seed)))
            yield Case(f"d={dimension}", learner.setup(panel), process.graph)


def measure(solver: InnerSolver, rounds: DualSettings, chosen: list[Case]) -> str:
    objectives, evaluations, seconds, scores = [], [], [], []
    if not isinstance(solver, ScipySolver):  # compile outside the clock
        solve_constrained(chosen[0].setup.problem, chosen[0].setup.initial, solver, rounds)
    for _, setup, truth in chosen:
        started = time.perf_counter()
        solution = solve_constrained(setup.problem, setup.initial, solver, rounds)
        seconds.append(time.perf_counter() - started)
        objectives.append(solution.objective)
        evaluations.append(solution.evaluations)
        cells = strengths(setup.architecture.unflatten(solution.x))
        graph = threshold_strengths(cells, setup.settings.threshold, truth.names)
        scores.append(compare(truth, graph).f1)
    return (
        f"{np.mean(objectives):.4f} / {np.mean(evaluations):.0f} / "
        f"{np.median(seconds):.2f} s / {np.mean(scores):.3f}"
    )


def main() -> None:
    wanted = sys.argv[1:] or list(VARIANTS)
    problems = list(cases())
    groups = list(dict.fromkeys(case.group for case in problems))
    print(f"| variant | {' | '.join(groups)} |\n|---|{'---|' * len(groups)}")
    for name in wanted:
        solver, rounds = VARIANTS[name]
        cells = [measure(solver, rounds, [c for c in problems if c.group == g]) for g in groups]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
