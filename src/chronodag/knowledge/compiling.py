"""Rules, names, lags and thresholds in; the bounds of every edge out, or a clear refusal."""

import operator
from collections.abc import Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from chronodag.errors import KnowledgeError, SettingsError
from chronodag.knowledge.bounds import BoolArray, EdgeBounds, FloatArray, edge_label
from chronodag.knowledge.roster import Roster
from chronodag.knowledge.rules import LARGEST, SMALLEST, Rule, is_strength


def compile_rules(
    rules: Sequence[Rule], names: Sequence[str], lags: int, threshold: ArrayLike
) -> EdgeBounds:
    """Intersect all rules: the largest lower bound and the smallest upper bound in each cell."""
    roster, lags = Roster(names), _checked_lags(lags)
    thresholds = _checked_threshold(threshold, lags)
    ledger = _Ledger(rules, roster.names, lags)
    for index, rule in enumerate(rules):
        ledger.enter(index, rule, roster, thresholds)
    ledger.refuse_contradictions()
    ledger.refuse_cut_edges(thresholds)
    ledger.refuse_instant_cycle()
    return EdgeBounds(ledger.lower, ledger.upper)


class _Ledger:
    """The bounds so far and, for the messages, which rule set each of them."""

    def __init__(self, rules: Sequence[Rule], names: tuple[str, ...], lags: int) -> None:
        blank = EdgeBounds.unrestricted(len(names), lags)
        self.rules, self.names, self.possible = rules, names, blank.possible
        self.lower, self.upper = blank.lower.copy(), blank.upper.copy()
        self.lower_by = np.full(self.lower.shape, -1)
        self.upper_by = np.full(self.upper.shape, -1)

    def enter(self, index: int, rule: Rule, roster: Roster, threshold: FloatArray) -> None:
        lowest, highest = rule.lowest(threshold), rule.highest
        for region in rule.regions(roster, len(threshold) - 1):
            block = np.ix_(*region)
            possible = self.possible[block]
            low = np.where(possible, lowest[list(region.lags), None, None], 0.0)
            self.lower_by[block] = np.where(low > self.lower[block], index, self.lower_by[block])
            self.lower[block] = np.maximum(self.lower[block], low)
            lowers = possible & (highest < self.upper[block])
            self.upper_by[block] = np.where(lowers, index, self.upper_by[block])
            self.upper[block] = np.where(lowers, highest, self.upper[block])

    def refuse_contradictions(self) -> None:
        broken = self.lower > self.upper
        if broken.any():
            cell = _first(broken)
            raise KnowledgeError(
                f"the rules contradict each other at {edge_label(self.names, cell)}"
                f"{_others(broken)}: {self._quote(self.lower_by, cell)} asks for a strength of at "
                f"least {self.lower[cell]:g}, {self._quote(self.upper_by, cell)} allows at most "
                f"{self.upper[cell]:g}. Drop or narrow one of the two."
            )

    def refuse_cut_edges(self, threshold: FloatArray) -> None:
        cut = (self.lower > 0) & (self.lower < threshold[:, None, None])
        if cut.any():
            cell = _first(cut)
            limit = threshold[cell[0]]
            raise KnowledgeError(
                f"{self._quote(self.lower_by, cell)} sets a lower bound of {self.lower[cell]:g} at "
                f"{edge_label(self.names, cell)}{_others(cut)}, below the threshold {limit:g} "
                f"at lag {cell[0]}: an edge that weak would be cut although it is wanted. "
                f"Raise the lower bound to {limit:g} or more, lower the threshold, or use require."
            )

    def refuse_instant_cycle(self) -> None:
        required = self.lower[0] > 0
        drivers = {j: np.flatnonzero(required[:, j]).tolist() for j in range(len(self.names))}
        try:
            TopologicalSorter(drivers).prepare()
        except CycleError as error:
            cycle: list[int] = error.args[
                1
            ]  # from driver to driven, first node repeated at the end
        else:
            return
        quotes = dict.fromkeys(self._quote(self.lower_by, (0, i, j)) for i, j in pairwise(cycle))
        path = " -> ".join(self.names[index] for index in cycle)
        raise KnowledgeError(
            f"the rules require a cycle at lag 0: {path}. No graph allows that. "
            f"Drop or narrow one of {', '.join(quotes)}."
        )

    def _quote(self, by: np.ndarray, cell: tuple[int, ...]) -> str:
        return f"'{self.rules[by[cell]]}'"


def _first(cells: BoolArray) -> tuple[int, ...]:
    return tuple(np.argwhere(cells)[0].tolist())


def _others(cells: BoolArray) -> str:
    count = int(cells.sum()) - 1
    return f" (and {count} more edge{'s' if count > 1 else ''})" if count else ""


def _checked_lags(lags: int) -> int:
    try:
        count = -1 if isinstance(lags, bool) else operator.index(lags)
    except TypeError:
        count = -1
    if count < 0:
        raise SettingsError(f"lags={lags!r}; expected a whole number, 0 or more.")
    return count


def _checked_threshold(threshold: ArrayLike, lags: int) -> FloatArray:
    try:
        values = np.asarray(threshold, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.full(lags + 1, np.nan)
    if values.ndim == 0:
        values = np.full(lags + 1, values)
    if values.shape != (lags + 1,):
        raise SettingsError(
            f"the threshold has shape {values.shape}; expected one number, or one for each of the "
            f"{lags + 1} lags, lag 0 first."
        )
    if not all(is_strength(value) for value in values.tolist()):
        raise SettingsError(
            f"the threshold is {threshold!r}; expected finite numbers, 0 or positive "
            f"({SMALLEST:g} to {LARGEST:g})."
        )
    return values
