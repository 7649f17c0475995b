"""The simulated processes from which the curves are learned; none is in a study's report."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chronodag.simulate import lorenz96, random_process

GRID_SEED = 901
VARIED_SEED = 50_000
VARIED = 60
SPARSE_SEED = 60_000
SPARSE = 80
MAPS = 40


@dataclass(frozen=True)
class Case:
    """One data set with its truth `[lag, source, target]`."""

    name: str
    data: NDArray[np.float64]
    truth: NDArray[np.bool_]

    @property
    def lags(self) -> int:
        """The largest lag of the truth, which the fit is told."""
        return len(self.truth) - 1


def noisy() -> Iterator[Case]:
    """The shapes of the paper's study, one each, and shapes drawn at random."""
    sizes, rows, amounts = (5, 10, 15, 20), (200, 1000), ("lag", "total")
    mechanisms, schemes = ("ANM", "AIM", "GLM-Pois"), ("ER", "BA")
    for per, d, T, mechanism, scheme in product(amounts, sizes, rows, mechanisms, schemes):
        settings = {"d": d, "lags": 3, "scheme": scheme, "degree": 2, "lagged_degree": 1}
        settings |= {"lagged_per": per, "mechanism": mechanism}
        yield _sampled(f"grid-{mechanism}-{scheme}-{d}-{T}-{per}", settings, T, GRID_SEED)
    for number in range(VARIED):
        settings, T = _varied(np.random.default_rng(VARIED_SEED + number))
        yield _sampled(f"varied-{number}", settings, T, VARIED_SEED + number)
    for number in range(SPARSE):
        yield _sparse(number)


def _sparse(number: int) -> Case:
    """Few edges or none: what confidences must not make up. Every fourth is noise alone."""
    rng = np.random.default_rng(SPARSE_SEED + number)
    d = int(rng.integers(2, 36))
    T = int(rng.choice([60, 100, 150, 300] if d > 15 else [60, 100, 200, 400, 800]))
    if number % 4 == 0:
        truth = np.zeros((int(rng.integers(1, 4)), d, d), dtype=bool)
        return Case(f"sparse-{number}", rng.standard_normal((T, d)), truth)
    settings = {
        "d": d,
        "lags": int(rng.integers(1, 4)),
        "degree": float(rng.choice([0.2, 0.5])) if d > 2 else 0.2,
        "lagged_degree": float(rng.choice([0.2, 0.5])),
        "lagged_per": "total",
        "mechanism": str(rng.choice(["ANM", "AIM", "GLM-Pois", "linear"])),
    }
    return _sampled(f"sparse-{number}", settings, T, SPARSE_SEED + number)


def _varied(rng: np.random.Generator) -> tuple[dict[str, Any], int]:
    d = int(rng.integers(3, 21))
    settings = {
        "d": d,
        "lags": int(rng.integers(1, 5)),
        "scheme": str(rng.choice(["ER", "BA"])),
        "degree": float(rng.choice([1, 1, 2, 3])) if d > 4 else 1.0,
        "lagged_degree": float(rng.choice([0.5, 1, 2])),
        "lagged_per": "total" if rng.random() < 0.6 else "lag",
        "mechanism": str(rng.choice(["ANM", "AIM", "GLM-Pois", "linear"], p=[0.3, 0.3, 0.2, 0.2])),
    }
    return settings, int(rng.choice([100, 150, 250, 400, 600, 1000, 1500]))


def _sampled(name: str, settings: dict[str, Any], T: int, seed: int) -> Case:
    rng = np.random.default_rng(seed)
    process = random_process(**settings, rng=rng)
    return Case(name, process.sample(T, rng), process.graph.adjacency)


def noise_free() -> Iterator[Case]:
    """Lorenz-96 at several forcings and sampling variants, and rings of coupled logistic maps."""
    variants = ("paper", "neural-granger", "recurrent")
    for forcing, T, variant in product((8, 10, 15, 25, 40), (150, 300, 500, 1000), variants):
        seed = 7000 + int(forcing * 100) + T
        d = 8 if T == 1000 else 14
        made = lorenz96(d, T, forcing=forcing, variant=variant, rng=seed)
        yield Case(f"lorenz-{forcing}-{T}-{variant}", made.data, made.graph.adjacency)
    for number in range(MAPS):
        yield _maps(number)


def _maps(number: int) -> Case:
    """Chaotic logistic maps, each pulled by none to six others one step later."""
    rng = np.random.default_rng(8000 + number)
    d, T = int(rng.integers(6, 14)), int(rng.choice([150, 300, 500, 800]))
    parents = np.zeros((d, d), dtype=bool)  # [source, target]
    for target in range(d):
        others = [source for source in range(d) if source != target]
        parents[rng.choice(others, size=int(rng.integers(0, min(d, 7))), replace=False), target] = (
            True
        )
    rate, pull = rng.uniform(3.7, 3.95, d), rng.uniform(0.1, 0.4, d)
    x = np.empty((T + 200, d))
    x[0] = rng.uniform(0.2, 0.8, d)
    shares = np.where(parents, rng.uniform(0.5, 1.5, (d, d)), 0.0)
    shares /= np.maximum(shares.sum(axis=0), 1e-12)
    for t in range(1, len(x)):
        own = rate * x[t - 1] * (1.0 - x[t - 1])
        x[t] = np.where(parents.any(axis=0), (1 - pull) * own + pull * (own @ shares), own)
    truth = np.zeros((2, d, d), dtype=bool)
    truth[1] = parents | np.eye(d, dtype=bool)
    return Case(f"maps-{number}", x[200:], truth)
