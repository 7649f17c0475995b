"""Where replicates of a bootstrap may start, and what each costs: python -m benchmarks.starts.

Prints the mean evaluations per replicate and the error Σ (presence − truth)² of four kinds of
start over six simulated processes (decision 16), then the time of 100 replicates against one fit.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

import chronodag as cd
from chronodag import simulate
from chronodag.learn.fitting import Setup, conclude
from chronodag.learn.many import solve_all, started_from, weighted
from chronodag.learn.planning import free_start
from chronodag.learn.resampling import resampling_of

REPLICATES = 30
KINDS = ("free solution", "constrained solution", "common random start", "own random starts")


def main() -> None:
    """Print both tables."""
    found = np.mean([list(errors(seed)) for seed in range(6)], axis=0)
    for kind, (evaluations, lag0, all_lags) in zip(KINDS, found, strict=True):
        print(f"{kind:<22} {evaluations:6.0f} evaluations  error {lag0:.2f} / {all_lags:.2f}")
    for d in (5, 10):
        print(times(d))


def errors(seed: int) -> Iterator[tuple[float, float, float]]:
    """Yield evaluations, error at lag 0 and error at all lags for each kind of start."""
    mechanism = ("ANM", "AIM")[seed % 2]
    process = simulate.random_process(6, 2, mechanism=mechanism, rng=seed, degree=1)
    learner = cd.NTSNotears.from_preset("fixed", lags=2, random_state=0)
    setup = learner.setup(cd.Panel.from_any(process.sample(300, rng=seed)))
    draws = resampling_of(setup.panel, 2, "bootstrap", None, 0)
    weights = np.array([draws.weights(one) for one in range(REPLICATES)])
    for kind in KINDS:
        starts = [started_from(setup, x) for x in starts_of(kind, learner, setup)]
        solutions = solve_all(weighted(starts, weights), 1)
        graphs = [conclude(setup, one).graph.adjacency for one in solutions]
        wrong = (np.mean(graphs, axis=0) - process.graph.adjacency) ** 2
        yield np.mean([one.evaluations for one in solutions]), wrong[0].sum(), wrong.sum()


def starts_of(kind: str, learner: cd.NTSNotears, setup: Setup) -> list[NDArray[np.float64]]:
    """Return the start of each replicate."""
    if kind == "own random starts":
        seeds = range(REPLICATES)
        learners = [clone(learner).set_params(random_state=seed) for seed in seeds]
        return [one.setup(setup.panel).initial for one in learners]
    if kind == "free solution":
        x = free_start(setup)
    elif kind == "constrained solution":
        x = solve_all([setup], 1)[0].x
    else:
        x = setup.initial
    return [x] * REPLICATES


def times(d: int) -> str:
    """Time one fit (median of five) and 100 replicates, all compiled before."""
    process = simulate.random_process(d, 3, mechanism="AIM", rng=0, degree=1)
    data = process.sample(500, rng=0)
    learner = cd.NTSNotears.from_preset("fixed", lags=3, random_state=0).fit(data)
    cd.bootstrap(learner, data, replicates=2)
    fit = float(np.median([seconds(lambda: learner.fit(data)) for _ in range(5)]))
    parts = [f"d={d}, K=3, T=500: one fit {fit:.3f} s, 100 replicates"]
    for options in ({}, {"jobs": 2}, {"warm": False}):
        spent = seconds(lambda chosen=options: cd.bootstrap(learner, data, **chosen))
        parts.append(f"{options or 'as a rule'} {spent:.1f} s")
    return ", ".join(parts)


def seconds(work) -> float:  # type: ignore[no-untyped-def]
    """Return how long a call takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
