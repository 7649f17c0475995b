"""The augmented Lagrangian: known answers, every status, and its own rules replayed."""

from dataclasses import replace
from itertools import pairwise

import jax.numpy as jnp
import numpy as np
import pytest

from chronodag.solve import (
    DualSettings,
    InnerStatus,
    Problem,
    ScipySolver,
    Status,
    solve_constrained,
)

SOLVERS = [ScipySolver()]
EDGES = np.array([1.0, 0.5, -0.8])
START = np.array([0.6, 0.6, 0.6])

every_solver = pytest.mark.parametrize("solver", SOLVERS, ids=lambda one: type(one).__name__)


def distance(x, data):
    """½ |x − a|²."""
    return 0.5 * jnp.sum((x - data) ** 2)


def facing_edges(x):
    """Zero when at most one of the first two coordinates is not, like h of two variables."""
    return x[0] ** 2 * x[1] ** 2


def never_zero(x):
    """A constraint that no point satisfies."""
    return 1.0 + x[0] ** 2


def valley(x, data):
    """A long curved valley (Rosenbrock's)."""
    return jnp.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (data - x[:-1]) ** 2)


def falsely_falling(x, data):
    """Not a number anywhere: no line search can succeed."""
    return jnp.sum(x) * jnp.nan + 0 * jnp.sum(data)


def problem(smooth=distance, constraint=facing_edges, l1=0.0, data=EDGES):
    free = np.full(3, np.inf)
    return Problem(smooth, constraint, data, np.full(3, l1), -free, free)


@every_solver
@pytest.mark.parametrize("l1", [0.0, 0.1])
def test_of_two_facing_edges_the_stronger_stays(solver, l1):
    solution = solve_constrained(problem(l1=l1), START, solver, DualSettings())
    np.testing.assert_allclose(solution.x, [1 - l1, 0, -0.8 + l1], atol=2e-3)
    assert solution.status is Status.H_REACHED
    assert solution.status.success
    assert 0 <= solution.h <= 1e-8
    assert solution.h == pytest.approx(float(facing_edges(solution.x)), rel=1e-5, abs=1e-12)
    expected = 0.5 * np.sum((solution.x - EDGES) ** 2) + l1 * np.abs(solution.x).sum()
    assert solution.objective == pytest.approx(expected, rel=1e-6)


@every_solver
def test_the_trace_obeys_the_rules_of_the_multipliers(solver):
    settings = DualSettings()
    solution = solve_constrained(problem(), START, solver, settings)
    rho, alpha, h_before = 1.0, 0.0, np.inf
    assert len(solution.trace) > 2
    for number, one in enumerate(solution.trace):
        assert (one.rho, one.alpha) == (rho, pytest.approx(alpha, rel=1e-12))
        assert one.evaluations >= 1
        assert one.seconds > 0
        assert one.message
        last = number == len(solution.trace) - 1
        assert last == (one.h <= settings.h_tol or one.rho >= settings.rho_max)
        if one.h > 0.25 * h_before:
            rho *= 10
        else:
            alpha, h_before = alpha + rho * one.h, one.h
    assert (solution.h, solution.objective) == (one.h, one.objective)
    assert solution.evaluations == sum(one.evaluations for one in solution.trace)
    assert solution.iterations == sum(one.iterations for one in solution.trace)
    assert solution.seconds == pytest.approx(sum(one.seconds for one in solution.trace))


@every_solver
def test_the_answer_is_that_of_the_harder_penalty_alone(solver):
    # One solve at a huge ρ, warm-started: the same constrained optimum by another road.
    gentle = solve_constrained(problem(), START, solver, DualSettings())
    harsh = solve_constrained(problem(), gentle.x, solver, DualSettings(h_tol=1e-12))
    np.testing.assert_allclose(harsh.x, gentle.x, atol=2e-3)


@every_solver
def test_the_start_is_brought_within_the_bounds_and_left_alone(solver):
    boxed = replace(problem(), lower=np.array([-1.0, 0.0, 0.0]), upper=np.array([0.5, 0.0, 0.0]))
    start = np.array([9.0, 9.0, 9.0])
    solution = solve_constrained(boxed, start, solver, DualSettings())
    assert (start == 9.0).all()
    np.testing.assert_allclose(solution.x, [0.5, 0.0, 0.0], atol=1e-6)
    assert len(solution.trace) == 1


