"""Where a fit runs: on the accelerator when there is one and the problem is large enough."""

from __future__ import annotations

from typing import Any

import jax

from chronodag.errors import SettingsError
from chronodag.learn.budget import CPU, Machine, accelerator

DEVICES = ("auto", "cpu", "gpu")
_WORTH_AN_ACCELERATOR = 1e7
"""Operations per evaluation below which a GPU hardly gains: its kernel launches decide there.

Measured on an H200 beside 16 cores: at 1.6e7 a warm fit took half the
time of the CPU's, at 2e6 three quarters, and the GPU's programs take longer to compile.
"""


def choose_devices(wanted: str, work: float) -> tuple[Any, ...]:
    """Return the JAX devices of one kind for fits of `work` operations per evaluation."""
    accelerators = _devices("gpu")
    if wanted == "gpu":
        if not accelerators:
            raise SettingsError(
                "device is 'gpu', but JAX finds none. Install chronodag[cuda] on a machine with "
                "an NVIDIA GPU, or take device='auto' or 'cpu'."
            )
        return accelerators
    if wanted == "auto" and accelerators and work >= _WORTH_AN_ACCELERATOR:
        return accelerators
    return _devices("cpu")


def machine_of(devices: tuple[Any, ...]) -> Machine:
    """Return what the memory estimate needs to know of the devices."""
    first = devices[0]
    if first.platform == "cpu":
        return CPU
    told = first.memory_stats() or {}
    return accelerator(told.get("bytes_limit"))


def describe(devices: tuple[Any, ...]) -> str:
    """Name the devices for a person: "cpu", "2 × gpu (NVIDIA H200)"."""
    kind = devices[0].platform
    if kind != "cpu":
        kind = f"{kind} ({devices[0].device_kind})"
    return kind if len(devices) == 1 else f"{len(devices)} × {kind}"


def _devices(kind: str) -> tuple[Any, ...]:
    try:
        return tuple(jax.local_devices(backend=kind))
    except RuntimeError:  # JAX's way to say that there is no such device
        return ()
