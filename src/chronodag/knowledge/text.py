"""The text form of an edge statement, ``"goal@0,1 -> *"``, read and written."""

import operator
import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from chronodag.errors import KnowledgeError

Lags = tuple[int, ...] | None
"""Sorted distinct lags; None stands for every lag."""

FORM = (
    'the form is "source@lags -> target", for example "goal@0,1 -> *", "speed@1-3 -> goal" '
    'or "[a, b] -> c" (without @ it means every lag)'
)
ARGUMENT_FORM = (
    "a name that contains '->' or '@' goes through the argument form, "
    'for example forbid("my@name", "goal", lag=1)'
)
_LAG_ITEM = re.compile(r"([0-9]{1,6})(?:\s*-\s*([0-9]{1,6}))?")


class EdgeText(NamedTuple):
    """What one text says: patterns of source names, lags, patterns of target names."""

    sources: tuple[str, ...]
    lags: Lags
    targets: tuple[str, ...]


def parse_edge(text: str) -> EdgeText:
    """Read ``"source@lags -> target"``; blanks around every part are ignored."""
    parts = text.split("->")
    if len(parts) != 2:
        found = "no '->'" if len(parts) == 1 else "more than one '->'"
        raise KnowledgeError(f"cannot read {text!r}: it has {found}; {FORM}; {ARGUMENT_FORM}.")
    source, target = parts
    if "@" in target:
        raise KnowledgeError(
            f"cannot read {text!r}: the target never carries a lag, since lags count back from "
            f"the target's own moment. Write the lag on the source; {FORM}; {ARGUMENT_FORM}."
        )
    source, at, lag_text = source.partition("@")
    if "@" in lag_text:
        raise KnowledgeError(f"cannot read {text!r}: it has more than one '@'; {ARGUMENT_FORM}.")
    lags = _parse_lags(lag_text, text) if at else None
    return EdgeText(_parse_names(source, text), lags, _parse_names(target, text))


def _parse_names(part: str, text: str) -> tuple[str, ...]:
    """One name, or several as ``[a, b]``. A bracketed name without a comma is just a name."""
    part = part.strip()
    is_list = part.startswith("[") and part.endswith("]") and "," in part
    names = tuple(name.strip() for name in part[1:-1].split(",")) if is_list else (part,)
    if not all(names):
        raise KnowledgeError(f"cannot read {text!r}: a name is empty; {FORM}.")
    return tuple(dict.fromkeys(names))


def _parse_lags(part: str, text: str) -> tuple[int, ...]:
    lags: set[int] = set()
    for item in part.split(","):
        match = _LAG_ITEM.fullmatch(item.strip())
        if match is None:
            raise KnowledgeError(
                f"cannot read {text!r}: {item.strip()!r} is not a lag. Lags are whole numbers that "
                f"count back from now (0, 1, 2, ...) or ranges like 1-3; {FORM}; {ARGUMENT_FORM}."
            )
        first = int(match[1])
        last = first if match[2] is None else int(match[2])
        if last < first:
            raise KnowledgeError(
                f"cannot read {text!r}: the range {item.strip()!r} runs backwards; "
                f"write {last}-{first}."
            )
        lags.update(range(first, last + 1))
    return tuple(sorted(lags))


def write_edge(edge: EdgeText) -> str:
    """Write an edge statement; the opposite of ``parse_edge`` for names free of its signs."""
    at = "" if edge.lags is None else "@" + write_lags(edge.lags)
    return f"{write_names(edge.sources)}{at} -> {write_names(edge.targets)}"


def write_names(names: Sequence[str]) -> str:
    """Write one name as it is, several as ``[a, b]``."""
    return names[0] if len(names) == 1 else "[" + ", ".join(names) + "]"


def write_lags(lags: Sequence[int]) -> str:
    """Write sorted lags; three or more in a row become a range: ``0,2-5``."""
    items: list[str] = []
    for _, group in groupby(enumerate(lags), key=lambda pair: pair[1] - pair[0]):
        run = [lag for _, lag in group]
        items += [f"{run[0]}-{run[-1]}"] if len(run) > 2 else [str(lag) for lag in run]
    return ",".join(items)


def checked_names(given: object, statement: str) -> tuple[str, ...]:
    """Take a name or several from a caller: distinct, never empty, in the order given."""
    names = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    if not names:
        raise KnowledgeError(f"{statement} got an empty sequence of names; give at least one name.")
    for name in names:
        if not isinstance(name, str):
            raise KnowledgeError(
                f"{statement} got {name!r} where a name was expected; names are text "
                "(in a YAML file, put quotes around names such as 1, yes or no)."
            )
        if not name.strip():
            raise KnowledgeError(f"{statement} got the empty name {name!r}; give a column's name.")
    return tuple(dict.fromkeys(str(name) for name in names))


def checked_lags(given: object, statement: str) -> Lags:
    """Take None, a lag or several from a caller: whole numbers from 0 on, sorted, distinct."""
    if given is None:
        return None
    several = isinstance(given, Iterable) and not isinstance(given, str)
    lags = list(given) if isinstance(given, Iterable) and several else [given]
    if not lags:
        raise KnowledgeError(f"{statement} got no lags at all; leave lag out to mean every lag.")
    return tuple(sorted({_checked_lag(lag, statement) for lag in lags}))


def _checked_lag(given: object, statement: str) -> int:
    try:
        lag = -1 if isinstance(given, bool) else operator.index(given)  # type: ignore[arg-type]
    except TypeError:
        lag = -1
    if lag < 0:
        raise KnowledgeError(
            f"{statement} got the lag {given!r}; lags are whole numbers that count back from now: "
            "0 (the same moment), 1, 2, ..."
        )
    return lag