@every_solver
def test_no_constraint_is_one_solve(solver):
    solution = solve_constrained(problem(constraint=None), START, solver, DualSettings())
    assert solution.status is Status.UNCONSTRAINED
    assert solution.status.success
    assert [(one.rho, one.alpha) for one in solution.trace] == [(0.0, 0.0)]
    assert solution.h == 0.0
    np.testing.assert_allclose(solution.x, EDGES, atol=1e-4)


@every_solver
def test_a_low_cap_on_rho_is_said(solver):
    stuck = solve_constrained(problem(), START, solver, DualSettings(rho_max=1.0))
    assert stuck.status is Status.RHO_AT_CAP
    assert not stuck.status.success
    assert "rho_max" in str(stuck.status)
    impossible = solve_constrained(problem(constraint=never_zero), START, solver, DualSettings())
    assert impossible.status in (Status.RHO_AT_CAP, Status.LINE_SEARCH_FAILED)
    assert impossible.trace[-1].rho >= 1e16


@every_solver
def test_used_up_rounds_are_said(solver):
    solution = solve_constrained(problem(), START, solver, DualSettings(max_iter=1))
    assert solution.status is Status.ROUNDS_USED_UP
    assert len(solution.trace) == 1


@every_solver
@pytest.mark.parametrize("constraint", [None, facing_edges])
def test_used_up_inner_iterations_are_said(solver, constraint):
    hasty = replace(solver, max_iterations=1)
    hard = problem(valley, constraint, data=np.float64(1.0))
    settings = DualSettings(h_tol=10.0)
    solution = solve_constrained(hard, START, hasty, settings)
    assert solution.status is Status.ITERATIONS_USED_UP
    assert solution.trace[0].status is InnerStatus.ITERATIONS_USED_UP


@every_solver
@pytest.mark.parametrize("constraint", [None, never_zero])
def test_a_failed_line_search_is_said(solver, constraint):
    broken = problem(falsely_falling, constraint)
    solution = solve_constrained(broken, START, solver, DualSettings(rho_max=10.0))
    assert solution.status is Status.LINE_SEARCH_FAILED


@every_solver
@pytest.mark.parametrize("stop_at", [1, 2, 7])
def test_an_interrupt_hands_out_a_state_no_worse_than_the_start(solver, stop_at):
    seen = []

    def callback(progress):
        seen.append(progress)
        return len(seen) >= stop_at

    solution = solve_constrained(problem(l1=0.1), START, solver, DualSettings(), callback)
    assert solution.status is Status.INTERRUPTED
    assert not solution.status.success
    assert len(seen) == stop_at
    assert solution.trace[-1].status is InnerStatus.INTERRUPTED
    rho, alpha = solution.trace[0].rho, solution.trace[0].alpha

    def augmented(x):
        h = float(facing_edges(x))
        value = 0.5 * np.sum((x - EDGES) ** 2) + 0.1 * np.abs(x).sum()
        return value + 0.5 * rho * h**2 + alpha * h

    assert augmented(solution.x) <= augmented(START) + 1e-9


@every_solver
def test_the_callback_sees_every_round_and_changes_nothing(solver):
    seen = []
    quiet = solve_constrained(problem(), START, solver, DualSettings())
    watched = solve_constrained(problem(), START, solver, DualSettings(), seen.append)
    assert watched.x.tobytes() == quiet.x.tobytes()
    assert watched.status is quiet.status
    rounds = [progress.round for progress in seen]
    assert rounds == sorted(rounds)
    assert set(rounds) == set(range(1, len(quiet.trace) + 1))
    counts = [progress.evaluations for progress in seen]
    assert all(later > earlier for earlier, later in pairwise(counts))
    assert all(progress.seconds >= 0 for progress in seen)
    for progress in seen:
        one = quiet.trace[progress.round - 1]
        assert (progress.rho, progress.alpha) == (one.rho, one.alpha)


def test_every_status_has_its_own_words():
    assert len({status.message for status in Status}) == len(Status)
    assert {status for status in Status if status.success} == {
        Status.H_REACHED,
        Status.UNCONSTRAINED,
    }
