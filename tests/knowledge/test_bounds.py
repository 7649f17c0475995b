import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronodag.errors import KnowledgeError, SettingsError
from chronodag.knowledge import EdgeBounds, PriorKnowledge, kernel_bounds

NAMES = ("a", "b")
THRESHOLD = (0.3, 0.3)
BOUNDS = (
    PriorKnowledge()
    .forbid("a@0 -> b")
    .require("a@1 -> b")
    .bound("b@1 -> a", lower=0.5, upper=2)
    .bound("b@1 -> b", upper=1)
    .compile(NAMES, 1, THRESHOLD)
)
strengths = st.floats(1e-100, 1e100)


def within(lower=0.0, upper=math.inf):
    """Bounds of two variables at lag 1 alone whose edge a(t-1) -> b(t) has these limits."""
    free = EdgeBounds.unrestricted(2, 1)
    low, high = free.lower.copy(), free.upper.copy()
    low[1, 0, 1], high[1, 0, 1] = lower, upper
    return EdgeBounds(low, high)


def test_arrays_are_copies_and_read_only():
    free = EdgeBounds.unrestricted(2, 1)
    upper = free.upper.copy()
    bounds = EdgeBounds(free.lower, upper)
    upper[1] = 0
    assert bounds == free
    assert bounds != BOUNDS
    assert bounds != 3
    for array in (bounds.lower, bounds.upper):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0, 1] = 1
    assert repr(BOUNDS) == (
        "EdgeBounds(2 variables, lags 0 to 1: 1 forbidden, 2 required, 1 bounded, 2 free)"
    )


@pytest.mark.parametrize(
    ("lower", "upper", "message"),
    [
        (np.zeros((1, 2, 3)), np.zeros((1, 2, 3)), "expected two arrays"),
        (np.zeros((1, 2, 2)), np.zeros((2, 2, 2)), "expected two arrays"),
        (np.ones((2, 2, 2)), np.zeros((2, 2, 2)), "0 <= lower <= upper"),
        (-np.ones((2, 2, 2)), np.zeros((2, 2, 2)), "0 <= lower <= upper"),
        (np.full((1, 2, 2), np.nan), np.zeros((1, 2, 2)), "no NaN"),
        (np.zeros((1, 2, 2)), np.ones((1, 2, 2)), "no variable drives itself"),
    ],
)
def test_malformed_bounds_are_refused(lower, upper, message):
    with pytest.raises(KnowledgeError, match=message):
        EdgeBounds(lower, upper)


def test_unrestricted_needs_a_size():
    with pytest.raises(KnowledgeError, match="d=0, lags=1; expected"):
        EdgeBounds.unrestricted(0, 1)


def test_violations_name_every_broken_bound():
    kept = np.zeros((2, 2, 2))
    kept[1] = [[7, 0.3], [2, 1]]
    assert BOUNDS.violations(kept, NAMES) == []
    broken = kept.copy()
    broken[0] = [[0.1, 1e-30], [np.nan, 0]]
    broken[1] = [[-1, 0.29], [2.5, 1.5]]
    assert BOUNDS.violations(broken, NAMES) == [
        "a(t) -> a(t) is never possible, but has the strength 0.1.",
        "a(t) -> b(t) is forbidden, but has the strength 1e-30.",
        "b(t) -> a(t) has a strength that is not a number.",
        "a(t-1) -> a(t) cannot be negative, but has the strength -1.",
        "a(t-1) -> b(t) must have a strength of at least 0.3, but has the strength 0.29.",
        "b(t-1) -> a(t) may have a strength of at most 2, but has the strength 2.5.",
        "b(t-1) -> b(t) may have a strength of at most 1, but has the strength 1.5.",
    ]


def test_violations_forgive_rounding_only_within_the_tolerance():
    near = np.zeros((2, 2, 2))
    near[1] = [[0, 0.3 * (1 - 1e-10)], [2, 1]]
    assert BOUNDS.violations(near, NAMES) == []
    assert len(BOUNDS.violations(near, NAMES, tolerance=0)) == 1
    with pytest.raises(KnowledgeError, match="do not fit bounds"):
        BOUNDS.violations(np.zeros((1, 2, 2)), NAMES)


def test_kernel_bounds_by_both_readings():
    m = 4  # so that b̄ = b / 2
    for translation, least in (("symmetric", -0.5), ("paper", 0.0)):
        lower, upper = kernel_bounds(BOUNDS, m, translation)
        np.testing.assert_allclose(lower[0], [[0, 0], [-np.inf, 0]])
        np.testing.assert_allclose(upper[0], [[0, 0], [np.inf, 0]])
        np.testing.assert_allclose(lower[1], [[-np.inf, 0.15], [0.25, least]])
        np.testing.assert_allclose(upper[1], [[np.inf, np.inf], [1, 0.5]])
        assert np.all(lower <= upper)


@pytest.mark.parametrize("kernels", [0, -1, 2.0, True, "3"])
def test_kernels_are_counted(kernels):
    with pytest.raises(SettingsError, match=r"kernels=.*; expected a whole number"):
        kernel_bounds(BOUNDS, kernels)


def test_translations_are_named():
    with pytest.raises(SettingsError, match="'signed' is unknown; choose one of symmetric, paper"):
        kernel_bounds(BOUNDS, 3, "signed")


def norms(weight, kernels):
    """The same norm by several ways of adding up, each with its own rounding."""
    weights = np.full(kernels, weight)
    squares = weights**2
    sums = [squares.sum(), np.cumsum(squares)[-1], math.fsum(squares), squares @ np.ones(kernels)]
    return [*np.sqrt(sums), np.linalg.norm(weights)]


@given(strengths, strengths, st.integers(1, 3000), st.sampled_from(["symmetric", "paper"]))
def test_norms_at_the_kernel_bounds_keep_the_strength_within_its_bounds(a, b, kernels, translation):
    least, most = sorted((a, b))
    if most <= least * (1 + 1e-10):
        most = least * 2
    low, high = kernel_bounds(within(least, most), kernels, translation)
    for weight in (low[1, 0, 1], high[1, 0, 1]):
        assert all(least <= norm <= most for norm in norms(weight, kernels))
    low, high = kernel_bounds(within(upper=most), kernels, translation)
    for weight in (low[1, 0, 1], high[1, 0, 1]):
        assert all(norm <= most for norm in norms(weight, kernels))


@given(strengths, st.integers(1, 3000))
def test_a_pinned_strength_stays_within_the_tolerance_of_violations(strength, kernels):
    bounds = within(strength, strength)
    low, high = kernel_bounds(bounds, kernels)
    assert low[1, 0, 1] == high[1, 0, 1]
    found = np.zeros((2, 2, 2))
    for norm in norms(low[1, 0, 1], kernels):
        found[1, 0, 1] = norm
        assert bounds.violations(found, NAMES) == []
