"""The augmented Lagrangian: known answers, every status, and its own rules replayed."""

from dataclasses import replace
from itertools import pairwise

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from chronodag.solve import (
    DualSettings,
    InnerStatus,
    Problem,
    Status,
    solve_constrained,
    solve_many,
)
from solvers import every_solver

# Row = target, column = source: 1 -> 0 is worth 0.5, 0 -> 1 is worth 1; the rest is free of h.
WORTH = np.array([[0.3, 0.5], [1.0, -0.8]])
START = np.full((2, 2), 0.6)
UNBOUNDED = np.full((2, 2), np.inf)


def distance(x, data):
    """½ |x − a|² per row."""
    return 0.5 * jnp.sum((x - data) ** 2, axis=1), x - data


@jax.value_and_grad
def facing_edges(x):
    """Zero when one of the two edges that face each other is, like h of two variables."""
    return (x[0, 1] * x[1, 0]) ** 2


@jax.value_and_grad
def never_zero(x):
    """A constraint that no point satisfies."""
    return 1.0 + x[0, 0] ** 2


def valley(x, data):
    """A long curved valley per row (Rosenbrock's)."""

    def total(x):
        values = 100 * (x[:, 1] - x[:, 0] ** 2) ** 2 + (data - x[:, 0]) ** 2
        return jnp.sum(values), values

    gradient, values = jax.grad(total, has_aux=True)(x)
    return values, gradient


def lying(x, data):
    """Says that it falls where it rises: no line search can succeed."""
    return 9 * jnp.sum(x, axis=1) + 0 * data[:, 0], -9 * jnp.ones_like(x)


def weaker_edge(x, lower, upper):
    """Pin the weaker of the two facing edges at zero."""
    pinned = np.zeros(x.shape, dtype=bool)
    pinned[(0, 1) if abs(x[0, 1]) < abs(x[1, 0]) else (1, 0)] = True
    return pinned


def problem(loss=distance, constraint=facing_edges, l1=0.0, data=WORTH, settle=None):
    return Problem(loss, constraint, data, np.full((2, 2), l1), -UNBOUNDED, UNBOUNDED, settle)


def soft(x, l1):
    return np.sign(x) * np.maximum(np.abs(x) - l1, 0)


@every_solver
@pytest.mark.parametrize("l1", [0.0, 0.1])
def test_of_two_facing_edges_the_stronger_stays(solver, l1):
    solution = solve_constrained(problem(l1=l1), START, solver.exact, DualSettings())
    expected = soft(WORTH * [[1, 0], [1, 1]], l1)
    np.testing.assert_allclose(solution.x, expected, atol=3e-3)
    assert solution.status is Status.H_REACHED
    assert solution.status.success
    assert 0 <= solution.h <= 1e-8
    assert solution.h == pytest.approx((solution.x[0, 1] * solution.x[1, 0]) ** 2, abs=1e-12)
    objective = 0.5 * np.sum((solution.x - WORTH) ** 2) + l1 * np.abs(solution.x).sum()
    assert solution.objective == pytest.approx(objective, rel=1e-9)


@every_solver
def test_the_trace_obeys_the_rules_of_the_multipliers(solver):
    settings = DualSettings()
    solution = solve_constrained(problem(), START, solver.exact, settings)
    rho, alpha, h_before = 1.0, 0.0, np.inf
    assert len(solution.trace) > 2
    for number, one in enumerate(solution.trace, start=1):
        assert (one.rho, one.alpha) == (rho, pytest.approx(alpha, rel=1e-12))
        assert one.evaluations >= 1
        assert one.seconds > 0
        assert one.message
        is_last = number == len(solution.trace)
        assert is_last == (one.h <= settings.h_tol or one.rho >= settings.rho_max)
        if one.h > 0.25 * h_before:
            rho *= 10
        else:
            alpha, h_before = alpha + rho * one.h, one.h
    assert (solution.h, solution.objective) == (one.h, one.objective)
    assert solution.evaluations == sum(one.evaluations for one in solution.trace)
    assert solution.iterations == sum(one.iterations for one in solution.trace)
    assert solution.seconds == pytest.approx(sum(one.seconds for one in solution.trace))


@every_solver
def test_settling_pins_the_pattern_and_finishes_without_the_constraint(solver):
    settings = DualSettings(settle_below=1e-3)
    settled = solve_constrained(problem(settle=weaker_edge), START, solver.exact, settings)
    assert settled.status is Status.SETTLED
    assert settled.h == 0.0
    np.testing.assert_allclose(settled.x, WORTH * [[1, 0], [1, 1]], atol=1e-5)
    assert settled.x[0, 1] == 0.0
    *rounds, last = settled.trace
    assert all(one.h > 1e-3 for one in rounds[:-1])
    assert rounds[-1].h <= 1e-3
    assert (last.rho, last.alpha, last.h) == (0.0, 0.0, 0.0)


@every_solver
def test_settling_respects_other_bounds(solver):
    lower = np.array([[-np.inf, 0.2], [-np.inf, -np.inf]])  # the weaker edge is required
    bounded = replace(problem(settle=lambda x, lower, upper: lower.T > 0), lower=lower)
    settings = DualSettings(settle_below=1e-2)
    solution = solve_constrained(bounded, bounded.clip(START), solver.exact, settings)
    np.testing.assert_allclose(solution.x, WORTH * [[1, 1], [0, 1]], atol=1e-5)
    assert solution.h == 0.0


