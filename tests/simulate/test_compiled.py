"""The compiled engine against the one of NumPy, which has slow twins of its own."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronodag.errors import SettingsError
from chronodag.simulate import random_process, sample_many
from naive import sigmoid

pytest.importorskip("numba", reason="the compiled engine is an extra")
from chronodag.simulate.compiled import _anm

MECHANISMS = ["ANM", "AIM", "GLM-Pois", "linear"]


@settings(max_examples=40)
@given(
    d=st.integers(1, 8),
    lags=st.integers(0, 3),
    mechanism=st.sampled_from(MECHANISMS),
    seed=st.integers(0, 2**32),
)
def test_both_engines_agree_until_rounding_grows(d, lags, mechanism, seed):
    # A chaotic process makes a difference in the last digit about ten times larger in every row.
    process = random_process(d, lags, mechanism=mechanism, rng=seed)
    numpy, compiled = (
        process.sample(6, seed, warm_up=0.0, engine=engine) for engine in ("numpy", "compiled")
    )
    np.testing.assert_allclose(compiled, numpy, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_together_or_one_by_one_is_the_same_to_the_last_bit(mechanism):
    rng = np.random.default_rng(0)
    shapes = [(3, 1), (7, 3), (5, 0), (7, 2)]
    processes = [random_process(d, lags, mechanism=mechanism, rng=rng) for d, lags in shapes]
    together = sample_many(processes, 150, 1, engine="compiled")
    one_rng = np.random.default_rng(1)
    for process, series in zip(processes, together, strict=True):
        assert process.sample(150, one_rng, engine="compiled").tobytes() == series.tobytes()


def test_long_series_have_the_same_moments():
    rng = np.random.default_rng(2)
    for mechanism in MECHANISMS:
        process = random_process(6, 2, mechanism=mechanism, rng=rng, lagged_per="total")
        one, other = (
            np.concatenate(process.sample(2000, 3, series=4, engine=engine))
            for engine in ("numpy", "compiled")
        )
        spread = one.std(axis=0) + 1e-12
        np.testing.assert_allclose((other.mean(axis=0) - one.mean(axis=0)) / spread, 0, atol=0.15)
        np.testing.assert_allclose(other.std(axis=0) / spread, 1, atol=0.12)


def test_interventions_hold():
    process = random_process(4, 1, rng=4)
    data = process.sample(30, 5, do={"X2": 1.5}, engine="compiled")
    np.testing.assert_array_equal(data[:, 1], 1.5)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30))
def test_the_exponential_is_exact_to_many_digits(values):
    seen, readout = np.array(values), np.linspace(-2, 2, len(values))
    exact = float(np.sum(sigmoid(np.clip(seen, -500, 500)) * readout))
    assert _anm(seen, readout) == pytest.approx(exact, abs=1e-12 * len(values))


def test_an_unknown_engine_or_an_absent_numba_is_told(monkeypatch):
    process = random_process(3, 1, rng=0)
    with pytest.raises(SettingsError, match="engine is 'fast'; expected one of 'numpy'"):
        process.sample(5, 0, engine="fast")
    monkeypatch.setitem(sys.modules, "chronodag.simulate.compiled", None)
    with pytest.raises(SettingsError, match=r"Numba cannot be imported.*chronodag\[fast\]"):
        process.sample(5, 0, engine="compiled")
