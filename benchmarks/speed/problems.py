"""The problems that are timed.

`chronodag.learn` lays them out, as in a fit. A machine with a GPU may have nothing but JAX and
NumPy; there they are laid out by hand, from arrays. A test compares the two.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.speed import machine
from chronodag.graph import break_cycles
from chronodag.model import Acyclicity, Architecture, SmoothLoss, Windows, strengths
from chronodag.simulate import lorenz96, random_process
from chronodag.solve import DualSettings, Problem

if TYPE_CHECKING:
    from chronodag.learn import NTSNotears

AS_PUBLISHED = DualSettings()  # what a fit with solver="scipy" uses
ON_DEVICE = DualSettings(early_relative_decrease=1e-5, settle_below=1e-2, relative_decrease=1e-7)


@dataclass(frozen=True)
class Setting:
    """The sizes of a fit, its data and its penalties."""

    dimension: int
    lags: int
    kernels: int
    length: int
    data: str = "AIM"  # or "Lorenz-96", or "noise"
    l1: tuple[float, ...] = (0.002,)  # one for all lags, or one per lag
    l2: float = 0.015

    @property
    def architecture(self) -> Architecture:
        """The sizes of the networks."""
        return Architecture(self.dimension, self.lags, (self.kernels,))

    @property
    def sizes(self) -> dict[str, int]:
        """The sizes by their letters in the tables."""
        return {"d": self.dimension, "K": self.lags, "m": self.kernels, "T": self.length}

    @property
    def operations(self) -> int:
        """Floating-point operations of the matrix products of one value and gradient."""
        d, m, inputs = self.dimension, self.kernels, self.dimension * (self.lags + 1)
        return 4 * (self.length - self.lags) * inputs * d * m

    def start(self, seed: int = 0) -> NDArray[np.float64]:
        """Return the random start that all solvers share."""
        return self.architecture.initial(np.random.default_rng(seed))


@dataclass(frozen=True)
class Settle:
    """Choose the lag-0 edges to pin at zero, as `chronodag.learn.fitting.Settle` does."""

    architecture: Architecture

    def __call__(
        self, x: NDArray[np.float64], lower: NDArray[np.float64], upper: NDArray[np.float64]
    ) -> NDArray[np.bool_]:
        lag0 = strengths(self.architecture.unflatten(x))[0]
        possible = ~np.eye(self.architecture.dimension, dtype=bool)
        cells = np.zeros((self.architecture.lags + 1, *lag0.shape))
        cells[0] = possible & ~break_cycles(lag0, possible, np.zeros_like(possible))
        return np.asarray(self.architecture.per_kernel(cells) > 0)


def raw(setting: Setting, seed: int = 0) -> NDArray[np.float64]:
    """Return a data set (T, d) of a setting."""
    return _raw(setting.data, setting.dimension, setting.lags, setting.length, seed)


@lru_cache(maxsize=64)
def _raw(data: str, d: int, lags: int, length: int, seed: int) -> NDArray[np.float64]:
    rng = np.random.default_rng(seed)
    if data == "noise":
        return rng.standard_normal((length, d))
    if data == "Lorenz-96":
        return lorenz96(d, length, rng=rng).data
    return random_process(d, lags, rng=rng, mechanism=data).sample(length, rng)


def build(setting: Setting, seed: int = 0) -> Problem:
    """Lay out the problem of one data set of a setting."""
    return problem(setting, raw(setting, seed))


def problem(setting: Setting, rows: NDArray[np.float64]) -> Problem:
    """Lay out the problem of a fit of rows (T, d) without prior knowledge."""
    return by_library(setting, rows) if has_library() else by_hand(setting, rows)


def has_library() -> bool:
    """Say whether all of chronodag can be imported here, with what it depends on."""
    try:
        import chronodag.learn  # noqa: F401
    except ImportError:
        return False
    return True


def by_library(setting: Setting, rows: NDArray[np.float64]) -> Problem:
    """Take the way of `NTSNotears.fit`: panel, scaling, problem."""
    from chronodag.data import Panel

    return learner(setting).setup(Panel.from_any(rows)).problem


def learner(setting: Setting, **parameters: Any) -> NTSNotears:
    """Return the estimator of a setting."""
    from chronodag.learn import NTSNotears

    l1 = setting.l1[0] if len(setting.l1) == 1 else setting.l1
    return NTSNotears(
        setting.lags, hidden=setting.kernels, l1=l1, l2=setting.l2, random_state=0, **parameters
    )


def by_hand(setting: Setting, rows: NDArray[np.float64]) -> Problem:
    """Lay out the same problem from arrays alone."""
    architecture, d = setting.architecture, setting.dimension
    rows = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    upper = np.full((setting.lags + 1, d, d), np.inf)
    upper[0, np.arange(d), np.arange(d)] = 0.0  # no variable causes itself at the same moment
    lower = np.where(upper > 0, -upper, 0.0)
    l1 = np.broadcast_to(np.reshape(setting.l1, (-1, 1, 1)), upper.shape)
    gpu = machine.backend() == "gpu"  # activations per chunk, as in chronodag.learn.budget
    most = (2**28 if gpu else 2**22) / (d * setting.kernels)
    chunk = int(np.clip(2 ** np.floor(np.log2(most)), 64, 2**16 if gpu else 4096))
    return Problem(
        loss=SmoothLoss(architecture, chunk),
        constraint=Acyclicity(architecture),
        data=Windows(
            np.ascontiguousarray(rows.T),
            np.ones(len(rows) - setting.lags),
            np.asarray(setting.l2),
        ),
        l1=architecture.per_kernel(l1),
        lower=architecture.per_kernel(lower, -np.inf),
        upper=architecture.per_kernel(upper, np.inf),
        settle=Settle(architecture),
    )