@every_solver
def test_many_problems_together_are_each_alone(solver):
    problems = [problem(data=WORTH * scale, l1=0.05) for scale in (1.0, -1.5)]
    problems.append(problem(constraint=None))
    starts = [START * scale for scale in (1.0, -0.5, 0.1)]
    together = solve_many(problems, starts, solver.exact, DualSettings())
    assert [one.status.success for one in together] == [True] * 3
    for one, start, found in zip(problems, starts, together, strict=True):
        alone = solve_constrained(one, start, solver.exact, DualSettings())
        assert len(found.trace) == len(alone.trace)
        assert found.status is alone.status
        np.testing.assert_allclose(found.x, alone.x, atol=1e-4)


@every_solver
def test_the_start_is_brought_within_the_bounds_and_left_alone(solver):
    upper = np.array([[0.1, 0.0], [0.5, 0.0]])
    boxed = replace(problem(), lower=np.minimum(-1.0, 0 * upper) * (upper > 0), upper=upper)
    start = np.full((2, 2), 9.0)
    solution = solve_constrained(boxed, start, solver.exact, DualSettings())
    assert (start == 9.0).all()
    np.testing.assert_allclose(solution.x, upper, atol=1e-6)
    assert len(solution.trace) == 1


@every_solver
def test_no_constraint_is_one_solve(solver):
    solution = solve_constrained(problem(constraint=None), START, solver.exact, DualSettings())
    assert solution.status is Status.UNCONSTRAINED
    assert solution.status.success
    assert [(one.rho, one.alpha) for one in solution.trace] == [(0.0, 0.0)]
    assert solution.h == 0.0
    np.testing.assert_allclose(solution.x, WORTH, atol=1e-4)


@every_solver
def test_a_low_cap_on_rho_is_said(solver):
    stuck = solve_constrained(problem(), START, solver.exact, DualSettings(rho_max=1.0))
    assert stuck.status is Status.RHO_AT_CAP
    assert not stuck.status.success
    assert "rho_max" in str(stuck.status)


@every_solver
def test_used_up_rounds_are_said(solver):
    solution = solve_constrained(problem(), START, solver.exact, DualSettings(max_iter=1))
    assert solution.status is Status.ROUNDS_USED_UP
    assert len(solution.trace) == 1


@every_solver
@pytest.mark.parametrize("constraint", [None, facing_edges])
def test_used_up_inner_iterations_are_said(solver, constraint):
    hard = problem(valley, constraint, data=np.float64(1.0))
    solution = solve_constrained(hard, -START, solver.hasty, DualSettings(h_tol=1e9))
    assert solution.status is Status.ITERATIONS_USED_UP
    assert not solution.status.success
    assert solution.trace[0].status is InnerStatus.ITERATIONS_USED_UP


@every_solver
def test_a_failed_line_search_is_said(solver):
    broken = problem(lying, never_zero)
    solution = solve_constrained(broken, 0 * START, solver.exact, DualSettings(rho_max=1.0))
    assert solution.status is Status.LINE_SEARCH_FAILED
    assert not solution.status.success


@every_solver
@pytest.mark.parametrize("stop_at", [1, 2])
def test_an_interrupt_hands_out_a_state_no_worse_than_the_start(solver, stop_at):
    seen = []

    def callback(progress):
        seen.append(progress)
        return len(seen) >= stop_at

    args = (problem(l1=0.1), START, solver.watched, DualSettings(), callback)
    solution = solve_constrained(*args)
    assert solution.status is Status.INTERRUPTED
    assert not solution.status.success
    assert len(seen) == stop_at
    assert [one.status for one in solution.trace] == [InnerStatus.INTERRUPTED]

    def augmented(x):
        h = float(facing_edges(x)[0])
        return 0.5 * np.sum((x - WORTH) ** 2) + 0.1 * np.abs(x).sum() + 0.5 * h**2

    assert augmented(solution.x) <= augmented(START) + 1e-6


@every_solver
def test_an_interrupt_in_a_later_round_is_said_too(solver):
    def callback(progress):
        return progress.round == 3

    solution = solve_constrained(problem(), START, solver.watched, DualSettings(), callback)
    assert solution.status is Status.INTERRUPTED
    assert len(solution.trace) == 3
    assert solution.h <= solution.trace[0].h * (1 + 1e-9)


@every_solver
def test_an_interrupt_while_settling_is_said(solver):
    def callback(progress):
        return progress.rho == 0.0

    settings = DualSettings(settle_below=1e-2)
    hard = problem(valley, data=np.float64(1.0), settle=weaker_edge)
    solution = solve_constrained(hard, -START, solver.watched, settings, callback)
    assert solution.status is Status.INTERRUPTED
    assert solution.h == 0.0


@every_solver
def test_the_callback_sees_every_round_and_changes_nothing(solver):
    seen = []
    quiet = solve_constrained(problem(), START, solver.watched, DualSettings())
    watched = solve_constrained(problem(), START, solver.watched, DualSettings(), seen.append)
    assert watched.x.tobytes() == quiet.x.tobytes()
    assert watched.status is quiet.status
    for earlier, later in pairwise(seen):
        assert earlier.round <= later.round
        assert earlier.evaluations < later.evaluations
        assert 0 <= earlier.seconds <= later.seconds
    for progress in seen:
        one = quiet.trace[progress.round - 1]
        assert (progress.rho, progress.alpha) == (one.rho, one.alpha)


def test_every_status_has_its_own_words():
    assert len({status.message for status in Status}) == len(Status)
    assert {status for status in Status if status.success} == {
        Status.H_REACHED,
        Status.SETTLED,
        Status.UNCONSTRAINED,
    }
