"""The command line: measure the parts asked for, write a table (and JSON, pictures) of each."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

PARTS = {
    "rates": "cost per evaluation against the machine's own matrix-product rate",
    "solvers": "seconds of a whole fit: device solver in two precisions, and SciPy",
    "growth": "growth with T, d, K and m: log-log slopes and a picture",
    "memory": "peak memory of a fresh process against the length of the data",
    "many": "one fit against many bootstrap replicates in one batch",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the parts asked for and return the exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    options = _parser().parse_args(words)
    if not options.gpu:
        os.environ.setdefault("JAX_PLATFORMS", "cpu")  # read by JAX, so before it is imported
    from benchmarks.speed import machine
    from benchmarks.speed.report import write

    if options.gpu and machine.backend() != "gpu":
        print(f"--gpu: JAX sees only {machine.backend()} here; install chronodag[cuda].")
        return 2
    out = options.out or Path("build/speed-quick" if options.quick else "docs/results")
    command = " ".join(["python -m benchmarks.speed", *words])
    for part in PARTS if "all" in options.parts else options.parts:
        started = time.perf_counter()
        print(f"{part}: {PARTS[part]}", flush=True)
        report = importlib.import_module(f"benchmarks.speed.{part}").measure(options.quick)
        path = write(report, out, command, options.quick)
        print(report.table())
        print(f"{part}: {time.perf_counter() - started:.0f} s, written to {path}\n", flush=True)
    return 0


def _parser() -> argparse.ArgumentParser:
    parts = "\n".join(f"  {name:8} {what}" for name, what in PARTS.items())
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.speed",
        description=f"Measure the speed of chronodag on this machine.\n\n{parts}\n  all",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "parts", nargs="*", default=["all"], metavar="part", choices=[*PARTS, "all"]
    )
    parser.add_argument(
        "--quick", action="store_true", help="small sizes, few runs: a check, not a measurement"
    )
    parser.add_argument(
        "--out",
        type=Path,
        help="folder of the tables (docs/results; build/speed-quick with --quick)",
    )
    parser.add_argument("--gpu", action="store_true", help="measure the GPU, not the processor")
    return parser


if __name__ == "__main__":
    sys.exit(main())
