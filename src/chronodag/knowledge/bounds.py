"""The bounds that a set of rules puts on the strength of every edge."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chronodag.errors import KnowledgeError

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class EdgeBounds:
    """Lower and upper bounds on strengths, read-only arrays ``[lag, source, target]``.

    ``upper == 0`` forbids an edge, ``lower > 0`` requires it, and an infinite upper bound leaves
    it open above. A variable never drives itself at lag 0, whatever anyone states.
    """

    lower: FloatArray
    upper: FloatArray

    def __post_init__(self) -> None:
        for side in ("lower", "upper"):
            array = np.array(getattr(self, side), dtype=np.float64)
            array.flags.writeable = False
            object.__setattr__(self, side, array)
        shape = self.lower.shape
        if len(shape) != 3 or shape[1] != shape[2] or self.upper.shape != shape or not shape[0]:
            raise KnowledgeError(
                f"bounds came with shapes {shape} and {self.upper.shape}; expected two arrays "
                "[lag, source, target] of the same shape, with as many sources as targets."
            )
        if not np.all((self.lower >= 0) & (self.lower <= self.upper) & (self.lower < np.inf)):
            raise KnowledgeError(
                "every cell needs 0 <= lower <= upper with a finite lower bound and no NaN."
            )
        if self.upper[0].diagonal().any():
            raise KnowledgeError(
                "at lag 0 no variable drives itself: those upper bounds must be 0."
            )

    @classmethod
    def unrestricted(cls, d: int, lags: int) -> "EdgeBounds":
        """Return the bounds for ``d`` variables when nothing is stated: only the structure."""
        if d < 1 or lags < 0:
            raise KnowledgeError(f"got d={d}, lags={lags}; expected d >= 1 and lags >= 0.")
        return cls(np.zeros((lags + 1, d, d)), np.where(possible_edges(d, lags), np.inf, 0.0))

    @property
    def lags(self) -> int:
        """The largest lag, K."""
        return int(self.lower.shape[0]) - 1

    @property
    def possible(self) -> BoolArray:
        """All cells but the self-loops at lag 0."""
        return possible_edges(self.lower.shape[1], self.lags)

    @property
    def forbidden(self) -> BoolArray:
        """Where there can be no edge, the self-loops at lag 0 included."""
        return np.equal(self.upper, 0)

    @property
    def required(self) -> BoolArray:
        """Where there must be an edge."""
        return self.lower > 0

    @property
    def stated(self) -> BoolArray:
        """Where any rule says something; the self-loops at lag 0 are left out."""
        return ((self.lower > 0) | (self.upper < np.inf)) & self.possible

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, EdgeBounds):
            return NotImplemented
        same_lower = np.array_equal(self.lower, other.lower)
        return same_lower and np.array_equal(self.upper, other.upper)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        counts = ", ".join(f"{cells.sum()} {kind}" for kind, cells in self._kinds().items())
        return f"EdgeBounds({self.lower.shape[1]} variables, lags 0 to {self.lags}: {counts})"

    def _kinds(self) -> dict[str, BoolArray]:
        """Sort all possible edges into four kinds, each edge into one."""
        possible, required, forbidden = self.possible, self.required, self.forbidden & self.possible
        bounded = (self.upper < np.inf) & ~required & ~forbidden & possible
        free = possible & ~required & ~forbidden & ~bounded
        return {"forbidden": forbidden, "required": required, "bounded": bounded, "free": free}

    def describe(self) -> str:
        """Return a short table: how many edges are forbidden, required, bounded, free per lag."""
        counts = {kind: cells.sum(axis=(1, 2)) for kind, cells in self._kinds().items()}
        lines = ["lag  " + "".join(f"{kind:>11}" for kind in counts)]
        for lag in range(self.lags + 1):
            lines.append(f"{lag:>3}  " + "".join(f"{row[lag]:>11}" for row in counts.values()))
        lines.append("all  " + "".join(f"{row.sum():>11}" for row in counts.values()))
        lines.append("(self-loops at lag 0 are never possible and not counted)")
        return "\n".join(lines)

    def violations(
        self, strengths: ArrayLike, names: Sequence[str], tolerance: float = 1e-9
    ) -> list[str]:
        """Return one sentence for every edge whose strength breaks its bounds.

        ``tolerance`` is relative to each bound: it forgives rounding, and never forgives any
        strength on a forbidden edge.
        """
        given = np.asarray(strengths, dtype=np.float64)
        if given.shape != self.lower.shape or len(names) != given.shape[1]:
            raise KnowledgeError(
                f"strengths of shape {given.shape} and {len(names)} names do not fit bounds of "
                f"shape {self.lower.shape}, [lag, source, target]."
            )
        high_enough = given >= self.lower * (1 - tolerance)
        low_enough = given <= self.upper * (1 + tolerance)
        broken = np.argwhere(~(high_enough & low_enough))  # NaN fails both comparisons
        return [self._complaint((k, i, j), given[k, i, j], names) for k, i, j in broken.tolist()]

    def _complaint(self, cell: tuple[int, int, int], strength: float, names: Sequence[str]) -> str:
        edge, lower, upper = edge_label(names, cell), self.lower[cell], self.upper[cell]
        if np.isnan(strength):
            return f"{edge} has a strength that is not a number."
        if strength < lower:
            wanted = (
                f"must have a strength of at least {lower:g}" if lower else "cannot be negative"
            )
        elif upper == 0:
            wanted = "is forbidden" if cell[0] or cell[1] != cell[2] else "is never possible"
        else:
            wanted = f"may have a strength of at most {upper:g}"
        return f"{edge} {wanted}, but has the strength {strength:g}."


def possible_edges(d: int, lags: int) -> BoolArray:
    """Return the cells that structure allows: all but the self-loops at lag 0."""
    possible = np.ones((lags + 1, d, d), dtype=bool)
    possible[0, range(d), range(d)] = False
    return possible


def edge_label(names: Sequence[str], cell: Sequence[int]) -> str:
    """Write a cell as ``a(t-1) -> b(t)``."""
    lag, source, target = cell
    return f"{names[source]}(t{f'-{lag}' if lag else ''}) -> {names[target]}(t)"
