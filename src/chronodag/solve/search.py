"""The compiled part of the device solver: one loop, one turn, one evaluation of all rows.

The variables keep their signs within a step: each step is a quasi-Newton step projected on the
orthant that steepest descent points into (Andrew & Gao 2007) and on the bounds. The rows of x
share nothing but the constraint, so each row has its own curvature (its own inverse Hessian),
its own step length, and without a constraint stops on its own. The constraint couples them
weakly: a row accepts its step by its own loss plus the linearised coupling, and the accepted
rows together must then lower the true augmented objective.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from chronodag.solve.history import History, empty, remember, times_gradient
from chronodag.solve.problem import AnyArray, Constraint, Loss

_SUFFICIENT = 1e-4  # Armijo's share of the promised decrease
_MOST_CUTS = 30  # cuts of a step before a row gives up


class Walls(NamedTuple):
    """What stays fixed during a solve: `[fit, row, variable]`, or `[fit]`."""

    l1: AnyArray
    lower: AnyArray
    upper: AnyArray
    rho: AnyArray
    alpha: AnyArray
    tolerance: AnyArray


class Point(NamedTuple):
    """x and what is known there."""

    x: AnyArray  # [fit, row, variable]
    value: AnyArray  # loss + L1 [fit, row]
    gradient: AnyArray  # of the loss alone, as x
    h: AnyArray  # [fit]
    coupling: AnyArray  # gradient of ρ/2 h² + α h, as x


class State(NamedTuple):
    """Where the search stands."""

    point: Point
    direction: AnyArray
    step: AnyArray  # step length [fit, row]
    history: History
    slow: AnyArray  # accepted steps in a row that hardly lowered the objective [fit, row]
    cuts: AnyArray  # step cuts in a row [fit, row]
    done: AnyArray  # [fit, row]
    failed: AnyArray  # [fit, row]
    iterations: AnyArray  # accepted steps [fit, row]
    evaluations: AnyArray  # while the fit was not done [fit]
    turns: AnyArray  # of the loop since it was last entered


@dataclass(frozen=True)
class Program:
    """The static part of a solve: what is compiled once and shared."""

    loss: Loss
    constraint: Constraint | None
    axes: tuple[int | None, ...]  # per leaf of the data: stacked over fits, or shared
    memory: int
    patience: int


def unseen(x: AnyArray, memory: int, xp: Any = np) -> State:
    """The state before the first evaluation: the first turn only looks at x.

    `xp` is NumPy on the host and JAX's NumPy within compiled code.
    """
    fits, rows, variables = x.shape
    nothing = xp.zeros(x.shape, x.dtype)
    count = xp.zeros((fits, rows), np.int32)
    start = Point(x, xp.full((fits, rows), np.inf), nothing, xp.zeros(fits), nothing)
    return State(
        point=start,
        direction=nothing,
        step=xp.ones((fits, rows), x.dtype),
        history=empty(fits * rows, variables, memory, x.dtype, xp),
        slow=count,
        cuts=count,
        done=count > 0,
        failed=count > 0,
        iterations=count - 1,
        evaluations=xp.zeros(fits, np.int32),
        turns=xp.zeros((), np.int32),
    )


def _per_fit(function: Callable[..., Any], axes: Any, *arguments: Any) -> Any:
    """Map over fits; a single fit runs as the plain program, which compiles to faster code."""
    if arguments[0].shape[0] > 1:
        return jax.vmap(function, in_axes=axes)(*arguments)
    plain = [
        jax.tree.map(lambda leaf: leaf[0], argument) if axis == 0 else argument
        for argument, axis in zip(arguments, axes, strict=True)
    ]
    return jax.tree.map(lambda leaf: leaf[None], function(*plain))


def _losses(program: Program, x: Array, data: Any, walls: Walls) -> tuple[Array, Array]:
    """Loss + L1 per row, and the gradient of the loss."""
    structure = jax.tree.structure(data)

    def one(x: Array, *leaves: Array) -> tuple[Array, Array]:
        return program.loss(x, jax.tree.unflatten(structure, leaves))

    axes = (0, *program.axes)
    losses, gradient = _per_fit(one, axes, x, *jax.tree.leaves(data))
    return losses + jnp.sum((walls.l1 * jnp.abs(x)).astype(jnp.float64), axis=2), gradient


def _coupling(program: Program, x: Array, walls: Walls) -> tuple[Array, Array]:
    """Return h per fit and the gradient of ρ/2 h² + α h."""
    if program.constraint is None:
        return jnp.zeros(x.shape[0]), jnp.zeros_like(x)
    h, slope = _per_fit(program.constraint, (0,), x)
    pull: Array = (walls.rho * h + walls.alpha).astype(x.dtype)
    coupling: Array = pull[:, None, None] * slope
    return h, coupling


def _penalty(h: Array, walls: Walls) -> Array:
    return 0.5 * walls.rho * h * h + walls.alpha * h


def _pseudo_gradient(point: Point, walls: Walls) -> Array:
    """Steepest ascent of the whole objective with its L1 term; zero where a bound blocks."""
    x, gradient = point.x, point.gradient + point.coupling
    right, left = gradient + walls.l1, gradient - walls.l1
    at_zero = jnp.where(right < 0, right, jnp.where(left > 0, left, 0.0))
    slope = jnp.where(x > 0, right, jnp.where(x < 0, left, at_zero))
    blocked = ((x <= walls.lower) & (slope > 0)) | ((x >= walls.upper) & (slope < 0))
    return jnp.where(blocked, 0.0, slope)


def _dot(a: Array, b: Array) -> Array:
    """Inner product per row, summed in float64."""
    return jnp.sum((a * b).astype(jnp.float64), axis=2)


def _coupled(walls: Walls) -> Array:
    """Which fits feel the constraint: their rows live and stop together. `[fit, 1]`"""
    return ((walls.rho > 0) | (walls.alpha > 0))[:, None]


def _flat(pseudo: Array, walls: Walls) -> Array:
    """Where there is nothing left to descend."""
    flat = jnp.max(jnp.abs(pseudo), axis=2) <= (1e-9 if pseudo.dtype == jnp.float64 else 1e-7)
    return jnp.where(_coupled(walls), jnp.all(flat, axis=1, keepdims=True), flat)


@partial(jax.jit, static_argnums=0, donate_argnums=1)
def restart(memory: int, state: State, x: Array, fits: Array) -> State:
    """Begin anew at x for the `fits` marked; the others stay where they are."""
    fresh = unseen(x, memory, jnp)

    def choose(new: Any, old: Array) -> Array:
        if jnp.ndim(old) == 0:
            return old
        marked = jnp.repeat(fits, old.shape[0] // fits.shape[0])
        chosen: Array = jnp.where(marked.reshape(-1, *(1,) * (old.ndim - 1)), new, old)
        return chosen

    answer: State = jax.tree.map(choose, fresh, state)
    return answer


@partial(jax.jit, static_argnums=0, donate_argnums=1)
def search(program: Program, state: State, data: Any, walls: Walls, limit: Array) -> State:
    """Take turns until every row is done or `limit` turns are taken."""

    def unfinished(state: State) -> Array:
        return ~jnp.all(state.done) & (state.turns < limit)

    def turn(state: State) -> State:
        pseudo = _pseudo_gradient(state.point, walls)
        x = _trial(state, pseudo, walls)
        trial = Point(x, *_losses(program, x, data, walls), state.point.h, state.point.coupling)
        slope = _dot(pseudo, x - state.point.x)
        accepted, point = _choose(program, state, trial, slope, walls)
        return _advance(program.patience, state, point, accepted, trial, slope, walls)

    return jax.lax.while_loop(unfinished, turn, state._replace(turns=jnp.zeros_like(state.turns)))


def _trial(state: State, pseudo: Array, walls: Walls) -> Array:
    """Step along the direction, stopping each penalised variable at zero and at its bounds."""
    x = state.point.x
    step = jnp.where(state.done, 0.0, state.step)[:, :, None]
    moved = x + step * state.direction
    orthant = jnp.where(x != 0, jnp.sign(x), -jnp.sign(pseudo))
    crossed = (walls.l1 > 0) & (moved * orthant <= 0)
    return jnp.clip(jnp.where(crossed, 0.0, moved), walls.lower, walls.upper)


def _choose(
    program: Program, state: State, trial: Point, slope: Array, walls: Walls
) -> tuple[Array, Point]:
    """Take the rows whose step pays, if together they lower the augmented objective."""
    old = state.point
    gain = trial.value - old.value
    if program.constraint is None:
        accepted = (gain <= _SUFFICIENT * slope) & ~state.done
        return accepted, _mix(accepted, trial, old)
    linear = _dot(old.coupling, trial.x - old.x)
    paying = (gain + linear <= _SUFFICIENT * slope) & ~state.done
    mixed = _mix(paying, trial, old)
    h, coupling = _coupling(program, mixed.x, walls)
    total = jnp.sum(mixed.value - old.value, axis=1) + _penalty(h, walls) - _penalty(old.h, walls)
    promised = jnp.sum(jnp.where(paying, slope, 0.0), axis=1)
    together = (total <= _SUFFICIENT * promised) | ~_coupled(walls)[:, 0]
    accepted = paying & together[:, None]
    point = _mix(accepted, mixed, old)
    return accepted, point._replace(
        h=jnp.where(together, h, old.h),
        coupling=jnp.where(together[:, None, None], coupling, old.coupling),
    )


def _mix(accepted: Array, new: Point, old: Point) -> Point:
    wide = accepted[:, :, None]
    return old._replace(
        x=jnp.where(wide, new.x, old.x),
        value=jnp.where(accepted, new.value, old.value),
        gradient=jnp.where(wide, new.gradient, old.gradient),
    )


def _advance(
    patience: int,
    state: State,
    point: Point,
    accepted: Array,
    trial: Point,
    slope: Array,
    walls: Walls,
) -> State:
    """Learn the curvature of the accepted steps, and aim anew."""
    old = state.point
    history, pseudo = _learn(state, point, accepted), _pseudo_gradient(point, walls)
    wide = accepted[:, :, None]
    direction = jnp.where(wide, _aim(history, point.x, pseudo, walls), state.direction)
    cuts = jnp.where(accepted | state.done, 0, state.cuts + 1)
    slow = _count_slow(state, point, accepted, walls)
    stuck = cuts > _MOST_CUTS
    # What the whole step would promise: below rounding, the row is done rather than failed.
    promise = -slope / jnp.maximum(state.step, 1e-300)
    rounding = 1e-12 if point.x.dtype == jnp.float64 else 1e-6
    hopeless = stuck & (promise > rounding * jnp.maximum(jnp.abs(old.value), 1.0))
    done = state.done | (slow >= patience) | stuck | _flat(pseudo, walls)
    return State(
        point=point,
        direction=direction,
        step=jnp.where(accepted, _first_length(history, direction), _cut(state, trial, slope)),
        history=history,
        slow=slow,
        cuts=cuts,
        done=done,
        failed=state.failed | hopeless | (done & ~jnp.isfinite(point.value)),
        iterations=state.iterations + accepted,
        evaluations=state.evaluations + ~jnp.all(state.done, axis=1),
        turns=state.turns + 1,
    )


def _learn(state: State, point: Point, accepted: Array) -> History:
    old = state.point
    size = point.x.shape[-1]
    step = (point.x - old.x).reshape(-1, size)
    gradients = (point.gradient + point.coupling) - (old.gradient + old.coupling)
    change = gradients.reshape(-1, size)
    curvature = jnp.sum(step * change, axis=1)
    lengths = jnp.sqrt(jnp.sum(step * step, axis=1) * jnp.sum(change * change, axis=1))
    usable = accepted.reshape(-1) & (curvature > 1e-8 * lengths) & (lengths > 0)
    learned: History = jax.lax.cond(
        jnp.any(usable), remember, lambda history, *_: history, state.history, step, change, usable
    )
    return learned


def _aim(history: History, x: Array, pseudo: Array, walls: Walls) -> Array:
    """The quasi-Newton direction, kept to where steepest descent allows a move."""
    newton = -times_gradient(history, pseudo.reshape(-1, x.shape[-1])).reshape(x.shape)
    resting = (pseudo == 0) & ((x == 0) & (walls.l1 > 0) | (x <= walls.lower) | (x >= walls.upper))
    leaving = (x == 0) & (walls.l1 > 0) & (newton * pseudo >= 0)
    direction = jnp.where(resting | leaving, 0.0, newton)
    downhill = _dot(direction, pseudo) < 0
    fallback = -history.scale.reshape(*x.shape[:2], 1) * pseudo
    return jnp.where(downhill[:, :, None], direction, fallback)


def _first_length(history: History, direction: Array) -> Array:
    """One; but a row that knows no curvature yet moves by a length of one at most."""
    known = jnp.any(history.valid, axis=1).reshape(direction.shape[:2])
    length = jnp.sqrt(_dot(direction, direction))
    short = jnp.minimum(1.0, 1.0 / jnp.maximum(length, 1e-30))
    return jnp.where(known, 1.0, short).astype(direction.dtype)


def _cut(state: State, trial: Point, slope: Array) -> Array:
    """Shorten a refused step to the minimum of the parabola through what is known."""
    gain = trial.value - state.point.value
    bend = gain - slope
    best = jnp.where(bend > 0, -0.5 * slope / jnp.where(bend > 0, bend, 1.0), 0.5)
    share = jnp.clip(jnp.where(jnp.isfinite(best), best, 0.1), 0.1, 0.5)
    return (state.step * share).astype(state.step.dtype)


def _count_slow(state: State, point: Point, accepted: Array, walls: Walls) -> Array:
    """Count accepted steps in a row that lower the objective by less than the tolerance."""
    old = state.point
    total = jnp.sum(point.value, axis=1, keepdims=True)
    least = walls.tolerance[:, None] * jnp.maximum(jnp.abs(total), 1.0)
    decrease = old.value - point.value
    alone = decrease * point.value.shape[1] <= least
    penalty = _penalty(old.h, walls) - _penalty(point.h, walls)
    together = (jnp.sum(decrease, axis=1) + penalty)[:, None] <= least
    coupled = _coupled(walls)
    slow = jnp.where(coupled, together, alone)
    moved = jnp.where(coupled, jnp.any(accepted, axis=1, keepdims=True), accepted)
    return jnp.where(moved, jnp.where(slow, state.slow + 1, 0), state.slow)
