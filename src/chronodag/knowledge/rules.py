"""The statements a user can make, each knowing its text, its cells and its bounds."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronodag.errors import KnowledgeError
from chronodag.knowledge.roster import Roster, has_wildcard
from chronodag.knowledge.text import (
    EdgeText,
    Lags,
    checked_lags,
    checked_names,
    parse_edge,
    write_edge,
    write_lags,
    write_names,
)

REQUIRED_STRENGTH = 1e-3
"""The least strength of a required edge where the threshold is 0: present, yet hardly pinned."""

SMALLEST, LARGEST = 1e-100, 1e100
"""Strengths other than 0 stay in this range, so that their squares are exact enough to add up."""


class Region(NamedTuple):
    """A block of cells: all combinations of these lags, sources and targets."""

    lags: Sequence[int]
    sources: Sequence[int]
    targets: Sequence[int]


class Rule(ABC):
    """One statement: bounds on the strengths of the cells in its regions.

    ``str(rule)`` is the statement in text form, as error messages quote it.
    """

    @abstractmethod
    def regions(self, roster: Roster, max_lag: int) -> Iterator[Region]:
        """Yield the cells that the rule is about; refuses unknown names and impossible lags."""

    def lowest(self, threshold: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the lower bound at each lag, given the threshold at each lag."""
        return np.zeros_like(threshold)

    @property
    def highest(self) -> float:
        """The upper bound; most statements forbid."""
        return 0.0

    def _lags_within(self, lags: Lags, max_lag: int) -> Sequence[int]:
        if lags is None:
            return range(max_lag + 1)
        if lags[-1] > max_lag:
            raise KnowledgeError(
                f"the rule '{self}' speaks of lag {lags[-1]}, but the largest lag here is "
                f"{max_lag}; lower the rule's lag or learn with lags={lags[-1]}."
            )
        return lags


