"""h and its gradient: against SciPy, exact fractions, closed forms and finite differences."""

import math
from functools import partial

import jax
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.linalg import expm

import naive
from chronodag.model import Acyclicity, Architecture, SmoothLoss, Windows, acyclicity, strengths
from chronodag.solve.problem import evaluate

pytestmark = pytest.mark.usefixtures("double_precision")


_compiled = jax.jit(acyclicity)


def h(squares):
    return float(_compiled(np.asarray(squares, dtype=float)))


@pytest.mark.parametrize("scale", [0.01, 0.3, 1.0, 7.0, 60.0])
@pytest.mark.parametrize("d", [1, 2, 5, 20])
def test_h_equals_scipys_matrix_exponential(d, scale):
    squares = scale * np.random.default_rng(d).uniform(size=(d, d)) / d
    assert h(squares) == pytest.approx(np.trace(expm(squares)) - d, rel=1e-11)


@pytest.mark.parametrize("scale", [1e-100, 1e-12, 1e-5, 0.1, 0.4999, 0.5001, 1.0, 3.0])
def test_h_has_full_relative_precision(scale):
    squares = scale * np.random.default_rng(1).uniform(size=(3, 3)) / 3
    assert h(squares) == pytest.approx(naive.acyclicity(squares), rel=4e-15)


@given(st.floats(1e-60, 30.0), st.floats(1e-60, 30.0))
def test_h_of_two_edges_that_face_each_other_has_a_closed_form(there, back):
    # A = [[0, a], [b, 0]]: tr exp(A) − 2 = 2 (cosh √(ab) − 1) = 4 sinh² (√(ab)/2)
    expected = 4 * math.sinh(math.sqrt(there) * math.sqrt(back) / 2) ** 2
    assert h([[0, there], [back, 0]]) == pytest.approx(expected, rel=1e-12)


@given(
    arrays(float, (5, 5), elements=st.one_of(st.just(0.0), st.floats(1e-30, 1e6))),
    st.permutations(range(5)),
)
def test_h_is_exactly_zero_without_a_cycle_and_positive_with_one(squares, order):
    acyclic = np.triu(squares, 1)[np.ix_(order, order)]
    assert h(acyclic) == 0.0
    ring = np.minimum(acyclic, 9.0)  # exp of large entries leaves the range of floats
    ring[order[0], order[1]] = ring[order[1], order[0]] = 1.0
    assert h(ring) > 0


@pytest.mark.parametrize("scale", [1e-9, 0.2, 5.0])
def test_the_gradient_of_h_is_the_transposed_exponential(scale):
    squares = scale * np.random.default_rng(2).uniform(size=(6, 6))
    gradient = jax.grad(acyclicity)(squares)
    np.testing.assert_allclose(gradient, expm(squares).T, rtol=1e-11, atol=1e-300)


def test_single_precision_keeps_relative_precision():
    squares = np.float32([[0, 1e-6], [2e-6, 0]])
    answer = acyclicity(squares)
    assert answer.dtype == np.float32
    assert float(answer) == pytest.approx(2e-12, rel=1e-6)


@pytest.mark.parametrize("lags", [0, 2])
def test_h_reads_the_lag_0_kernels_and_nothing_else(lags):
    architecture = Architecture(4, lags, (3, 2))
    x = np.random.default_rng(0).normal(size=architecture.shape)
    squares = strengths(architecture.unflatten(x))[0] ** 2
    value, gradient = Acyclicity(architecture)(x)
    assert float(value) == pytest.approx(np.trace(expm(squares)) - 4, rel=1e-12)
    pieces = architecture.unflatten(np.asarray(gradient))
    # ∂h/∂φ_ij = 2 φ_ij exp(W∘W)_ji
    expected = 2 * architecture.unflatten(x).kernels[0] * expm(squares).T[:, :, None]
    np.testing.assert_allclose(pieces.kernels[0], expected, rtol=1e-10)
    for untouched in (pieces.kernels[1:], pieces.biases, *pieces.layers[0], *pieces.layers[1]):
        assert not untouched.any()


def test_h_is_computed_in_double_precision_whatever_that_of_x():
    architecture = Architecture(3, 0, (2,))
    x = 0.01 * np.random.default_rng(0).normal(size=architecture.shape).astype(np.float32)
    value, gradient = Acyclicity(architecture)(x)
    squares = strengths(architecture.unflatten(x.astype(np.float64)))[0] ** 2
    assert (value.dtype, gradient.dtype) == (np.float64, np.float32)
    assert float(value) == pytest.approx(naive.acyclicity(squares), rel=1e-13)


@pytest.mark.parametrize("hidden", [(3,), (3, 2)])
@pytest.mark.parametrize("lags", [0, 2])
def test_the_gradient_of_the_augmented_objective_matches_central_differences(lags, hidden):
    rng = np.random.default_rng(5)
    architecture = Architecture(3, lags, hidden)
    x = 0.5 * rng.normal(size=architecture.shape)
    weights = rng.integers(0, 2, size=40 - lags).astype(float)
    windows = Windows(rng.normal(size=(3, 40)), weights, np.float64(0.02))
    parts = jax.jit(
        partial(evaluate, SmoothLoss(architecture, 16), Acyclicity(architecture)),
    )
    rho, alpha, step = 10.0, 3.0, 1e-5

    def objective(x):
        found = parts(x, windows, rho, alpha)
        return float(found.losses.sum() + 0.5 * rho * found.h**2 + alpha * found.h)

    gradient = np.asarray(parts(x, windows, rho, alpha).gradient)
    for _ in range(6):
        direction = rng.normal(size=x.shape)
        direction /= np.linalg.norm(direction)
        slope = (objective(x + step * direction) - objective(x - step * direction)) / (2 * step)
        assert np.sum(gradient * direction) == pytest.approx(slope, rel=1e-6)
