"""What the augmented Lagrangian reports, while it runs and at the end."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chronodag.solve.status import InnerStatus, Status


@dataclass(frozen=True)
class Progress:
    """The state of a running solve, for displays."""

    round: int
    rho: float
    alpha: float
    h: float
    objective: float
    evaluations: int  # in all rounds so far
    seconds: float
    stage: str = ""  # what is being done, where it is not the rounds of the ascent


@dataclass(frozen=True)
class Round:
    """One bounded minimisation at fixed ρ and α, and what it reached."""

    rho: float
    alpha: float
    h: float
    objective: float
    iterations: int
    evaluations: int
    seconds: float
    status: InnerStatus
    message: str


@dataclass(frozen=True)
class Solution:
    """The last state, why the solver stopped there, and how it got there."""

    x: NDArray[np.float64]
    objective: float  # F(θ): smooth + L1, without ρ and α terms
    h: float
    status: Status
    trace: tuple[Round, ...]

    @property
    def evaluations(self) -> int:
        """Value-and-gradient evaluations in all rounds."""
        return sum(one.evaluations for one in self.trace)

    @property
    def iterations(self) -> int:
        """Quasi-Newton iterations in all rounds."""
        return sum(one.iterations for one in self.trace)

    @property
    def seconds(self) -> float:
        """Wall time in all rounds."""
        return sum(one.seconds for one in self.trace)
