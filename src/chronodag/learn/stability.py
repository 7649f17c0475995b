"""What replicates say of each edge: how often it is there, which way, how strong."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronodag.errors import SettingsError
from chronodag.graph import node_label

ARRAYS = ("presence", "direction", "strength_mean", "strength_low", "strength_high", "cut")


class StableEdge(NamedTuple):
    """One row of the table of edges."""

    source: str
    target: str
    lag: int
    presence: float
    direction: float | None
    """At lag 0; None at other lags, where time gives the direction, and if never present."""
    strength_mean: float
    strength_low: float
    strength_high: float

    def __str__(self) -> str:
        return f"{node_label(self.source, self.lag)} -> {node_label(self.target, 0)}"


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """How stable the edges of a learner are over replicates of its data."""

    names: tuple[str, ...]
    presence: NDArray[np.float64]
    """`[lag, source, target]`: the share of replicates with the edge."""
    direction: NDArray[np.float64]
    """`[source, target]` at lag 0: of the replicates with an edge between the two, the share in
    which it points from source to target; NaN where none has one."""
    strength_mean: NDArray[np.float64]
    strength_low: NDArray[np.float64]
    """`[lag, source, target]`: `strength_low` to `strength_high` holds the share `level` of the
    replicates."""
    strength_high: NDArray[np.float64]
    candidates: NDArray[np.bool_]
    """`[lag, source, target]`: edges that the data decide, neither forbidden nor required."""
    cut: NDArray[np.float64]
    """Per lag: an edge is present where its strength reaches this."""
    replicates: int
    """Replicates counted."""
    failed: int
    """Replicates left out because their solver did not converge."""
    resample: str
    block: int | None
    """Windows per block; None if whole series were drawn."""
    level: float
    message: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", tuple(self.names))
        for name in (*ARRAYS, "candidates"):
            kind = bool if name == "candidates" else float
            array: NDArray[Any] = np.array(getattr(self, name), dtype=kind)
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    def __eq__(self, other: object) -> bool:
        return self.to_json() == other.to_json() if isinstance(other, Bootstrap) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.names, self.presence.tobytes()))

    def __repr__(self) -> str:
        return f"Bootstrap({self.message})"

    @property
    def lags(self) -> int:
        """The maximum lag K."""
        return len(self.presence) - 1

    def edges(self, min_presence: float = 0.5) -> list[StableEdge]:
        """Return the edges at least this frequent, most frequent first (ties by strength)."""
        found = [
            self._edge(int(k), int(i), int(j))
            for k, i, j in np.argwhere(self.presence >= min_presence)
            if k or i != j
        ]
        return sorted(found, key=lambda edge: (-edge.presence, -edge.strength_mean))

    def _edge(self, k: int, i: int, j: int) -> StableEdge:
        cell = k, i, j
        share = float(self.direction[i, j]) if k == 0 else float("nan")
        strengths = (self.strength_mean, self.strength_low, self.strength_high)
        return StableEdge(
            self.names[i],
            self.names[j],
            k,
            float(self.presence[cell]),
            None if np.isnan(share) else share,
            *(float(one[cell]) for one in strengths),
        )

    def stability_bound(self, cutoff: float) -> float:
        """Bound the expected number of false edges among those with `presence ≥ cutoff` (π).

        q² / ((2π − 1) p), with q edges per replicate on average and p candidates, as Meinshausen
        and Bühlmann (2010) prove it for halves of independent data, if no false edge is likelier
        to appear than another and the learner does better than guessing. Edges that the knowledge
        forbids or requires count neither in q nor in p.
        """
        if self.resample != "half":
            raise SettingsError(
                f"The replicates are resample={self.resample!r}; the bound holds for halves of the "
                "data only. Call bootstrap(..., resample='half')."
            )
        if not 0.5 < cutoff <= 1.0:
            raise SettingsError(
                f"cutoff is {cutoff!r}; expected a share above 0.5 and up to 1: the bound says "
                "nothing of edges that are present in half of the replicates or fewer."
            )
        count = int(self.candidates.sum())
        chosen = float(self.presence[self.candidates].sum())
        return chosen**2 / ((2.0 * cutoff - 1.0) * count) if count else 0.0

    def summary(self, min_presence: float = 0.5) -> str:
        """Return a few readable lines: what was done, and each edge at least this frequent."""
        lines = [self.message]
        for edge in self.edges(min_presence):
            turned = "" if edge.direction is None else f"  this way {edge.direction:.2f}"
            span = f"{edge.strength_low:.3f} to {edge.strength_high:.3f}"
            lines.append(f"  {edge}  presence {edge.presence:.2f}{turned}  strength {span}")
        return "\n".join(lines)

    def to_json(self, path: str | Path | None = None) -> str:
        """Return JSON text that `from_json` reads back exactly; also write it."""
        from chronodag.learn.stability_files import to_json

        return _written(to_json(self), path)

    @classmethod
    def from_json(cls, source: str | Path) -> Bootstrap:
        """Read JSON text, or a file given as a `Path` or ending in `.json`."""
        from chronodag.learn.stability_files import from_json

        return from_json(source)

    def to_csv(self, path: str | Path | None = None) -> str:
        """Return one line per possible edge, most frequent first, as CSV text; also write it."""
        from chronodag.learn.stability_files import to_csv

        return _written(to_csv(self), path)


def summarise(
    strengths: NDArray[np.float64], present: NDArray[np.bool_], level: float
) -> dict[str, NDArray[np.float64]]:
    """Turn `[replicate, lag, source, target]` into the arrays of a `Bootstrap`."""
    presence = present.mean(axis=0)
    between = presence[0] + presence[0].T
    with np.errstate(invalid="ignore"):
        direction = np.where(between > 0, presence[0] / between, np.nan)
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(strengths, [tail, 1.0 - tail], axis=0)
    return {
        "presence": presence,
        "direction": direction,
        "strength_mean": strengths.mean(axis=0),
        "strength_low": low,
        "strength_high": high,
    }


def _written(text: str, path: str | Path | None) -> str:
    if path is not None:
        Path(path).write_text(text, encoding="utf-8")
    return text
