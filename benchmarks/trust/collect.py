"""Weigh the cases and keep what the curves are fitted to, one file a case; resumable."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.trust.cases import Case
from chronodag.data import Panel
from chronodag.evidence import Evidence
from chronodag.evidence.regime import Regime
from chronodag.learn import NTSNotears
from chronodag.learn.automatic import learn_automatically


@dataclass(frozen=True)
class Weighed:
    """The evidence for a case, the strengths of its networks, and its truth."""

    name: str
    evidence: Evidence
    strengths: NDArray[np.float64]
    truth: NDArray[np.bool_]
    seconds: float


def collect(cases: Iterable[Case], folder: Path) -> list[Weighed]:
    """Return what is known of the cases; weigh those that are not in the folder yet."""
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for case in cases:
        path = folder / f"{case.name}.npz"
        if not path.exists():
            _weigh(case, path)
        found.append(read(path))
    return found


def _weigh(case: Case, path: Path) -> None:
    panel = Panel.from_any(case.data)
    learner = NTSNotears(lags=case.lags, random_state=0)
    clock = time.perf_counter()
    chosen = learn_automatically(
        panel, learner.setup(panel), lambda bounds: learner.setup(panel, None, bounds)
    )
    seconds = time.perf_counter() - clock
    evidence = chosen.evidence
    part = path.with_suffix(".part.npz")
    np.savez(
        part,
        nats=evidence.nats,
        order=np.array(evidence.order),
        turning=evidence.turning,
        noise=evidence.noise,
        open=evidence.open,
        windows=evidence.windows,
        strengths=chosen.fitted.graph.strengths,
        truth=case.truth,
        seconds=seconds,
    )
    os.replace(part, path)
    print(f"{case.name}: {seconds:.1f} s", flush=True)


def _regime(open_: NDArray[np.bool_]) -> Regime:
    """Stand in for the regime that was found: without noise lag 0 was not weighed."""
    return Regime(np.inf, np.nan, np.nan) if open_[0].any() else Regime(0.0, 0.0, 0.0)


def read(path: Path) -> Weighed:
    """Read one case."""
    with np.load(path) as held:
        evidence = Evidence(
            nats=held["nats"],
            order=tuple(held["order"].tolist()),
            turning=held["turning"],
            noise=held["noise"],
            open=held["open"],
            regime=_regime(held["open"]),
            windows=int(held["windows"]),
        )
        return Weighed(
            path.stem, evidence, held["strengths"], held["truth"], float(held["seconds"])
        )
