"""Replicates fitted in chunks: here, in several processes, or on a cluster; each chunk kept."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronodag.backends import backend, each
from chronodag.data import Panel
from chronodag.errors import SettingsError
from chronodag.learn.arrays import Arrays, ArrayStore, digest
from chronodag.learn.estimator import NTSNotears
from chronodag.learn.fitting import Setup, check_rules
from chronodag.learn.many import batch_size, solve_all, started_from, weighted
from chronodag.learn.resampling import Resampling
from chronodag.learn.settings import whole_number
from chronodag.model import strengths

FORMAT = 1
"""Chunks of another format are not read."""
CHUNK = 4
"""Replicates per chunk on a CPU: little is lost by a stop, and there is work for many cores."""
CHUNK_OF_A_BATCH = 50
"""Replicates per chunk on an accelerator, which fits them all in one call."""

# Where and in what pieces a fit is computed changes its last digits only.
_NO_PART_OF_THE_KEY = ("automatic", "effort", "threshold", "device", "memory_limit")


@dataclass(frozen=True)
class Progress:
    """How far the replicates are."""

    done: int
    replicates: int
    fitted: int
    """Of those done, how many were fitted by this call, not found in the store."""
    seconds: float

    @property
    def seconds_left(self) -> float | None:
        """Return how long the rest will take at this pace; None before there is one."""
        if not self.fitted:
            return None
        return self.seconds / self.fitted * (self.replicates - self.done)


Callback = Callable[[Progress], bool | None]


@dataclass(frozen=True)
class Work:
    """All that a worker needs to fit any of the replicates."""

    learner: NTSNotears
    panel: Panel
    start: NDArray[np.float64] | None
    """What all replicates start from; None = each from a random start of its own."""
    resampling: Resampling

    def __call__(self, replicates: range) -> Fits:
        """Fit some of the replicates."""
        setup = self.learner.setup(self.panel)
        weights = np.array([self.resampling.weights(one) for one in replicates])
        started = [started_from(setup, self._start(setup, one)) for one in replicates]
        setups = weighted(started, weights)
        solutions = solve_all(setups, batch_size(None, setups))
        cells = [strengths(setup.architecture.unflatten(one.x)) for one in solutions]
        for one in cells:
            check_rules(one, setup.bounds, self.panel.names)
        success = [one.status.success for one in solutions]
        return Fits(replicates.start, np.array(cells), np.array(success))

    def _start(self, setup: Setup, replicate: int) -> NDArray[np.float64]:
        if self.start is not None:
            return self.start
        rng = self.resampling.generator(replicate, "start")
        return setup.architecture.initial(rng)


class Fits(NamedTuple):
    """What came of a chunk of replicates."""

    first: int
    strengths: NDArray[np.float64]  # [replicate, lag, source, target]
    success: NDArray[np.bool_]


@dataclass(frozen=True)
class Spread:
    """Who fits the replicates; none of it changes a result."""

    jobs: int | None = None
    backend: str | None = None
    address: str | None = None

    @property
    def here(self) -> bool:
        """Whether the chunks are fitted one after the other in this process."""
        return self.backend is None and self.address is None and self.jobs in (None, 1)

    def run(self, work: Work, chunks: list[range]) -> Generator[Fits, None, None]:
        """Yield the chunks' fits as they are ready, in any order."""
        jobs = 1 if self.jobs is None else whole_number("jobs", self.jobs, at_least=1)
        if self.here:
            yield from map(work, chunks)
            return
        if self.backend is None and self.address is not None:
            raise SettingsError(
                f"address={self.address!r} came without a backend; expected backend='dask' or "
                "'ray', whose cluster it is."
            )
        with backend(self.backend or "threading", min(jobs, len(chunks)), self.address):
            yield from each(work, [(chunk,) for chunk in chunks])


def key_of(setup: Setup, start: NDArray[np.float64] | None, resampling: Resampling) -> str:
    """Return the hash of all that decides the replicates' strengths."""
    from chronodag import __version__

    settings = {
        name: value
        for name, value in asdict(setup.settings).items()
        if name not in _NO_PART_OF_THE_KEY
    }
    return digest(
        {
            "format": FORMAT,
            "version": __version__,
            "data": describe_panel(setup.panel),
            "settings": settings,
            "bounds": [setup.bounds.lower, setup.bounds.upper],
            "start": start,
            "resampling": asdict(resampling),
        }
    )


def describe_panel(panel: Panel) -> list[Any]:
    """Return what tells one panel from another."""
    return [list(panel.names), list(panel.lengths), panel.values]


def chunks_of(replicates: int, setup: Setup) -> list[range]:
    """Cut the replicates into chunks, whose size does not depend on how many jobs there are."""
    many = batch_size(None, [setup] * CHUNK_OF_A_BATCH) > 1
    size = CHUNK_OF_A_BATCH if many else CHUNK
    return [range(one, min(one + size, replicates)) for one in range(0, replicates, size)]


def fit_replicates(
    work: Work,
    key: str,
    chunks: list[range],
    store: ArrayStore,
    spread: Spread,
    callback: Callback | None,
) -> list[Fits]:
    """Return the fits of all chunks in order; those in the store are not fitted again.

    If the callback returns True, the chunks that are done come back.
    """
    names = {chunk.start: f"chunk-{chunk.start}-{len(chunk)}-{key}" for chunk in chunks}
    found = {chunk.start: _read(store.load(names[chunk.start]), chunk) for chunk in chunks}
    done = {first: fits for first, fits in found.items() if fits is not None}
    missing = [chunk for chunk in chunks if chunk.start not in done]
    began, replicates, fitted = time.perf_counter(), chunks[-1].stop, 0

    def told() -> bool:
        ready = sum(len(fits.success) for fits in done.values())
        state = Progress(ready, replicates, fitted, time.perf_counter() - began)
        return callback is not None and bool(callback(state))

    if missing and not told():
        # Closed at once where the caller stops, so that no worker goes on.
        with closing(spread.run(work, missing)) as coming:
            for fits in coming:
                arrays: Arrays = {"strengths": fits.strengths, "success": fits.success}
                store.save(names[fits.first], arrays)
                done[fits.first] = fits
                fitted += len(fits.success)
                if told():
                    break
    return [done[first] for first in sorted(done)]


def _read(arrays: Arrays | None, chunk: range) -> Fits | None:
    if arrays is None or set(arrays) != {"strengths", "success"}:
        return None
    return Fits(chunk.start, arrays["strengths"], arrays["success"])
