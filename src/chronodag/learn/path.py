"""`l1_path`: the strengths of all edges as the sparsity λ1 goes from strong to weak."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from chronodag.data import Panel
from chronodag.errors import SettingsError
from chronodag.learn.estimator import NTSNotears
from chronodag.learn.many import fit_many
from chronodag.learn.settings import DEFAULT_L1_TIMES_LENGTH, whole_number

_REACH = 8.0
"""The default grid goes from this many times 2/T down to this part of it."""


@dataclass(frozen=True, eq=False)
class L1Path:
    """Fits of one learner along a grid of λ1, largest first."""

    names: tuple[str, ...]
    l1s: NDArray[np.float64]
    """`[path]`, falling."""
    strengths: NDArray[np.float64]
    """`[path, lag, source, target]`."""
    objectives: NDArray[np.float64]
    """`[path]`: F(θ) of each fit, with its own λ1."""
    edges: NDArray[np.int64]
    """`[path]`: how many edges the threshold leaves."""
    converged: NDArray[np.bool_]
    """`[path]`."""
    threshold: NDArray[np.float64]
    """Per lag."""
    chosen: float | None
    """The learner's own λ1 (2/T where it has none); None if it differs by lag or edge."""

    def __post_init__(self) -> None:
        for name in ("l1s", "strengths", "objectives", "edges", "converged", "threshold"):
            getattr(self, name).flags.writeable = False

    def __repr__(self) -> str:
        return (
            f"L1Path({len(self.l1s)} fits, l1 from {self.l1s[0]:.3g} to {self.l1s[-1]:.3g}, "
            f"{self.edges[0]} to {self.edges[-1]} edges)"
        )

    @property
    def lags(self) -> int:
        """The maximum lag K."""
        return len(self.strengths[0]) - 1

    def to_csv(self, path: str | Path | None = None) -> str:
        """Return a line per λ1 and cell, in the order of `strengths`, as CSV; also write it."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["l1", "lag", "source", "target", "strength"])
        for cell in np.ndindex(self.strengths.shape):
            point, lag, source, target = cell
            ends = self.names[source], self.names[target]
            strength = float(self.strengths[cell])
            writer.writerow([float(self.l1s[point]), lag, *ends, strength])
        if path is not None:
            Path(path).write_text(out.getvalue(), encoding="utf-8")
        return out.getvalue()


def l1_path(
    learner: NTSNotears,
    data: Any,
    l1s: ArrayLike | None = None,
    *,
    points: int = 12,
    series: str | None = None,
    time: str | None = None,
) -> L1Path:
    """Fit a learner once per λ1; one λ1 serves all lags and edges.

    `l1s` are positive numbers in any order; None = `points` of them, evenly apart on a log scale
    around 2/T, from eight times to an eighth of it. The fit with the smallest λ1 comes first and
    the others start from it, so that no edge starts at exactly zero, where it could not come
    back; a direction at lag 0 that fit has settled on tends to stay. The learner is not changed.
    Edges are counted by its threshold, or 0.3 if it has none.
    """
    panel = Panel.from_any(data, series=series, time=time)
    grid = _grid(l1s, whole_number("points", points, at_least=2), panel.length)
    own = learner.random_state
    copies: Sequence[NTSNotears] = [
        clone(learner).set_params(l1=float(one), random_state=own if isinstance(own, int) else 0)
        for one in grid
    ]
    fitted = fit_many(copies, panel)[::-1]
    return L1Path(
        names=panel.names,
        l1s=grid[::-1].copy(),
        strengths=np.array([one.strengths_ for one in fitted]),
        objectives=np.array([one.objective_ for one in fitted]),
        edges=np.array([int(one.graph_.adjacency.sum()) for one in fitted]),
        converged=np.array([one.status_.success for one in fitted]),
        threshold=fitted[0].settings_.threshold.copy(),
        chosen=_chosen(learner.l1, panel.length),
    )


def _grid(l1s: ArrayLike | None, points: int, length: int) -> NDArray[np.float64]:
    """Return the λ1 to fit, smallest first."""
    if l1s is None:
        middle = DEFAULT_L1_TIMES_LENGTH / length
        return np.geomspace(middle / _REACH, middle * _REACH, points)
    try:
        values = np.unique(np.asarray(l1s, dtype=np.float64))
    except (TypeError, ValueError) as error:
        raise SettingsError(f"l1s is {l1s!r}; expected a list of numbers above 0.") from error
    if values.ndim != 1 or len(values) < 2 or not (np.isfinite(values) & (values > 0)).all():
        raise SettingsError(f"l1s is {l1s!r}; expected two different numbers above 0, or more.")
    return values


def _chosen(l1: Any, length: int) -> float | None:
    if l1 is None:
        return DEFAULT_L1_TIMES_LENGTH / length
    values = np.unique(np.asarray(l1, dtype=np.float64))
    return float(values[0]) if len(values) == 1 else None
