"""How long 96 sets of the released generator's shape take: `python -m benchmarks.simulators`.

Three mechanisms, ER and BA, d in 5, 10, 15, 20, T in 200 and 1000, two processes each; K = 3, mean
degrees 2 and 1 per lag. The released generator itself needs about 12 s for them on two cores.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

from benchmarks.speed.machine import facts
from chronodag.simulate import Process, bold, hockey, lorenz96, random_process, sample_many

RELEASED_SECONDS = 12.0
REPEATS = 7


def sets() -> list[tuple[Process, int]]:
    """Draw the 96 processes, each with its number of rows."""
    rng = np.random.default_rng(0)
    return [
        (random_process(d, 3, rng=rng, mechanism=mechanism, scheme=scheme), T)
        for mechanism in ("ANM", "AIM", "GLM-Pois")
        for scheme in ("ER", "BA")
        for d in (5, 10, 15, 20)
        for T in (200, 1000)
        for _ in range(2)
    ]


def sample_all(drawn: list[tuple[Process, int]], engine: str) -> None:
    for rows in (200, 1000):
        sample_many([one for one, T in drawn if rows == T], rows, 0, engine=engine)


def sample_each(drawn: list[tuple[Process, int]], engine: str) -> None:
    for process, rows in drawn:
        process.sample(rows, 0, engine=engine)


def report(name: str, work: Callable[[], object], compared: bool = False) -> None:
    """Print the first run, the median and the least of some more."""
    seconds = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - started)
    first, least, median = seconds[0], min(seconds), float(np.median(seconds))
    against = f"{RELEASED_SECONDS / median:8.0f}×" if compared else ""
    print(f"{name:34}{first:9.3f}{median:9.3f}{least:9.3f}{against}", flush=True)


def main() -> int:
    """Measure and print."""
    for name, value in facts().items():
        print(f"{name}: {value}")
    print(f"\n{'seconds':34}{'first':>9}{'median':>9}{'least':>9}{'faster':>9}")
    report("draw the 96 processes", sets)
    drawn = sets()
    for engine in ("compiled", "numpy"):
        report(f"96 sets together, {engine}", lambda e=engine: sample_all(drawn, e), compared=True)
    report("96 sets one by one, compiled", lambda: sample_each(drawn, "compiled"), compared=True)
    report("Lorenz-96, d = 20, T = 500", lambda: lorenz96(rng=0))
    report("hockey, 10 games", lambda: hockey(10, rng=0))
    report("BOLD, d = 5, T = 200", lambda: bold(rng=0))
    return 0


if __name__ == "__main__":
    sys.exit(main())
