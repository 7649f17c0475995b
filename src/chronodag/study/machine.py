"""What ran where: cores, memory, versions and the commit, for every result to carry."""

from __future__ import annotations

import os
import platform
import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

_PACKAGES = (
    *("chronodag", "numpy", "scipy", "jax", "jaxlib", "scikit-learn"),
    *("tigramite", "lingam", "causal-learn", "torch"),
)


@cache
def machine() -> dict[str, Any]:
    """Return what a reader must know of the machine to judge a time."""
    return {
        "cores": usable_cores(),
        "cpu": _cpu(),
        "memory_gib": _memory_gib(),
        "system": platform.system(),
        "python": platform.python_version(),
        "threads": os.environ.get("OMP_NUM_THREADS"),
        "versions": versions(),
    }


def usable_cores() -> int:
    """Return the cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@cache
def versions() -> dict[str, str]:
    """Return the installed versions of the packages that shape results."""
    found = {}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


@cache
def commit() -> str | None:
    """Return the commit of the checkout this package lies in, "-dirty" if it was changed."""
    here = Path(__file__).resolve().parent
    try:
        inside = _git(here, "ls-files", "--error-unmatch", Path(__file__).name)
        name = _git(here, "rev-parse", "HEAD")
        changed = _git(here, "status", "--porcelain", "--untracked-files=no")
    except (OSError, subprocess.SubprocessError):
        return None
    return (f"{name}-dirty" if changed else name) if inside else None


def _git(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(folder), *words], capture_output=True, text=True, check=True, timeout=10
    )
    return done.stdout.strip()


def _cpu() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    lines = [line for line in text.splitlines() if line.startswith("model name")]
    return lines[0].partition(":")[2].strip() if lines else platform.machine()


def _memory_gib() -> float | None:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)
    except (AttributeError, ValueError, OSError):
        return None


def reset_peak() -> None:
    """Forget the peak of memory so far, where the system can (Linux)."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return


def peak_mib() -> float | None:
    """Return the most memory this process held since `reset_peak`, or else since its start."""
    value = status_mib(os.getpid(), "VmHWM")
    if value is not None:
        return value
    try:
        import resource
    except ImportError:
        return None
    unit = 2**20 if platform.system() == "Darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def status_mib(pid: int, field: str = "VmRSS") -> float | None:
    """Return a process's memory in MiB; None if the system doesn't say (or it has ended)."""
    try:
        text = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return (
            _resident_by_ps(pid) if field == "VmRSS" and not Path("/proc/self").exists() else None
        )
    for line in text.splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) / 1024
    return None


def _resident_by_ps(pid: int) -> float | None:
    try:
        done = subprocess.run(
            ["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=True
        )
        return int(done.stdout) / 1024
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
