"""What stands on every table: the machine, the versions, the commit."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def backend() -> str:
    """Return "cpu" or "gpu": where JAX computes."""
    import jax

    return str(jax.default_backend())


def facts() -> dict[str, str]:
    """Return what a reader needs to place the figures."""
    return {
        "commit": commit(),
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "machine": _machine(),
        "versions": ", ".join([f"python {platform.python_version()}", *_packages()]),
    }


def commit() -> str:
    """Return the short git commit, with "+dirty" if files differ from it."""
    try:
        name = _git("rev-parse", "--short", "HEAD")
        return name + ("+dirty" if _git("status", "--porcelain", "--", "src", "benchmarks") else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown (no git here)"


def _git(*words: str) -> str:
    found = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
    return found.stdout.strip()


def _machine() -> str:
    parts = [f"{_cores()} cores", _processor(), f"{_memory_gib():.0f} GiB"]
    if backend() == "gpu":
        import jax

        devices = jax.devices()
        parts.append(f"{len(devices)} GPU: {devices[0].device_kind}")
    return ", ".join(parts)


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _processor() -> str:
    about = Path("/proc/cpuinfo")
    if about.is_file():
        for line in about.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _memory_gib() -> float:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30


def _packages() -> list[str]:
    found = []
    for name in ("jax", "numpy", "scipy"):
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"no {name}")
    return found
