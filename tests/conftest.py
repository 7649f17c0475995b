"""What several test files share."""

import jax
import pytest
from hypothesis import settings

# Times vary with the load of the machine; a slow example is no failure.
settings.register_profile("chronodag", deadline=None)
settings.load_profile("chronodag")


@pytest.fixture(scope="module")
def double_precision():
    """JAX computes in float64 while the tests of a module run."""
    with jax.enable_x64(True):
        yield
