"""What every simulator shares: its result, its generator and its checks."""

from collections.abc import Collection
from dataclasses import dataclass
from numbers import Integral
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from chronodag.errors import SettingsError
from chronodag.graph import TemporalGraph

FloatArray: TypeAlias = NDArray[np.float64]
Randomness: TypeAlias = np.random.Generator | int


@dataclass(frozen=True, eq=False)
class Simulated:
    """A simulated series and the graph that made it.

    Attributes:
        data: Raw values (not standardised), shape (T, d), read-only.
        graph: The true graph.
    """

    data: FloatArray
    graph: TemporalGraph

    def __post_init__(self) -> None:
        frozen = np.array(self.data, dtype=np.float64)
        frozen.setflags(write=False)
        object.__setattr__(self, "data", frozen)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the variables, in the order of the columns."""
        return self.graph.names


def as_generator(rng: Randomness) -> np.random.Generator:
    """Return `rng` itself if it is a generator, or a new generator seeded with it."""
    if isinstance(rng, np.random.Generator):
        return rng
    if isinstance(rng, Integral) and not isinstance(rng, bool) and rng >= 0:
        return np.random.default_rng(int(rng))
    raise SettingsError(
        f"rng is {rng!r}; expected a numpy.random.Generator or a seed (an integer of 0 or more), "
        "so that the same call gives the same data. Pass for example rng=0."
    )


def check_count(name: str, value: object, at_least: int) -> int:
    """Return `value` as an int, or say that it should be a whole number of `at_least` or more."""
    if isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= at_least:
        return int(value)
    raise SettingsError(
        f"{name} is {value!r}; expected a whole number of {at_least} or more. "
        f"Choose a {name} in that range."
    )


def check_number(name: str, value: float, *, above: float | None = None) -> float:
    """Return `value` as a finite float that is 0 or more, or greater than `above` if given."""
    expected = "of 0 or more" if above is None else f"greater than {above:g}"
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = np.nan
    if np.isfinite(number) and (number >= 0 if above is None else number > above):
        return number
    raise SettingsError(
        f"{name} is {value!r}; expected a finite number {expected}. Choose a {name} in that range."
    )


def check_choice(name: str, value: str, choices: Collection[str]) -> str:
    """Return `value` if it is one of `choices`, or list them."""
    if isinstance(value, str) and value in choices:
        return value
    raise SettingsError(
        f"{name} is {value!r}; expected one of {', '.join(map(repr, choices))}. "
        "Check the spelling, capitals included."
    )
