"""Many fits of one shape: bootstrap replicates, a grid of penalties, several starts.

On an accelerator all fits are one compiled call, row upon row. On a CPU, which one fit already
keeps busy, they run one after the other, and each may start from the first one's solution.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chronodag.data import Panel, lagged_view
from chronodag.errors import DataError, SettingsError
from chronodag.learn.estimator import NTSNotears, has_names
from chronodag.learn.fitting import (
    Setup,
    conclude,
    devices_of,
    dual_settings,
    inner_solver,
    memory_of,
)
from chronodag.learn.settings import AUTO, Settings, whole_number
from chronodag.model import SmoothLoss
from chronodag.solve import Solution, solve_many

# The evidence, which the last three are about, plays no part here.
_MAY_DIFFER = ("l1", "l2", "threshold", "automatic", "effort", "instantaneous")


def fit_many(
    learners: Sequence[NTSNotears],
    data: Any,
    *,
    series: str | None = None,
    time: str | None = None,
    weights: ArrayLike | None = None,
    warm: bool = True,
    batch: int | None = None,
) -> list[NTSNotears]:
    """Fit learners to one data set, each with its own penalties, knowledge, seed and weights.

    Parameters
    ----------
    learners
        Fits as given: where no `threshold` is, it is 0.3, since weighing the evidence for edges
        ("auto") is not part of this. They may differ in `l1`, `l2`, `threshold`, `knowledge` and
        `random_state`; what shapes the computation (lags, hidden, solver, dtype, …) must agree.
        They are fitted in place.
    data, series, time
        As in `NTSNotears.fit`.
    weights
        `[learner, window]`: how often each window counts for each learner, as in a bootstrap;
        windows in the order of the rows, without the first `lags` rows of every series.
        None = once each.
    warm
        Start every fit but the first from the first one's solution: fewer steps, and the
        random starts play no part. False = every learner from its own start.
    batch
        Fits per compiled call; None = all on an accelerator, 1 on a CPU.
    """
    learners = list(learners)
    if not learners:
        raise SettingsError("fit_many was given no learners; expected at least one.")
    if any(learner.lags == AUTO for learner in learners):
        raise SettingsError(
            "A learner has lags='auto'; fit_many expects a number, since it weighs no evidence."
        )
    panel = Panel.from_any(data, series=series, time=time)
    setups = weighted([learner.setup(panel) for learner in learners], weights)
    size = batch_size(batch, setups)
    solutions: list[Solution] = []
    if warm:
        solutions = solve_all(setups[:1], 1)
        setups[1:] = [started_from(setup, solutions[0].x) for setup in setups[1:]]
    solutions += solve_all(setups[len(solutions) :], size)
    for learner, setup, solution in zip(learners, setups, solutions, strict=True):
        learner.adopt(conclude(setup, solution), named=has_names(data))
    return learners


def started_from(setup: Setup, x: NDArray[np.float64]) -> Setup:
    """Return the fit with another start: x, or the point nearest to it within the bounds."""
    return replace(setup, initial=setup.problem.clip(x))


def solve_all(setups: list[Setup], size: int) -> list[Solution]:
    """Solve fits of one shape, `size` of them per compiled call."""
    batches = [setups[first : first + size] for first in range(0, len(setups), size)]
    return [solution for batch in batches for solution in _solve(batch)]


def _solve(setups: list[Setup]) -> list[Solution]:
    first = setups[0]
    chunk = memory_of(first.settings, first.panel, len(setups)).chunk
    loss = SmoothLoss(first.architecture, chunk)
    return solve_many(
        [replace(setup.problem, loss=loss) for setup in setups],
        [setup.initial for setup in setups],
        inner_solver(first, len(setups)),
        dual_settings(first.settings),
    )


def weighted(setups: list[Setup], weights: ArrayLike | None) -> list[Setup]:
    """Give every fit its weights, and all the one array of values, so that it is shared."""
    first = setups[0]
    for setup in setups:
        differing = _differing(setup.settings, first.settings)
        if differing:
            raise SettingsError(
                f"The learners differ in {', '.join(differing)}; fit_many expects one shape for "
                "all. Call fit_many once per shape."
            )
    counts = _window_weights(weights, first, len(setups))
    # One program serves all: where no cycle is possible, the constraint costs a little and is 0.
    constraint = next((s.problem.constraint for s in setups if s.problem.constraint), None)
    return [
        replace(
            setup,
            problem=replace(
                setup.problem,
                loss=first.problem.loss,
                constraint=constraint,
                data=setup.problem.data._replace(values=first.problem.data.values, weights=count),
            ),
        )
        for setup, count in zip(setups, counts, strict=True)
    ]


def _differing(one: Settings, other: Settings) -> list[str]:
    names = [field.name for field in fields(Settings) if field.name not in _MAY_DIFFER]
    return [name for name in names if getattr(one, name) != getattr(other, name)]


def _window_weights(
    weights: ArrayLike | None, setup: Setup, fits: int
) -> list[NDArray[np.float64]]:
    """Lay the given counts over the windows that lie within one series."""
    within = lagged_view(setup.panel, setup.settings.lags).weights
    if weights is None:
        return [within] * fits
    given = np.asarray(weights, dtype=np.float64)
    expected = (fits, int(within.sum()))
    if given.shape != expected:
        raise DataError(
            f"weights has shape {given.shape}; expected [learner, window] = {expected}."
        )
    if not (np.isfinite(given).all() and (given >= 0).all() and (given.sum(axis=1) > 0).all()):
        raise DataError(
            "weights holds negative or non-finite numbers, or only zeros for a learner; expected "
            "how often each window counts."
        )
    counts = np.zeros((fits, len(within)))
    counts[:, within > 0] = given
    return list(counts)


def batch_size(batch: int | None, setups: list[Setup]) -> int:
    """Return how many fits one compiled call takes: as asked, or else by where they run."""
    if batch is not None:
        return whole_number("batch", batch, at_least=1)
    first = setups[0]
    if first.settings.solver == "scipy":
        return 1
    devices = devices_of(first, len(setups))
    return 1 if devices[0].platform == "cpu" else len(setups)
