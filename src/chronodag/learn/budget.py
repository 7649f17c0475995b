"""How much memory a fit needs, told before it starts, and the chunks that keep it within bounds."""

from __future__ import annotations

import os
from dataclasses import dataclass

from chronodag.errors import SettingsError
from chronodag.model import Architecture

GIB = 2**30
_HISTORY = 20  # steps and gradient changes that the quasi-Newton method remembers
_PARAMETER_ARRAYS = _HISTORY + 20  # and x, gradients, bounds, penalties, trial points, copies
_DATA_ARRAYS = 5  # as given, scaled, time along the rows, and copies on the way
_ACTIVATION_ARRAYS = 5  # (kernel, window) arrays alive at a time in the fused gradient
_SMALLEST_CHUNK = 64


@dataclass(frozen=True)
class Machine:
    """What the device that will compute likes, and what it has."""

    best_activations: int = 2**22
    """Activations per chunk; more than this gains no speed."""
    largest_chunk: int = 4096
    memory: float | None = None
    """Bytes; None = the host's, where that can be told."""


CPU = Machine()


def accelerator(memory: float | None) -> Machine:
    """A GPU, which wants much to do at a time."""
    return Machine(best_activations=2**28, largest_chunk=2**16, memory=memory)


@dataclass(frozen=True)
class MemoryEstimate:
    """What a fit needs, in bytes, and how many windows it handles at a time."""

    parameters: int
    data: int
    activations: int
    chunk: int

    @property
    def total(self) -> int:
        """All together, in bytes."""
        return self.parameters + self.data + self.activations

    def __str__(self) -> str:
        return f"needs about {self.total / GIB:.2g} GiB; chunks of {self.chunk:,} windows"


def estimate_memory(
    architecture: Architecture,
    rows: int,
    *,
    dtype: str,
    fits: int = 1,
    limit: float | None = None,
    machine: Machine = CPU,
) -> MemoryEstimate:
    """Estimate a fit of `rows` rows in all; choose the largest useful chunk within the limit.

    `limit` is in GiB; None = 60 % of the memory of the machine (or of the GPU), where that can
    be told. A fit that cannot stay within the limit is refused here, before it starts.
    """
    number = 4 if dtype == "float32" else 8
    d, m = architecture.dimension, max(architecture.hidden)
    parameters = _PARAMETER_ARRAYS * d * architecture.row_size * number * fits
    data = _DATA_ARRAYS * rows * d * 8 + 2 * rows * 8 * fits
    per_window = _ACTIVATION_ARRAYS * d * m * number * fits
    budget = _most_of(machine) if limit is None else limit * GIB
    chunk = _power_of_two_below(machine.best_activations / (d * m * fits), machine.largest_chunk)
    left = budget - parameters - data
    while chunk > _SMALLEST_CHUNK and chunk * per_window > left:
        chunk //= 2
    held = min(chunk, rows)
    estimate = MemoryEstimate(parameters, data, held * per_window, chunk)
    if estimate.total > budget:
        raise SettingsError(
            f"The fit {estimate}, more than the limit of {budget / GIB:.2g} GiB: "
            f"{parameters / GIB:.2g} for the parameters and their history, {data / GIB:.2g} for "
            f"the data, {held * per_window / GIB:.2g} for one chunk. Take fewer hidden units, "
            "lags or variables, dtype='float32', or raise memory_limit."
        )
    return estimate


def _power_of_two_below(number: float, largest: int) -> int:
    power = 1
    while 2 * power <= number:
        power *= 2
    return min(max(power, _SMALLEST_CHUNK), largest)


def _most_of(machine: Machine) -> float:
    if machine.memory is not None:
        return 0.6 * machine.memory
    try:
        return 0.6 * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not told on this system
        return float("inf")
