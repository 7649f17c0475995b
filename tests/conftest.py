"""What several test files share."""

import os

import jax
import numpy as np
import pytest
from hypothesis import settings

from chronodag.learn import NTSNotears

# Times vary with the load of the machine; a slow example is no failure. The examples are the same
# in every run, so that a run tells of the change at hand; `CHRONODAG_EXPLORE=1` draws new ones.
settings.register_profile(
    "chronodag", deadline=None, derandomize=not os.environ.get("CHRONODAG_EXPLORE")
)
settings.load_profile("chronodag")


@pytest.fixture(scope="module")
def double_precision():
    """JAX computes in float64 while the tests of a module run."""
    with jax.enable_x64(True):
        yield


def read_only(array):
    """The same numbers, which nothing may change."""
    array.flags.writeable = False
    return array


@pytest.fixture(scope="session")
def chain():
    """a(t-1) -> b(t), b(t) -> c(t), a(t-1) -> c(t): 250 rows, in units of no comparison."""
    rng = np.random.default_rng(3)
    noise = rng.normal(size=(250, 3))
    rows = noise.copy()
    for t in range(1, len(rows)):
        rows[t, 1] = 2 * np.sin(1.5 * rows[t - 1, 0]) + 0.3 * noise[t, 1]
        rows[t, 2] = rows[t - 1, 0] + 2 * np.sin(1.5 * rows[t, 1]) + 0.3 * noise[t, 2]
    return read_only(rows * [1.0, 2.0, 0.5] + [0.0, 7.0, -1.0])


@pytest.fixture(scope="session")
def learned(chain):
    """A fit of the chain, all of it by default, that several tests look at and none changes."""
    return NTSNotears(lags=1, hidden=4, l1=0.02, random_state=0).fit(chain)
