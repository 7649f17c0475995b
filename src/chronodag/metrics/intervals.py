"""Means over seeds with confidence intervals, plain and paired (Student, 1908)."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chronodag.errors import DataError, SettingsError


@dataclass(frozen=True)
class Interval:
    """A mean with its confidence interval, by Student's t."""

    mean: float
    lower: float
    upper: float
    confidence: float
    """The nominal coverage, such as 0.95."""
    count: int
    """How many values (pairs, seeds) it rests on."""

    @property
    def excludes_zero(self) -> bool:
        """Whether 0 lies outside: the difference is one, at this confidence."""
        return self.lower > 0 or self.upper < 0

    def to_dict(self) -> dict[str, float | int]:
        """Return the fields as a plain dict."""
        return asdict(self)

    def __str__(self) -> str:
        return f"{self.mean:.3f} [{self.lower:.3f}, {self.upper:.3f}], n = {self.count}"


def mean_interval(values: ArrayLike, confidence: float = 0.95) -> Interval:
    """Return the mean of one score per seed, with its interval.

    It takes the values as independent, and their mean as near enough to normal. Values that are
    all equal give an interval of width 0.
    """
    numbers = _checked(values, "values")
    if not 0 < confidence < 1:
        raise SettingsError(
            f"confidence is {confidence!r}; expected a number between 0 and 1, such as 0.95."
        )
    from scipy.stats import t as student

    mean = float(numbers.mean())
    error = float(numbers.std(ddof=1)) / np.sqrt(numbers.size)
    half = float(student.ppf((1 + confidence) / 2, numbers.size - 1) * error)
    return Interval(mean, mean - half, mean + half, float(confidence), int(numbers.size))


def paired_interval(a: ArrayLike, b: ArrayLike, confidence: float = 0.95) -> Interval:
    """Return the mean of a - b with its interval; entry i of both comes from the same data.

    What the data sets share, some being hard for everyone, thus cancels out.
    """
    left, right = _checked(a, "a"), _checked(b, "b")
    if left.shape != right.shape:
        raise DataError(
            f"a holds {left.size} values and b {right.size}; expected pairs, entry i of both from "
            "the same data set and seed."
        )
    return mean_interval(left - right, confidence)


def _checked(values: ArrayLike, name: str) -> NDArray[np.float64]:
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.ndim != 1 or numbers.size < 2:
        raise DataError(
            f"{name} has shape {numbers.shape}; expected a list of at least 2 numbers, one per "
            "seed. One value alone says nothing of its spread."
        )
    if not np.isfinite(numbers).all():
        raise DataError(
            f"{int((~np.isfinite(numbers)).sum())} entries of {name} are NaN or infinite; expected "
            "finite numbers. Leave out the seeds where the score is undefined, in both of a pair."
        )
    return numbers
