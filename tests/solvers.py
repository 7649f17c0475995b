"""The solvers that all tests of this folder run on: a new one joins with one entry here."""

from typing import NamedTuple

import pytest

from chronodag.solve import DeviceSolver, InnerSolver, ScipySolver


class Case(NamedTuple):
    """One solver with three settings."""

    exact: InnerSolver
    hasty: InnerSolver  # gives up after a few iterations
    watched: InnerSolver  # shows every evaluation to the caller


SOLVERS = [
    Case(ScipySolver(projected_gradient=1e-10), ScipySolver(max_iterations=2), ScipySolver()),
    Case(DeviceSolver(), DeviceSolver(max_evaluations=3), DeviceSolver(watch_every=1)),
]

every_solver = pytest.mark.parametrize(
    "solver", SOLVERS, ids=lambda case: type(case.exact).__name__
)
