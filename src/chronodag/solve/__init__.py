"""Optimisation: bounded quasi-Newton inside an augmented Lagrangian. Knows arrays only."""

from chronodag.solve.augmented_lagrangian import (
    Callback,
    DualSettings,
    solve_constrained,
    solve_many,
)
from chronodag.solve.device_solver import DeviceSolver
from chronodag.solve.problem import InnerResult, InnerSolver, Multipliers, Problem, Stop, Task
from chronodag.solve.scipy_solver import ScipySolver
from chronodag.solve.solution import Progress, Round, Solution
from chronodag.solve.status import InnerStatus, Status

__all__ = [
    "Callback",
    "DeviceSolver",
    "DualSettings",
    "InnerResult",
    "InnerSolver",
    "InnerStatus",
    "Multipliers",
    "Problem",
    "Progress",
    "Round",
    "ScipySolver",
    "Solution",
    "Status",
    "Stop",
    "Task",
    "solve_constrained",
    "solve_many",
]
