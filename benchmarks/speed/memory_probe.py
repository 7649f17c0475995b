"""The process that `memory` measures: `python -m benchmarks.speed.memory_probe T d K m`."""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path
from typing import Any

import jax
import numpy as np
from numpy.typing import NDArray

from benchmarks.speed.problems import Setting, has_library, problem
from chronodag.solve import DeviceSolver, Multipliers, Task

MEGABYTE = 1e6
TINY = 2000  # rows of the fit that loads everything


def main(length: int, d: int, lags: int, kernels: int) -> dict[str, Any]:
    """Make the data, run a short search and return what the memory did."""
    rng = np.random.default_rng(0)
    tiny = rng.standard_normal((TINY, d))
    _search(Setting(d, lags, kernels, TINY, "noise"), tiny)
    rows = rng.standard_normal((length, d))
    before = _resident("VmRSS")
    _forget_peak()
    _search(Setting(d, lags, kernels, length, "noise"), rows)
    peak = _resident("VmHWM")
    row = {
        "T": length,
        "data": rows.nbytes / MEGABYTE,
        "before": before,
        "peak": peak,
        "added": peak - before,
        "copies": (peak - before) * MEGABYTE / rows.nbytes,
        "library": has_library(),
    }
    if jax.default_backend() == "gpu":
        row["gpu_peak"] = jax.devices()[0].memory_stats()["peak_bytes_in_use"] / MEGABYTE
    return row


def _search(setting: Setting, rows: NDArray[np.float64]) -> None:
    laid_out = problem(setting, rows)
    task = Task(laid_out, laid_out.clip(setting.start()), Multipliers(1.0, 0.0), 0.0)
    DeviceSolver(max_evaluations=5)([task])


def _forget_peak() -> None:
    """Let VmHWM start anew, so that compiling the tiny fit does not count."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        print("  the peak could not be reset; it includes the start-up of the process")


def _resident(which: str) -> float:
    """Return megabytes: VmRSS now, or VmHWM, the highest so far.

    Linux lets ru_maxrss start at the parent's peak, so the process's own account is asked first.
    """
    account = Path("/proc/self/status")
    if account.is_file():
        for line in account.read_text().splitlines():
            if line.startswith(which + ":"):
                return int(line.split()[1]) * 1024 / MEGABYTE
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak * (1 if sys.platform == "darwin" else 1024) / MEGABYTE


if __name__ == "__main__":
    print(json.dumps(main(*map(int, sys.argv[1:]))))