@dataclass(frozen=True)
class EdgeRule(Rule):
    """Forbid, require or bound the edges from some variables at some lags to some variables."""

    kind: Literal["forbid", "require", "bound"]
    sources: tuple[str, ...]
    targets: tuple[str, ...]
    lags: Lags = None
    lower: float = 0.0
    upper: float | None = None

    def __post_init__(self) -> None:
        set_field = object.__setattr__
        set_field(self, "sources", checked_names(self.sources, self.kind))
        set_field(self, "targets", checked_names(self.targets, self.kind))
        edge = f"{write_names(self.sources)} -> {write_names(self.targets)}"
        set_field(self, "lags", checked_lags(self.lags, f"'{self.kind} {edge}'"))
        self._check_strengths()
        if not has_wildcard(self.sources[0]):
            self._refuse_instant_self_loop()

    def _check_strengths(self) -> None:
        if self.kind != "bound":
            if self.lower != 0 or self.upper is not None:
                raise KnowledgeError(f"'{self.kind} {self.edge}' takes no lower or upper bound.")
            return
        object.__setattr__(self, "lower", _checked_strength("lower", self.lower, self.edge))
        if self.upper is not None:
            object.__setattr__(self, "upper", _checked_strength("upper", self.upper, self.edge))
        if self.lower == 0 and self.upper is None:
            raise KnowledgeError(
                f"'bound {self.edge}' says nothing: give lower (above 0), upper or both."
            )
        if self.upper is not None and self.lower > self.upper:
            raise KnowledgeError(
                f"'{self}' allows no strength at all: its lower bound {self.lower:g} lies above "
                f"its upper bound {self.upper:g}; swap them?"
            )

    def _refuse_instant_self_loop(self) -> None:
        """Stop a single statement that asks for X -> X at lag 0; broader ones pass over it."""
        demands = self.kind == "require" or self.lower > 0
        names_one_edge = len(self.sources) == 1 and self.sources == self.targets
        if demands and names_one_edge and self.lags is not None and 0 in self.lags:
            raise KnowledgeError(
                f"'{self}' asks that {self.sources[0]!r} drive itself at the same moment (lag 0), "
                "which no graph allows; a variable can only drive itself from lag 1 on."
            )

    @property
    def edge(self) -> str:
        """The edges alone in text form, as in ``goal@0,1 -> *``."""
        return write_edge(EdgeText(self.sources, self.lags, self.targets))

    @property
    def edge_text_is_exact(self) -> bool:
        """Whether ``edge`` reads back as this very statement, which odd names prevent."""
        try:
            return parse_edge(self.edge) == (self.sources, self.lags, self.targets)
        except KnowledgeError:
            return False

    def __str__(self) -> str:
        text = f"{self.kind} {self.edge}"
        if self.lower > 0:
            text += f", lower {self.lower!r}"
        return text if self.upper is None else f"{text}, upper {self.upper!r}"

    def regions(self, roster: Roster, max_lag: int) -> Iterator[Region]:
        """Yield the one block of the named lags, sources and targets."""
        region = Region(
            self._lags_within(self.lags, max_lag),
            roster.find(self.sources, self),
            roster.find(self.targets, self),
        )
        if self.sources[0] in roster:
            self._refuse_instant_self_loop()
        yield region

    def lowest(self, threshold: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the threshold for a required edge (where it is 0, ``REQUIRED_STRENGTH``)."""
        if self.kind == "require":
            return np.where(threshold > 0, threshold, REQUIRED_STRENGTH)
        return np.full_like(threshold, self.lower)

    @property
    def highest(self) -> float:
        """0 for a forbidden edge, the stated upper bound, or infinity."""
        if self.kind == "forbid":
            return 0.0
        return math.inf if self.upper is None else self.upper


@dataclass(frozen=True)
class TierRule(Rule):
    """Nothing in a later tier drives anything in an earlier one."""

    tiers: tuple[tuple[str, ...], ...]
    lags: Lags = None

    def __post_init__(self) -> None:
        several = isinstance(self.tiers, Iterable) and not isinstance(self.tiers, str)
        tiers = tuple(self.tiers) if several else ()
        if len(tiers) < 2:
            raise KnowledgeError(
                f"tiers got {self.tiers!r}; expected at least two tiers, earliest first, "
                'for example [["rain"], ["river", "dam"]].'
            )
        tiers = tuple(checked_names(tier, "tiers") for tier in tiers)
        object.__setattr__(self, "tiers", tiers)
        object.__setattr__(self, "lags", checked_lags(self.lags, "tiers"))
        for earlier, later in combinations(tiers, 2):
            self._refuse_shared(set(earlier) & set(later))

    def _refuse_shared(self, shared: set[str]) -> None:
        if shared:
            raise KnowledgeError(
                f"in the rule '{self}', {min(shared)!r} stands in more than one tier; "
                "every variable belongs to one tier at most."
            )

    def __str__(self) -> str:
        text = "tiers " + " before ".join("[" + ", ".join(tier) + "]" for tier in self.tiers)
        return text if self.lags is None else f"{text} at lags {write_lags(self.lags)}"

    def regions(self, roster: Roster, max_lag: int) -> Iterator[Region]:
        """Yield a block for every pair of tiers, from the later one to the earlier one."""
        lags = self._lags_within(self.lags, max_lag)
        tiers = [roster.find(tier, self) for tier in self.tiers]
        for earlier, later in combinations(tiers, 2):
            self._refuse_shared({roster.names[index] for index in set(earlier) & set(later)})
            yield Region(lags, later, earlier)


@dataclass(frozen=True)
class ExogenousRule(Rule):
    """Nothing but its own past drives the variable."""

    name: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", checked_names([self.name], "exogenous")[0])

    def __str__(self) -> str:
        return f"exogenous {self.name}"

    def regions(self, roster: Roster, max_lag: int) -> Iterator[Region]:
        """Yield, for each such variable, all other variables as its sources."""
        for own in roster.find([self.name], self):
            others = [index for index in range(len(roster)) if index != own]
            yield Region(range(max_lag + 1), others, [own])


@dataclass(frozen=True)
class SinkRule(Rule):
    """The variable drives nothing else; without ``own_past`` not even itself."""

    name: str
    own_past: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", checked_names([self.name], "sink")[0])
        if not isinstance(self.own_past, bool):
            raise KnowledgeError(
                f"'sink {self.name}' got own_past={self.own_past!r}; give True or False."
            )

    def __str__(self) -> str:
        return f"sink {self.name}" + ("" if self.own_past else " (own_past=False)")

    def regions(self, roster: Roster, max_lag: int) -> Iterator[Region]:
        """Yield, for each such variable, all variables it must not drive."""
        for own in roster.find([self.name], self):
            driven = [i for i in range(len(roster)) if i != own or not self.own_past]
            yield Region(range(max_lag + 1), [own], driven)


def is_strength(value: float) -> bool:
    """Say whether a bound or threshold is usable: 0, or within a range safe to square."""
    return value == 0 or SMALLEST <= value <= LARGEST


def _checked_strength(side: str, given: object, edge: str) -> float:
    usable = isinstance(given, int | float | np.integer | np.floating)
    usable = usable and not isinstance(given, bool)
    if not usable or not is_strength(given):  # type: ignore[arg-type]
        hint = " (YAML reads 1e-3 as text: write 1.0e-3 or 0.001)" if isinstance(given, str) else ""
        raise KnowledgeError(
            f"'bound {edge}' got {side}={given!r}; a bound on a strength is a finite number, 0 or "
            f"positive ({SMALLEST:g} to {LARGEST:g}); leave it out to set no bound{hint}."
        )
    return float(given)  # type: ignore[arg-type]
