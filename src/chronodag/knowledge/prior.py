"""``PriorKnowledge``: what a person knows about the graph before it is learned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from chronodag.errors import KnowledgeError
from chronodag.knowledge.bounds import EdgeBounds
from chronodag.knowledge.compiling import compile_rules
from chronodag.knowledge.files import read_mapping, write_mapping
from chronodag.knowledge.rules import ExogenousRule, Rule, SinkRule, TierRule
from chronodag.knowledge.schema import edge_rule, rules_from_dict, rules_to_dict

Names = str | Iterable[str]
"""A name, a pattern over names (``"*"``, ``"x?"``), or several of those."""

LagChoice = int | Iterable[int] | None
"""A lag, several lags, or None for every lag."""


@dataclass(frozen=True, eq=False, repr=False)
class PriorKnowledge:
    """Rules about which edges are impossible, certain, or of limited strength.

    Immutable: every call returns a new object with one statement more. What no rule mentions is
    unknown, not forbidden. Rules intersect: a cell keeps the largest lower bound and the smallest
    upper bound, whatever the order; rules that leave nothing are refused when compiled, as are
    names and lags that do not exist. Stating the same rule twice changes nothing.

    >>> known = PriorKnowledge().forbid("goal@0,1 -> *").require("shot", "goal", lag=0)
    >>> print(known)
    2 rules:
      forbid goal@0,1 -> *
      require shot@0 -> goal
    """

    rules: tuple[Rule, ...] = ()

    def __post_init__(self) -> None:
        for rule in self.rules:
            if not isinstance(rule, Rule):
                raise KnowledgeError(
                    f"{rule!r} is not a rule; start from PriorKnowledge() and call forbid, "
                    "require, bound, tiers, exogenous or sink."
                )
        object.__setattr__(self, "rules", tuple(dict.fromkeys(self.rules)))

    def forbid(
        self, source: Names, target: Names | None = None, lag: LagChoice = None
    ) -> PriorKnowledge:
        """State that there is no edge.

        Without ``target``, ``source`` is the text form: ``"goal@0,1 -> *"`` (source, at lags, to
        target; without @ at every lag).
        """
        return self._with(edge_rule("forbid", source, target, lag))

    def require(
        self, source: Names, target: Names | None = None, lag: LagChoice = None
    ) -> PriorKnowledge:
        """State that there is an edge, at least as strong as the threshold at its lag.

        Where the threshold is 0, the edge is at least as strong as ``rules.REQUIRED_STRENGTH``.
        Wildcards, several names and every lag pass over self-loops at lag 0.
        """
        return self._with(edge_rule("require", source, target, lag))

    def bound(
        self,
        source: Names,
        target: Names | None = None,
        lag: LagChoice = None,
        lower: float = 0.0,
        upper: float | None = None,
    ) -> PriorKnowledge:
        """State limits on an edge's strength; ``lower > 0`` makes it required."""
        return self._with(edge_rule("bound", source, target, lag, lower=lower, upper=upper))

    def tiers(self, order: Sequence[Names], lag: LagChoice = None) -> PriorKnowledge:
        """State that nothing in a later tier drives anything in an earlier one.

        ``order`` lists the tiers, earliest first, as in ``[["rain"], ["river", "dam"]]``.
        Variables in no tier stay free.
        """
        return self._with(TierRule(order, lag))  # type: ignore[arg-type]

    def exogenous(self, *names: str) -> PriorKnowledge:
        """State that nothing else drives these variables, at any lag; their own past may."""
        return self._with(*(ExogenousRule(name) for name in _some(names, "exogenous")))

    def sink(self, *names: str, own_past: bool = True) -> PriorKnowledge:
        """State that these variables drive nothing else, and not themselves without ``own_past``.

        ``sink("goal", own_past=False)`` says that nothing at all leaves goal.
        """
        return self._with(*(SinkRule(name, own_past) for name in _some(names, "sink")))

    def merge(self, other: PriorKnowledge) -> PriorKnowledge:
        """Return the rules of both, so that every rule of either holds. Also written ``a & b``."""
        if not isinstance(other, PriorKnowledge):
            raise KnowledgeError(f"only PriorKnowledge can be merged; got {other!r}.")
        return self._with(*other.rules)

    def __and__(self, other: object) -> PriorKnowledge:
        return self.merge(other) if isinstance(other, PriorKnowledge) else NotImplemented

    def compile(self, names: Sequence[str], lags: int, threshold: ArrayLike) -> EdgeBounds:
        """Return the bounds of every edge among ``names`` at lags 0 to ``lags``.

        ``threshold`` is the strength below which an edge is cut: one number for each lag, lag 0
        first, or one for all. Refuses contradictions, unknown names, impossible lags, a required
        cycle at lag 0 and lower bounds that the threshold would cut, quoting the rules.
        """
        return compile_rules(self.rules, names, lags, threshold)

    def describe(self, names: Sequence[str], lags: int, threshold: ArrayLike) -> str:
        """Return a short table of what the rules amount to: the kinds of edges at each lag."""
        bounds = self.compile(names, lags, threshold)
        rules = f"{len(self)} rule{'' if len(self) == 1 else 's'}"
        return f"{rules} on {len(names)} variables, lags 0 to {lags}\n{bounds.describe()}"

    @classmethod
    def from_dict(cls, sections: Mapping[str, Any]) -> PriorKnowledge:
        """Read a mapping with any of the keys forbid, require, bound, tiers, exogenous, sink."""
        return cls(tuple(rules_from_dict(sections)))

    def to_dict(self) -> dict[str, Any]:
        """Return a mapping of plain lists, texts and numbers that ``from_dict`` reads back."""
        return rules_to_dict(self.rules)

    @classmethod
    def from_file(cls, path: str | Path) -> PriorKnowledge:
        """Read a .yaml, .yml or .json file; its keys are those of ``from_dict``."""
        mapping = read_mapping(path)
        try:
            return cls.from_dict(mapping)
        except KnowledgeError as error:
            raise KnowledgeError(f"in {str(path)!r}: {error}") from error

    def to_file(self, path: str | Path) -> None:
        """Write a .yaml, .yml or .json file, replacing what stood there."""
        write_mapping(path, self.to_dict())

    def _with(self, *rules: Rule) -> PriorKnowledge:
        return PriorKnowledge(self.rules + rules)

    def __len__(self) -> int:
        return len(self.rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PriorKnowledge):
            return NotImplemented
        return set(self.rules) == set(other.rules)

    def __hash__(self) -> int:
        return hash(frozenset(self.rules))

    def __repr__(self) -> str:
        return f"PriorKnowledge({'; '.join(map(str, self.rules)) or 'no rules'})"

    def __str__(self) -> str:
        if not self.rules:
            return "no rules"
        title = f"{len(self)} rule{'' if len(self) == 1 else 's'}:"
        return "\n  ".join([title, *map(str, self.rules)])


def _some(names: tuple[str, ...], statement: str) -> tuple[str, ...]:
    if not names:
        raise KnowledgeError(f"{statement} got no names; give at least one.")
    return names
