"""Rough in float32 first, then exact in float64: the same answer, said to be so."""

import jax.numpy as jnp
import numpy as np

from chronodag.solve import DeviceSolver, InnerStatus, Multipliers, Problem, Task

SHAPE = (3, 4)
UNBOUNDED = np.full(SHAPE, np.inf)


def bowl(x, centre):
    """½ Σ (x − centre)⁴ + ½ (x − centre)² per row, in the precision of x."""
    away = x - jnp.asarray(centre, x.dtype)
    values = 0.5 * (away**4 + away**2)
    return jnp.sum(values.astype(jnp.float64), axis=1), 2 * away**3 + away


def task(tolerance):
    centre = np.random.default_rng(0).normal(size=SHAPE)
    problem = Problem(bowl, None, centre, np.full(SHAPE, 0.1), -UNBOUNDED, UNBOUNDED)
    return Task(problem, np.ones(SHAPE), Multipliers(0.0, 0.0), tolerance)


def test_an_exact_task_ends_in_double_precision():
    (mixed,) = DeviceSolver(early_dtype="float32")([task(1e-14)])
    (double,) = DeviceSolver()([task(1e-14)])
    assert mixed.status is InnerStatus.CONVERGED
    np.testing.assert_allclose(mixed.x, double.x, atol=1e-6)
    np.testing.assert_allclose(mixed.objective, double.objective, rtol=1e-12)
    assert mixed.evaluations > DeviceSolver(dtype="float32")([task(1e-6)])[0].evaluations


def test_a_rough_task_stays_in_single_precision():
    (rough,) = DeviceSolver(early_dtype="float32")([task(1e-5)])
    (single,) = DeviceSolver(dtype="float32")([task(1e-5)])
    np.testing.assert_array_equal(rough.x, single.x)


def test_an_interrupt_in_the_first_part_ends_both():
    solver = DeviceSolver(early_dtype="float32", watch_every=1)
    (result,) = solver([task(1e-14)], stop=lambda objective, h, evaluations: True)
    assert result.status is InnerStatus.INTERRUPTED
    assert result.evaluations == 1
