"""The log evidence of one target: against a slow twin, and its gradient against differences."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal

from chronodag.data import Panel, lagged_view
from chronodag.evidence.experts import Experts, first_guess, limits
from chronodag.evidence.gaussian_process import (
    CONSTANT,
    NOISE_FLOOR,
    negative_log_evidence,
    value_and_gradient,
)


def slow_negative_log_evidence(theta, inputs, target):
    """Element by element, in float64, with SciPy's density."""
    n, p = inputs.shape
    straight, curved = theta[:p], theta[p : 2 * p]
    scale, noise = np.exp(theta[2 * p]), np.exp(theta[2 * p + 1]) + NOISE_FLOOR
    covariance = np.empty((n, n))
    for a in range(n):
        for b in range(n):
            line = sum(straight[i] ** 2 * inputs[a, i] * inputs[b, i] for i in range(p))
            distance = sum(curved[i] ** 2 * (inputs[a, i] - inputs[b, i]) ** 2 for i in range(p))
            covariance[a, b] = CONSTANT + line + scale * np.exp(-0.5 * distance)
            covariance[a, b] += noise if a == b else 0.0
    density = multivariate_normal(np.zeros(n), covariance).logpdf(target)
    return -density - 0.5 * n * np.log(2 * np.pi)


def drawn(seed, n=25, p=3):
    rng = np.random.default_rng(seed)
    inputs, target = rng.standard_normal((n, p)), rng.standard_normal(n)
    theta = np.concatenate([rng.uniform(0, 1, 2 * p), rng.uniform(-1.5, 0.3, 2)])
    return theta, np.asfortranarray(inputs, dtype=np.float32), target.astype(np.float32)


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32))
def test_the_evidence_is_that_of_the_slow_twin(seed):
    theta, inputs, target = drawn(seed)
    expected = slow_negative_log_evidence(theta, inputs.astype(float), target.astype(float))
    value, _ = value_and_gradient(theta, inputs, inputs * inputs, target)
    np.testing.assert_allclose(value, expected, rtol=2e-4, atol=2e-3)
    np.testing.assert_allclose(negative_log_evidence(theta, inputs, target), value, rtol=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_the_gradient_is_that_of_finite_differences(seed):
    theta, inputs, target = drawn(seed)
    _, gradient = value_and_gradient(theta, inputs, inputs * inputs, target)
    exact = inputs.astype(float), target.astype(float)
    for k in range(theta.size):
        step = np.zeros_like(theta)
        step[k] = 1e-5
        up, down = (slow_negative_log_evidence(theta + sign * step, *exact) for sign in (1, -1))
        np.testing.assert_allclose(gradient[k], (up - down) / 2e-5, rtol=2e-3, atol=5e-3)


def experts_of(rows, lags=1, size=50, windows=1000):
    return Experts.of(lagged_view(Panel.from_any(rows), lags), size, windows)


def test_blocks_hold_every_window_once_with_its_past():
    rows = np.arange(60.0).reshape(20, 3) + np.random.default_rng(0).random((20, 3))
    experts = experts_of(rows, lags=2, size=7)
    assert experts.windows == 18
    assert (experts.dimension, experts.width) == (3, 9)
    inputs, targets = np.concatenate(experts.inputs), np.concatenate(experts.targets)
    np.testing.assert_array_equal(targets, rows[2:].astype(np.float32))
    for lag in range(3):
        now = rows[2 - lag : len(rows) - lag].astype(np.float32)
        np.testing.assert_array_equal(inputs[:, 3 * lag : 3 * lag + 3], now)


def test_too_many_windows_are_thinned_evenly():
    rows = np.random.default_rng(0).random((1000, 2))
    experts = experts_of(rows, size=50, windows=100)
    assert experts.windows == 100
    kept = np.concatenate(experts.targets)[:, 0]
    where = np.searchsorted(np.arange(999), [np.argmin(abs(rows[1:, 0] - v)) for v in kept])
    assert np.diff(where).max() <= 11


def test_no_window_crosses_series():
    a, b = np.random.default_rng(0).random((2, 12, 2))
    view = lagged_view(Panel.from_any([a, b]), 1)
    targets = np.concatenate(Experts.of(view, 50, 1000).targets)
    np.testing.assert_array_equal(targets, np.concatenate([a[1:], b[1:]]).astype(np.float32))


def test_the_best_theta_sees_the_causes_and_drops_the_rest():
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((300, 4))
    rows[1:, 3] = 2.0 * np.sin(2.0 * rows[:-1, 0]) + 0.3 * rng.standard_normal(299)
    experts = experts_of(rows, size=150)
    columns = np.arange(4, 8)  # the past alone
    start = first_guess(columns, experts.width)[experts.places(columns)]
    before, _ = experts.evaluate(3, columns, start)
    after, theta = experts.minimise(3, columns, start, 1e-5, 100)
    assert after < before
    relevance = np.maximum(theta[:4], theta[4:8])
    assert relevance[0] > 0.5
    assert relevance[1:].max() < 0.15
    assert all(low <= value <= high for value, (low, high) in zip(theta, limits(4), strict=True))
