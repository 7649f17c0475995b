"""The bounded minimisers: closed forms and the conditions of optimality."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from chronodag.model import Acyclicity, Architecture, SmoothLoss, Windows
from chronodag.solve import InnerStatus, Multipliers, Problem, Task
from chronodag.solve.problem import evaluate
from solvers import every_solver

FREE = Multipliers(0.0, 0.0)
TOLERANCE = 1e-15
GOOD = (InnerStatus.CONVERGED, InnerStatus.LINE_SEARCH_FAILED)  # the second: rounding was met


def separable(x, data):
    """½ Σ c (x − a)² per row."""
    center, curvature = data
    gradient = curvature * (x - center)
    return 0.5 * jnp.sum(gradient * (x - center), axis=1), gradient


def coupled(x, data):
    """½ xᵀQx − bᵀx per row."""
    matrix, vector = data
    product = jnp.einsum("rij,rj->ri", matrix, x)
    return 0.5 * jnp.sum(x * product, axis=1) - jnp.sum(vector * x, axis=1), product - vector


def lying(x, data):
    """Says that it falls where it rises: no line search can succeed."""
    return jnp.sum(x, axis=1) + 0 * data, -jnp.ones_like(x)


@jax.value_and_grad
def facing_edges(x):
    """A stand-in for h: zero when 0 -> 1 or 1 -> 0 is."""
    return (x[0, 1] * x[1, 0]) ** 2


# One variable for each kind of bounds: free, box, one-sided below and above zero, touching
# zero from either side, away from zero on either side, pinned at zero and elsewhere.
KINDS_LOWER = [-np.inf, -0.5, -np.inf, -np.inf, 0.0, -2.0, 0.3, -1.0, 0.0, 0.7, -0.4, -np.inf]
KINDS_UPPER = [np.inf, 0.8, 1.0, -0.1, np.inf, 0.0, np.inf, -0.2, 0.0, 0.7, -0.4, 0.0]
SHAPE = (3, len(KINDS_LOWER))
LOWER = np.array([np.roll(KINDS_LOWER, shift) for shift in range(3)])
UPPER = np.array([np.roll(KINDS_UPPER, shift) for shift in range(3)])
UNBOUNDED = np.full((2, 2), np.inf)


def minimise(solver, problem, start, multipliers=FREE, stop=None):
    before = start.copy()
    (found,) = solver([Task(problem, start, multipliers, TOLERANCE)], stop)
    assert (start == before).all()
    assert ((found.x >= problem.lower) & (found.x <= problem.upper)).all()
    return found


def value(problem, x):
    with jax.enable_x64(True):
        losses, _ = problem.loss(jnp.asarray(x), problem.data)
    return np.sum(jax.device_get(losses)) + np.sum(problem.l1 * np.abs(x))


def separable_problem(seed, l1):
    rng = np.random.default_rng(seed)
    data = (rng.uniform(-2, 2, SHAPE), rng.uniform(0.5, 3, SHAPE))
    return Problem(separable, None, data, l1 * rng.integers(0, 2, SHAPE), LOWER, UPPER)


def coupled_problem(seed):
    """A lasso with bounds: strongly coupled variables."""
    rng = np.random.default_rng(seed)
    rows, size = SHAPE
    factor = rng.normal(size=(rows, size + 4, size))
    matrix = np.einsum("rki,rkj->rij", factor, factor) / size
    l1 = rng.choice([0.0, 0.3, 1.0], SHAPE)
    return Problem(coupled, None, (matrix, 2 * rng.normal(size=SHAPE)), l1, LOWER, UPPER)


@every_solver
@settings(max_examples=30)
@given(st.integers(0, 10_000), st.sampled_from([0.0, 0.1, 0.5, 2.0]))
def test_a_bounded_l1_quadratic_has_its_closed_form(solver, seed, l1):
    problem = separable_problem(seed, l1)
    start = problem.clip(np.random.default_rng(seed).normal(size=SHAPE))
    found = minimise(solver.exact, problem, start)
    best = naive.clipped_soft_threshold(*problem.data, problem.l1, LOWER, UPPER)
    np.testing.assert_allclose(found.x, best, atol=1e-6)
    assert found.status in GOOD
    assert found.objective == pytest.approx(value(problem, best), abs=1e-10)
    assert found.evaluations >= found.iterations > 0
    assert found.h == 0.0
    assert found.message


@every_solver
def test_the_kink_gives_exact_zeros(solver):
    rng = np.random.default_rng(0)
    data = (rng.uniform(-2, 2, SHAPE), rng.uniform(0.5, 3, SHAPE))
    problem = Problem(separable, None, data, np.full(SHAPE, 100.0), LOWER, UPPER)
    found = minimise(solver.exact, problem, problem.clip(np.ones(SHAPE)))
    assert (found.x == problem.clip(np.zeros(SHAPE))).all()


@every_solver
@settings(max_examples=30)
@given(st.integers(0, 10_000))
def test_a_bounded_lasso_meets_the_conditions_of_optimality(solver, seed):
    problem = coupled_problem(seed)
    start = problem.clip(np.random.default_rng(seed).normal(size=SHAPE))
    found = minimise(solver.exact, problem, start)
    matrix, vector = problem.data
    gradient = np.einsum("rij,rj->ri", matrix, found.x) - vector
    assert naive.kkt_residual(gradient, found.x, problem.l1, LOWER, UPPER) < 1e-5


@every_solver
def test_no_step_of_a_single_variable_does_better(solver):
    problem = coupled_problem(4)
    found = minimise(solver.exact, problem, problem.clip(np.zeros(SHAPE)))
    for place in np.ndindex(*SHAPE):
        for step in (-1e-3, 1e-3):
            other = found.x.copy()
            other[place] += step
            assert value(problem, problem.clip(other)) >= found.objective - 1e-10


@every_solver
def test_the_start_does_not_matter_to_a_convex_problem(solver):
    problem = coupled_problem(3)
    answers = [
        minimise(
            solver.exact, problem, problem.clip(np.random.default_rng(seed).normal(size=SHAPE))
        )
        for seed in range(3)
    ]
    for other in answers[1:]:
        np.testing.assert_allclose(other.x, answers[0].x, atol=1e-5)


@every_solver
def test_tasks_in_a_batch_do_not_touch_each_other(solver):
    problems = [coupled_problem(seed) for seed in range(2)]
    tasks = [Task(one, one.clip(np.zeros(SHAPE)), FREE, TOLERANCE) for one in problems]
    together = solver.exact(tasks)
    for task, found in zip(tasks, together, strict=True):
        (alone,) = solver.exact([task])
        np.testing.assert_allclose(found.x, alone.x, atol=1e-6)
        assert found.objective == pytest.approx(alone.objective, rel=1e-10)


def facing_problem():
    """The edge 0 -> 1 is worth 0.5, the edge 1 -> 0 is worth 1."""
    center = np.array([[0.0, 0.5], [1.0, 0.0]])
    data = (center, np.ones((2, 2)))
    return Problem(separable, facing_edges, data, np.zeros((2, 2)), -UNBOUNDED, UNBOUNDED)


@every_solver
def test_rho_and_alpha_enter_the_objective_but_not_the_reported_one(solver):
    problem, start = facing_problem(), np.full((2, 2), 0.6)
    loose, tight, pulled = (
        minimise(solver.exact, problem, start, Multipliers(*pair))
        for pair in [(0.1, 0.0), (1e4, 0.0), (0.0, 9.0)]
    )
    assert tight.h < loose.h / 10
    assert pulled.h < loose.h
    assert tight.objective > loose.objective
    for found in (loose, tight, pulled):
        assert found.h == pytest.approx((found.x[0, 1] * found.x[1, 0]) ** 2, rel=1e-5)
        assert found.objective == pytest.approx(value(problem, found.x), rel=1e-6)


@every_solver
@pytest.mark.parametrize("multipliers", [FREE, Multipliers(10.0, 2.0)])
def test_the_networks_objective_meets_the_conditions_of_optimality(solver, multipliers):
    rng = np.random.default_rng(0)
    architecture = Architecture(3, 1, (2,))
    series = rng.normal(size=(3, 60))
    series[1, 1:] += 2 * np.tanh(series[0, :-1])
    cells = np.full((2, 3, 3), np.inf)
    cells[0][np.diag_indices(3)] = 0.0
    cells[1, 0, 1] = 0.4
    upper = architecture.per_kernel(cells, np.inf)
    lower = -upper
    l1 = architecture.per_kernel(np.full((2, 3, 3), 0.02))
    windows = Windows(series, np.ones(59), np.float64(0.02))
    loss, constraint = SmoothLoss(architecture, 1000), Acyclicity(architecture)
    problem = Problem(loss, constraint, windows, l1, lower, upper)
    found = minimise(solver.exact, problem, problem.clip(architecture.initial(rng)), multipliers)
    with jax.enable_x64(True):
        parts = jax.jit(evaluate, static_argnums=(0, 1))(
            loss, constraint, found.x, windows, *multipliers
        )
    assert naive.kkt_residual(parts.gradient, found.x, l1, lower, upper) < 2e-5


@every_solver
def test_used_up_iterations_are_said(solver):
    problem = coupled_problem(1)
    found = minimise(solver.hasty, problem, problem.clip(np.zeros(SHAPE)))
    assert found.status is InnerStatus.ITERATIONS_USED_UP
    assert found.iterations <= 3


@every_solver
def test_numbers_that_are_none_are_no_success(solver):
    data = (np.full(SHAPE, np.nan), np.ones(SHAPE))
    problem = Problem(separable, None, data, np.zeros(SHAPE), LOWER, UPPER)
    found = minimise(solver.exact, problem, problem.clip(np.zeros(SHAPE)))
    assert found.status is InnerStatus.LINE_SEARCH_FAILED


@every_solver
def test_a_failed_line_search_is_said(solver):
    problem = Problem(lying, None, np.zeros(2), np.zeros((2, 2)), -UNBOUNDED, UNBOUNDED)
    found = minimise(solver.exact, problem, np.zeros((2, 2)))
    assert found.status is InnerStatus.LINE_SEARCH_FAILED
    assert (found.x == 0).all()


@every_solver
def test_stop_sees_the_state_and_ends_the_solve_with_the_best_one(solver):
    problem = coupled_problem(2)
    start = problem.clip(np.random.default_rng(0).normal(size=SHAPE))
    seen = []

    def stop(objective, h, evaluations):
        seen.append((objective, h, evaluations))
        return len(seen) == 3

    found = minimise(solver.watched, problem, start, stop=stop)
    assert found.status is InnerStatus.INTERRUPTED
    assert len(seen) == 3
    counts = [count for _, _, count in seen]
    assert counts == sorted(set(counts))
    assert all(h == 0.0 for _, h, _ in seen)
    assert found.objective <= min(objective for objective, _, _ in seen) + 1e-9
    assert found.objective <= value(problem, start) + 1e-9
    assert found.objective == pytest.approx(value(problem, found.x), rel=1e-9)


@every_solver
def test_jax_keeps_its_own_precision_for_others(solver):
    problem = separable_problem(0, 0.0)
    minimise(solver.exact, problem, problem.clip(np.zeros(SHAPE)))
    assert jnp.asarray(0.5).dtype == jnp.float32


@every_solver
def test_a_problem_without_a_free_variable_is_its_own_answer(solver):
    pinned = np.tile([0.3, -0.4, 0.0], (3, 4))
    data = (np.zeros(SHAPE), np.ones(SHAPE))
    problem = Problem(separable, None, data, np.ones(SHAPE), pinned, pinned)
    found = minimise(solver.exact, problem, pinned)
    assert (found.x == pinned).all()
    assert found.objective == pytest.approx(12 * (0.125 + 0.7))
    assert found.status is InnerStatus.CONVERGED
