"""Peak memory of a fresh process against the length of the data."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import numpy as np

from benchmarks.speed import machine
from benchmarks.speed.report import Report

D, LAGS, KERNELS = 20, 2, 10
LENGTHS = (10_000, 100_000, 1_000_000)
COLUMNS = {
    "T": "T",
    "data": "data, MB",
    "before": "process before, MB",
    "peak": "peak, MB",
    "added": "added by the fit, MB",
    "copies": "added / data",
    "gpu_peak": "GPU peak, MB",
}


def measure(quick: bool, lengths: tuple[int, ...] | None = None) -> Report:
    """Run one short search per length, each in a process of its own."""
    if lengths is None:
        lengths = LENGTHS[:2] if quick else LENGTHS
    rows = [_in_fresh_process(length) for length in lengths]
    gpu = machine.backend() == "gpu"
    columns = {key: head for key, head in COLUMNS.items() if gpu or key != "gpu_peak"}
    data, added = ([row[key] for row in rows] for key in ("data", "added"))
    copies, fixed = np.polyfit(data, added, 1)
    way = "the library's own way from an array" if rows[0]["library"] else "arrays laid out by hand"
    return Report(
        "memory",
        "Memory against the length of the data",
        columns,
        rows,
        notes=[
            f"d={D}, K={LAGS}, m={KERNELS}, float64, white noise; a search of 5 evaluations, from "
            f"{way} to the solver. The lag-concatenated copy of the data alone would be "
            f"{LAGS + 1} times the data, the activations of all windows {KERNELS} times.",
            "“Before” is the resident memory once the data exist and a tiny fit (T=2000) has "
            "loaded what every fit needs; “peak” is the highest after that, compiling for this T "
            "included.",
            f"A line through the points: {copies:.1f} copies of the data plus {fixed:.0f} MB. "
            "What does not belong to copies of the data does not grow with T.",
        ],
        details={"copies": float(copies), "fixed_megabytes": float(fixed)},
    )


def _in_fresh_process(length: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.speed.memory_probe", str(length)]
    sizes = [str(size) for size in (D, LAGS, KERNELS)]
    done = subprocess.run(
        [*command, *sizes],
        cwd=machine.ROOT,
        env={**os.environ, "CHRONODAG_CACHE_DIR": "off"},  # else the last run's cache would count
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    row: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    print(f"  {row}", flush=True)
    return row
