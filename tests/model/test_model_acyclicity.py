"""h and its gradient: against SciPy, exact fractions, closed forms and finite differences."""

import math

import jax
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.linalg import expm

import naive
from chronodag.model import Acyclicity, Architecture, SmoothLoss, Windows, acyclicity, strengths
from chronodag.solve.problem import Multipliers, augmented

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


def test_h_reads_lag_0_of_the_flat_vector():
    architecture = Architecture(4, 2, (3, 2))
    vector = np.random.default_rng(0).normal(size=architecture.size)
    squares = strengths(architecture, vector)[0] ** 2
    expected = np.trace(expm(squares)) - 4
    assert float(Acyclicity(architecture)(vector)) == pytest.approx(expected, rel=1e-12)
    vector[4 * 4 * 3 :] += 1.0
    assert float(Acyclicity(architecture)(vector)) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("hidden", [(3,), (3, 2)])
@pytest.mark.parametrize("lags", [0, 2])
def test_the_gradient_of_the_augmented_objective_matches_central_differences(lags, hidden):
    rng = np.random.default_rng(5)
    architecture = Architecture(3, lags, hidden)
    vector = 0.5 * rng.normal(size=architecture.size)
    values = rng.normal(size=(40, 3))
    windows = Windows(values, np.ones(40 - lags), np.float64(0.02))
    smooth, constraint = SmoothLoss(architecture), Acyclicity(architecture)

    @jax.jit
    def objective(x):
        return augmented(smooth, constraint, x, windows, Multipliers(10.0, 3.0)).value

    gradient = np.asarray(jax.jit(jax.grad(objective))(vector))
    step = 1e-5
    for _ in range(6):
        direction = rng.normal(size=vector.size)
        direction /= np.linalg.norm(direction)
        ahead, behind = objective(vector + step * direction), objective(vector - step * direction)
        measured = float(ahead - behind) / (2 * step)
        assert gradient @ direction == pytest.approx(measured, rel=1e-6)
