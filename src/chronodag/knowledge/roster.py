"""Which variables a name or a pattern in a rule stands for."""

import re
from collections.abc import Sequence
from difflib import get_close_matches

from chronodag.errors import KnowledgeError

_SHOWN = 12


class Roster:
    """The variables' names, in order, with look-up by exact name or by pattern.

    In a pattern ``*`` stands for any text and ``?`` for any one character; case counts, and
    brackets mean themselves. A name that exists is never read as a pattern.
    """

    def __init__(self, names: Sequence[str]) -> None:
        if isinstance(names, str):
            raise KnowledgeError(f"names came as one text, {names!r}; give a sequence of names.")
        self.names = tuple(names)
        self._position = {name: index for index, name in enumerate(self.names)}
        if not self.names:
            raise KnowledgeError("knowledge needs the names of the variables, and none came.")
        for name in self.names:
            if not isinstance(name, str) or not name.strip():
                raise KnowledgeError(
                    f"{name!r} is not a variable's name; names are non-empty text."
                )
        if len(self._position) < len(self.names):
            twice = next(name for name in self.names if self.names.count(name) > 1)
            raise KnowledgeError(
                f"the variable name {twice!r} occurs more than once, so a rule about it would be "
                "ambiguous; give every variable its own name."
            )

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, name: str) -> bool:
        return name in self._position

    def find(self, patterns: Sequence[str], rule: object) -> list[int]:
        """Return the sorted positions of all variables that the patterns of ``rule`` name."""
        found: set[int] = set()
        for pattern in patterns:
            found.update(self._matches(pattern, rule))
        return sorted(found)

    def _matches(self, pattern: str, rule: object) -> list[int]:
        if pattern in self._position:
            return [self._position[pattern]]
        if has_wildcard(pattern):
            regex = re.compile(_as_regex(pattern), re.DOTALL)
            matches = [index for index, name in enumerate(self.names) if regex.fullmatch(name)]
            if matches:
                return matches
            problem = f"the pattern {pattern!r} matches none of the variables"
        else:
            problem = f"there is no variable {pattern!r}"
        raise KnowledgeError(f"in the rule '{rule}', {problem}. {self._advice(pattern)}")

    def _advice(self, pattern: str) -> str:
        by_lower_case = {name.lower(): name for name in self.names}
        close = get_close_matches(pattern.lower(), list(by_lower_case), n=3, cutoff=0.6)
        suggestion = " or ".join(repr(by_lower_case[name]) for name in close)
        hint = f"Did you mean {suggestion}? " if close else ""
        if "@" in pattern or "(t" in pattern:
            hint += 'A lag is not part of a name: write "goal@1 -> x" or pass lag=1. '
        shown = ", ".join(repr(name) for name in self.names[:_SHOWN])
        more = f" and {len(self) - _SHOWN} more" if len(self) > _SHOWN else ""
        return f"{hint}The variables are {shown}{more}."


def has_wildcard(pattern: str) -> bool:
    """Say whether a text could be read as a pattern."""
    return "*" in pattern or "?" in pattern


def _as_regex(pattern: str) -> str:
    signs = {"*": ".*", "?": "."}
    # Runs of stars mean the same as one star, and many of them would make matching slow.
    return "".join(signs.get(sign) or re.escape(sign) for sign in re.sub(r"\*+", "*", pattern))
