"""Arrays on their devices: the rows of x are shared out, the data goes to all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
from jax.sharding import Mesh, NamedSharding, PartitionSpec


def usable(devices: Sequence[Any], fits: int, rows: int) -> list[Any]:
    """Return as many devices as share the work evenly."""
    units = fits if fits > 1 else rows
    count = next(n for n in range(min(len(devices), units), 0, -1) if units % n == 0)
    return list(devices[:count])


def place(tree: Any, devices: Sequence[Any], fits: int, rows: int) -> Any:
    """Put a tree of arrays on the devices, split by fit or, for a single fit, by row."""
    if len(devices) == 1:
        return jax.device_put(tree, devices[0])
    mesh = Mesh(list(devices), ("share",))

    def put(leaf: Any) -> Any:
        return jax.device_put(leaf, NamedSharding(mesh, _split(leaf.shape, fits, rows)))

    return jax.tree.map(put, tree)


def copy_to_all(tree: Any, devices: Sequence[Any]) -> Any:
    """Put a tree of arrays on every device."""
    if len(devices) == 1:
        return jax.device_put(tree, devices[0])
    return jax.device_put(tree, NamedSharding(Mesh(list(devices), ("share",)), PartitionSpec()))


def _split(shape: tuple[int, ...], fits: int, rows: int) -> PartitionSpec:
    """Find the axis to split: the rows of all fits, the fits, or the rows of the one fit."""
    if shape and shape[0] == fits * rows:  # the curvature history
        return PartitionSpec("share")
    if fits > 1:
        return PartitionSpec("share") if shape and shape[0] == fits else PartitionSpec()
    return PartitionSpec(None, "share") if len(shape) > 1 and shape[1] == rows else PartitionSpec()
