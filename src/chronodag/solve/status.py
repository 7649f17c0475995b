"""Why a solver stopped. Each code is its own explanation."""

from enum import Enum


class InnerStatus(Enum):
    """Why one bounded minimisation stopped."""

    CONVERGED = "the objective no longer falls"
    ITERATIONS_USED_UP = "the inner iterations were used up before the objective settled"
    LINE_SEARCH_FAILED = "no step along the search direction lowered the objective"
    INTERRUPTED = "interrupted"


class Status(Enum):
    """Why the augmented Lagrangian stopped."""

    H_REACHED = "converged: the acyclicity h fell to h_tol"
    SETTLED = "converged: the acyclic lag-0 pattern settled and was kept, so h is 0"
    UNCONSTRAINED = "converged: no lag-0 cycle is possible, so one solve was enough"
    RHO_AT_CAP = "stopped: the penalty rho reached rho_max before h fell to h_tol"
    ROUNDS_USED_UP = "stopped: max_iter rounds were used up before h fell to h_tol"
    ITERATIONS_USED_UP = "stopped: the last solve used up its iterations before it settled"
    LINE_SEARCH_FAILED = "stopped: the last solve found no step that lowers the objective"
    INTERRUPTED = "interrupted: this is the best state reached so far"

    @property
    def success(self) -> bool:
        """Whether the answer is a solution, not just the last state reached."""
        return self in (Status.H_REACHED, Status.SETTLED, Status.UNCONSTRAINED)

    @property
    def message(self) -> str:
        """The explanation, as a sentence."""
        return self.value

    def __str__(self) -> str:
        return self.value
