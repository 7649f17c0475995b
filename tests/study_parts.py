"""Methods and a source for the tests of studies; studies name them by import path."""

import os
import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from chronodag.graph import TemporalGraph
from chronodag.rivals import Capabilities, Learned

CAN = Capabilities(
    nonlinear=False,
    lagged=True,
    lag0=False,
    acyclic=True,
    knowledge=False,
    many_series=True,
    discrete=True,
)


@dataclass(frozen=True)
class Slow:
    """Correlations one row later, after doing what the test wants done."""

    name: ClassVar[str] = "slow"
    capabilities: ClassVar[Capabilities] = CAN
    lags: int = 1
    seconds: float = 0.0
    mib: int = 0
    end: int | None = None
    error: str = ""
    seed: int = -1

    def fit(self, panel, knowledge=None):
        print("methods may print")
        if self.end is not None:
            os._exit(self.end)
        if self.error:
            raise ValueError(self.error)
        held = np.ones(self.mib * 2**17)
        time.sleep(self.seconds)
        del held
        strengths = np.zeros((self.lags + 1, panel.dimension, panel.dimension))
        strengths[1] = np.abs(np.corrcoef(panel.values[:-1].T, panel.values[1:].T)[:3, 3:])
        note = f"pid={os.getpid()} threads={os.environ['OMP_NUM_THREADS']} seed={self.seed}"
        return Learned(panel.names, strengths, strengths > 0.5, message=note)


def walk(settings, seed):
    """Three variables that drive themselves."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(settings.get("T", 60), 3))
    for row in range(1, len(values)):
        values[row] += 0.9 * values[row - 1]
    adjacency = np.zeros((2, 3, 3))
    adjacency[1] = np.eye(3)
    return 10 * values + 3, TemporalGraph.from_adjacency(adjacency)
