"""The bounded minimisers: closed forms and the conditions of optimality."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from chronodag.model import Acyclicity, Architecture, SmoothLoss, Windows
from chronodag.solve import InnerStatus, Multipliers, Problem, ScipySolver
from chronodag.solve.problem import augmented

SOLVERS = [ScipySolver(relative_decrease=1e-15, projected_gradient=1e-10)]
ACCURACY = 1e-7
FREE = Multipliers(0.0, 0.0)

every_solver = pytest.mark.parametrize("solver", SOLVERS, ids=lambda one: type(one).__name__)


def separable(x, data):
    """½ Σ c (x − a)²."""
    center, curvature = data
    return 0.5 * jnp.sum(curvature * (x - center) ** 2)


def coupled(x, data):
    """½ xᵀQx − bᵀx."""
    matrix, vector = data
    return 0.5 * x @ matrix @ x - vector @ x


def lying(x, data):
    """Falls by its gradient, rises by its value: no line search can succeed."""
    return jnp.sum(2 * jax.lax.stop_gradient(x) - x) + 0 * jnp.sum(data)


def facing_edges(x):
    """A stand-in for h: zero when at most one of the first two coordinates is not."""
    return x[0] ** 2 * x[1] ** 2


# One coordinate for each kind of bounds: free, box, one-sided below and above zero, touching
# zero from either side, away from zero on either side, pinned at zero and elsewhere.
LOWER = np.array([-np.inf, -0.5, -np.inf, -np.inf, 0.0, -2.0, 0.3, -1.0, 0.0, 0.7, -0.4, -np.inf])
UPPER = np.array([np.inf, 0.8, 1.0, -0.1, np.inf, 0.0, np.inf, -0.2, 0.0, 0.7, -0.4, 0.0])
SIZE = len(LOWER)


def separable_problem(seed, l1):
    rng = np.random.default_rng(seed)
    data = (rng.uniform(-2, 2, SIZE), rng.uniform(0.5, 3, SIZE))
    return Problem(separable, None, data, l1, LOWER, UPPER)


@every_solver
@settings(max_examples=30)
@given(st.integers(0, 10_000), st.sampled_from([0.0, 0.1, 0.5, 2.0]))
def test_a_bounded_l1_quadratic_has_its_closed_form(solver, seed, l1):
    penalties = l1 * np.random.default_rng(seed + 1).integers(0, 2, SIZE)
    problem = separable_problem(seed, penalties)
    start = problem.clip(np.random.default_rng(seed + 2).normal(size=SIZE))
    before = start.copy()
    found = solver(problem, start, FREE)
    best = naive.clipped_soft_threshold(*problem.data, penalties, LOWER, UPPER)
    np.testing.assert_allclose(found.x, best, atol=10 * ACCURACY)
    assert (start == before).all()
    assert ((found.x >= LOWER) & (found.x <= UPPER)).all()
    assert found.status in (InnerStatus.CONVERGED, InnerStatus.LINE_SEARCH_FAILED)
    assert found.evaluations >= found.iterations
    value = float(separable(found.x, problem.data)) + penalties @ np.abs(found.x)
    assert found.objective == pytest.approx(value, rel=1e-5)
    assert found.h == 0.0


@every_solver
def test_the_kink_gives_exact_zeros(solver):
    problem = separable_problem(0, np.full(SIZE, 100.0))
    found = solver(problem, problem.clip(np.ones(SIZE)), FREE)
    assert (found.x == problem.clip(np.zeros(SIZE))).all()


def coupled_problem(seed):
    """A lasso with bounds: strongly coupled coordinates."""
    rng = np.random.default_rng(seed)
    factor = rng.normal(size=(SIZE + 4, SIZE))
    data = (factor.T @ factor / SIZE, rng.normal(size=SIZE) * 2)
    l1 = rng.choice([0.0, 0.3, 1.0], SIZE)
    return Problem(coupled, None, data, l1, LOWER, UPPER)


@every_solver
@settings(max_examples=30)
@given(st.integers(0, 10_000))
def test_a_bounded_lasso_meets_the_conditions_of_optimality(solver, seed):
    problem = coupled_problem(seed)
    found = solver(problem, problem.clip(np.zeros(SIZE)), FREE)
    matrix, vector = problem.data
    gradient = matrix @ found.x - vector
    residual = naive.kkt_residual(gradient, found.x, problem.l1, LOWER, UPPER)
    assert residual < 1e-5
    # and no single step of any coordinate does better
    value = coupled(found.x, problem.data) + problem.l1 @ np.abs(found.x)
    for coordinate in range(SIZE):
        for step in (-1e-3, 1e-3):
            other = found.x.copy()
            other[coordinate] += step
            other = problem.clip(other)
            changed = coupled(other, problem.data) + problem.l1 @ np.abs(other)
            assert changed >= value - 1e-9


@every_solver
def test_the_answer_does_not_depend_on_the_start_of_a_convex_problem(solver):
    problem = coupled_problem(3)
    answers = [
        solver(problem, problem.clip(np.random.default_rng(seed).normal(size=SIZE)), FREE).x
        for seed in range(3)
    ]
    np.testing.assert_allclose(answers[1], answers[0], atol=1e-5)
    np.testing.assert_allclose(answers[2], answers[0], atol=1e-5)


@every_solver
def test_rho_and_alpha_enter_the_objective_but_not_the_reported_one(solver):
    data = (np.array([1.0, 0.5]), np.ones(2))
    free = np.full(2, np.inf)
    problem = Problem(separable, facing_edges, data, np.zeros(2), -free, free)
    loose, tight = (
        solver(problem, np.array([0.9, 0.3]), Multipliers(rho, 0.0)) for rho in (0.1, 1e4)
    )
    assert tight.h < loose.h / 10
    assert tight.objective > loose.objective
    assert tight.h == pytest.approx(facing_edges(tight.x), rel=1e-6)
    assert tight.objective == pytest.approx(float(separable(tight.x, data)), rel=1e-6)
    assert solver(problem, np.array([0.9, 0.3]), Multipliers(0.0, 9.0)).h < loose.h


@every_solver
@pytest.mark.parametrize("multipliers", [FREE, Multipliers(10.0, 2.0)])
def test_the_networks_objective_meets_the_conditions_of_optimality(solver, multipliers):
    rng = np.random.default_rng(0)
    architecture = Architecture(3, 1, (2,))
    values = rng.normal(size=(60, 3))
    values[1:, 1] += 2 * np.tanh(values[:-1, 0])
    lower, upper = np.full(architecture.size, -np.inf), np.full(architecture.size, np.inf)
    diagonal = [0, 1, 8, 9, 16, 17]  # source = target at lag 0, two kernels each
    lower[diagonal] = upper[diagonal] = 0.0
    lower[2:4], upper[2:4] = 0.2, 0.4
    l1 = np.where(np.arange(architecture.size) < architecture.kernel_count, 0.02, 0.0)
    windows = Windows(values, np.ones(59), np.float64(0.02))
    smooth, constraint = SmoothLoss(architecture), Acyclicity(architecture)
    problem = Problem(smooth, constraint, windows, l1, lower, upper)
    start = problem.clip(architecture.initial(rng))
    found = solver(problem, start, multipliers)
    with jax.enable_x64(True):
        gradient = jax.grad(lambda x: augmented(smooth, constraint, x, windows, multipliers).value)(
            found.x
        )
    assert naive.kkt_residual(np.asarray(gradient), found.x, l1, lower, upper) < 1e-5
    assert ((found.x >= lower) & (found.x <= upper)).all()


@every_solver
def test_used_up_iterations_are_said(solver):
    problem = coupled_problem(1)
    found = replace(solver, max_iterations=2)(problem, problem.clip(np.zeros(SIZE)), FREE)
    assert found.status is InnerStatus.ITERATIONS_USED_UP
    assert found.iterations <= 2


@every_solver
def test_a_failed_line_search_is_said(solver):
    free = np.full(2, np.inf)
    problem = Problem(lying, None, np.zeros(1), np.zeros(2), -free, free)
    found = solver(problem, np.zeros(2), FREE)
    assert found.status is InnerStatus.LINE_SEARCH_FAILED
    assert (found.x == 0).all()


@every_solver
def test_stop_sees_the_state_and_ends_the_solve_with_the_best_one(solver):
    problem = coupled_problem(2)
    start = problem.clip(np.random.default_rng(0).normal(size=SIZE))
    seen = []

    def stop(objective, h, evaluations):
        seen.append((objective, h, evaluations))
        return len(seen) == 3

    found = solver(problem, start, FREE, stop)
    assert found.status is InnerStatus.INTERRUPTED
    assert len(seen) == 3
    assert [count for _, _, count in seen] == sorted({count for _, _, count in seen})
    assert all(h == 0.0 for _, h, _ in seen)
    at_start = coupled(start, problem.data) + problem.l1 @ np.abs(start)
    assert found.objective <= at_start + 1e-6
    assert found.objective <= min(objective for objective, _, _ in seen) + 1e-6
    assert ((found.x >= LOWER) & (found.x <= UPPER)).all()


@every_solver
def test_single_precision_is_left_on_for_others(solver):
    problem = separable_problem(0, np.zeros(SIZE))
    solver(problem, problem.clip(np.zeros(SIZE)), FREE)
    assert jnp.asarray(0.5).dtype == jnp.float32


@every_solver
@pytest.mark.xfail(raises=ValueError, strict=False, reason="SciPy is handed an empty vector")
def test_a_problem_without_a_free_variable_is_its_own_answer(solver):
    pinned = np.array([0.3, -0.4])
    problem = Problem(separable, None, (np.zeros(2), np.ones(2)), np.ones(2), pinned, pinned)
    found = solver(problem, pinned, FREE)
    assert (found.x == pinned).all()
    assert found.objective == pytest.approx(0.125 + 0.7)
