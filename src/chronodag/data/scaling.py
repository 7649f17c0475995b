"""Shift and scale of each variable: to the same footing before learning, and back after."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from chronodag.data.checks import FloatArray, check_varies
from chronodag.data.panel import Panel
from chronodag.errors import DataError


@dataclass(frozen=True, eq=False)
class Scaling:
    """Each variable minus its mean, divided by its scale.

    Attributes:
        mean: (d,), subtracted.
        scale: (d,), divided by; finite and above zero.
    """

    mean: FloatArray
    scale: FloatArray

    def __post_init__(self) -> None:
        mean, scale = (np.array(part, dtype=np.float64) for part in (self.mean, self.scale))
        if mean.ndim != 1 or mean.shape != scale.shape:
            raise DataError(
                f"mean and scale must have one entry per variable, got shapes {mean.shape} and "
                f"{scale.shape}."
            )
        if not (np.isfinite(mean).all() and np.isfinite(scale).all() and (scale > 0).all()):
            raise DataError(f"mean must be finite and scale above zero, got {mean} and {scale}.")
        for name, part in (("mean", mean), ("scale", scale)):
            part.flags.writeable = False
            object.__setattr__(self, name, part)

    @classmethod
    def standard(cls, panel: Panel) -> "Scaling":
        """Mean 0 and standard deviation 1 (that of the population) over the rows of all series."""
        check_varies(panel.values, panel.names)
        # Squares of huge and tiny numbers leave the range of floats: compute near 1. A power of
        # two divides without rounding.
        unit = np.ldexp(1.0, np.frexp(np.abs(panel.values).max(axis=0))[1] - 1)
        relative = panel.values / unit
        return cls(relative.mean(axis=0) * unit, relative.std(axis=0) * unit)

    @classmethod
    def identity(cls, dimension: int) -> "Scaling":
        """The scaling that changes nothing."""
        return cls(np.zeros(dimension), np.ones(dimension))

    def apply(self, panel: Panel) -> Panel:
        """The same panel on the new scale."""
        return Panel(panel.names, tuple(map(self.apply_array, panel.series)), panel.keys)

    def apply_array(self, array: npt.ArrayLike) -> FloatArray:
        """An array (..., d) on the new scale."""
        return (self._checked(array) - self.mean) / self.scale

    def undo_array(self, array: npt.ArrayLike) -> FloatArray:
        """An array (..., d) back on the scale it came from."""
        return self._checked(array) * self.scale + self.mean

    def _checked(self, array: npt.ArrayLike) -> FloatArray:
        # Broadcasting would let an array of one column pass for any number of variables.
        array = np.asarray(array, dtype=np.float64)
        if array.ndim == 0 or array.shape[-1] != len(self.mean):
            raise DataError(
                f"The last axis must have one entry per variable, {len(self.mean)}; got shape "
                f"{array.shape}."
            )
        return array

    def __reduce__(self) -> tuple[Callable[..., "Scaling"], tuple[Any, ...]]:
        # Arrays come back writable from a pickle; building anew makes them read-only again.
        return Scaling, (self.mean, self.scale)
