"""The host's side of the on-device solver: which fits run, in which arithmetic, and for how long.

`search` is the compiled part. Several fits of one shape run as one batch; nothing returns to the
host while a single fit runs, and of many only now and then: fits that have ended are then given
their next task, and a batch that has thinned out is laid anew without the fits that are through.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import jax
import numpy as np
from numpy.typing import NDArray

from chronodag.solve.compiled import call_compiled
from chronodag.solve.placement import copy_to_all, place, usable
from chronodag.solve.problem import After, InnerResult, Stop, Task, nothing_after
from chronodag.solve.search import Program, State, Walls, restart, search, unseen
from chronodag.solve.status import InnerStatus

_ROUGH = 1e-6  # a relative decrease this large is far above float32's rounding
_THIN = 8  # a batch is laid anew when only one fit in so many still runs


@dataclass(frozen=True)
class DeviceSolver:
    """Settings of the on-device solver."""

    memory: int = 10
    patience: int = 3
    """How many hardly useful steps in a row end a search."""
    max_evaluations: int = 30_000
    watch_every: int = 50
    """Turns between two looks at the caller's callback, or at a batch of several fits."""
    dtype: str = "float64"
    early_dtype: str | None = None
    """Arithmetic down to a relative decrease of _ROUGH; `dtype` then does the rest."""
    devices: tuple[Any, ...] = ()
    """JAX devices to share the rows of x out over; none = JAX's default."""

    def __call__(
        self, tasks: Sequence[Task], stop: Stop | None = None, after: After = nothing_after
    ) -> list[InnerResult]:
        """Carry out the tasks as one batch, and those that `after` answers their results with."""
        stages = _Stages(after)
        stages.waiting = dict(enumerate(tasks))
        if self.early_dtype is None or self.early_dtype == self.dtype:
            _Batch(self, self.dtype, stages.next_waiting(), stop).run(stages.ended)
        while stages.waiting:
            rough = _Batch(self, self.early_dtype, stages.next_waiting(), stop, _ROUGH)
            rough.run(stages.ended_rough)
            if stages.exact:
                _Batch(self, self.dtype, dict(stages.exact), stop).run(stages.ended_exact)
        return [stages.last[fit] for fit in range(len(tasks))]


class _Stages:
    """Which fits are in which arithmetic: rough first, then exact, then the next task."""

    def __init__(self, after: After) -> None:
        self.after = after
        self.last: dict[int, InnerResult] = {}
        self.rough: dict[int, InnerResult] = {}
        self.exact: dict[int, Task] = {}
        self.waiting: dict[int, Task] = {}

    def ended(self, fit: int, _: Task, result: InnerResult) -> Task | None:
        """A task is through: what comes next?"""
        before = self.rough.pop(fit, None)
        self.last[fit] = result if before is None else _both(before, result)
        return self.after(fit, self.last[fit])

    def ended_rough(self, fit: int, task: Task, result: InnerResult) -> Task | None:
        """A task got as far as the rough arithmetic goes; the rest of it waits, if there is any."""
        over = result.status is InnerStatus.INTERRUPTED
        if over or task.relative_decrease >= _ROUGH:
            return self.ended(fit, task, result)
        self.rough[fit], self.exact[fit] = result, replace(task, start=result.x)
        return None

    def ended_exact(self, fit: int, task: Task, result: InnerResult) -> Task | None:
        """A task is through; its next one starts rough again, so it waits."""
        following = self.ended(fit, task, result)
        if following is not None:
            self.waiting[fit] = following
        return None

    def next_waiting(self) -> dict[int, Task]:
        """Take the tasks that wait for the rough arithmetic."""
        waiting, self.waiting, self.exact = self.waiting, {}, {}
        return waiting


Ended = Callable[[int, Task, InnerResult], Task | None]


class _Batch:
    """Fits that run together in one arithmetic, on one set of devices."""

    def __init__(
        self,
        solver: DeviceSolver,
        dtype: str | None,
        tasks: dict[int, Task],
        stop: Stop | None,
        coarsest: float = 0.0,
    ) -> None:
        self.solver, self.dtype, self.stop = solver, str(dtype), stop
        self.coarsest = coarsest  # no task goes on below this relative decrease
        self.tasks = tasks
        self.slots = list(tasks)  # which fit stands at which place of the batch
        self.rows = next(iter(tasks.values())).start.shape[0]

    def run(self, ended: Ended) -> None:
        """Run every task, and what `ended` answers its result with, to the end."""
        with jax.enable_x64(True):
            x = np.stack([task.start for task in self.tasks.values()]).astype(self.dtype)
            state = self._settle_in(unseen(x, self.solver.memory))
            while True:
                state = self._search(state)
                interrupted = self._asked_to_stop(state)
                through = self._through(state, interrupted)
                if not through.any():
                    continue
                state = self._hand_out(state, through, interrupted, ended)
                if not self.tasks:
                    return

    def _settle_in(self, state: State) -> State:
        """Place the state, the data and the bounds of the fits in the slots on the devices."""
        solver, slots = self.solver, self.slots
        self.devices = usable(solver.devices or jax.devices()[:1], len(slots), self.rows)
        tasks = [self.tasks[fit] for fit in slots]
        data, axes = _stack([task.problem.data for task in tasks])
        problem = tasks[0].problem
        self.program = Program(
            problem.loss, problem.constraint, axes, solver.memory, solver.patience
        )
        self.data = copy_to_all(data, self.devices)
        self.walls = self._place_walls(_walls(tasks, self.dtype, self.coarsest))
        placed: State = place(state, self.devices, len(slots), self.rows)
        return placed

    def _place_walls(self, walls: Walls) -> Walls:
        placed: Walls = place(walls, self.devices, len(self.slots), self.rows)
        return placed

    def _move_walls(self, again: NDArray[np.bool_]) -> None:
        """Put the walls of the new tasks in place; those of λ1 never move."""
        slots = np.flatnonzero(again)
        fresh = _walls([self.tasks[self.slots[slot]] for slot in slots], self.dtype, self.coarsest)
        moved = {}
        for name in ("lower", "upper", "rho", "alpha", "tolerance"):
            old = np.array(getattr(self.walls, name))
            old[slots] = getattr(fresh, name)
            moved[name] = old
        self.walls = self._place_walls(self.walls._replace(**moved))

    def _search(self, state: State) -> State:
        solver = self.solver
        alone = len(self.slots) == 1 and self.stop is None
        turns = solver.max_evaluations if alone else min(solver.watch_every, solver.max_evaluations)
        limit = copy_to_all(np.int32(turns), self.devices)
        found: State = call_compiled(search, self.program, state, self.data, self.walls, limit)
        return found

    def _through(self, state: State, interrupted: bool) -> NDArray[np.bool_]:
        """Which slots hold a task that has just ended."""
        done, evaluations = jax.device_get((state.done, state.evaluations))
        ends = done.all(axis=1) | (evaluations >= self.solver.max_evaluations) | interrupted
        return np.array([fit in self.tasks for fit in self.slots]) & ends

    def _hand_out(
        self, state: State, through: NDArray[np.bool_], interrupted: bool, ended: Ended
    ) -> State:
        """Report what has ended; give those fits their next task, or take them out."""
        x = np.array(state.point.x)
        again = np.zeros(len(self.slots), bool)
        for slot, result in _results(self._slot_tasks(), state, through, interrupted):
            fit = self.slots[slot]
            following = ended(fit, self.tasks[fit], result)
            if following is None:
                del self.tasks[fit]
            else:
                self.tasks[fit], x[slot], again[slot] = following, following.start, True
        if not self.tasks:
            return state
        if len(self.slots) > 1 and _THIN * len(self.tasks) <= len(self.slots):
            return self._close_ranks(_begin_anew(self, state, x, again))
        if again.any():
            state = _begin_anew(self, state, x, again)
            self._move_walls(again)
        return state

    def _slot_tasks(self) -> list[Task]:
        """The task of every slot; a fit that is through is given another's, and stays done."""
        some = next(iter(self.tasks.values()))
        return [self.tasks.get(fit, some) for fit in self.slots]

    def _close_ranks(self, state: State) -> State:
        """Lay the batch anew without the fits that are through."""
        fits = len(self.slots)
        kept = [slot for slot, fit in enumerate(self.slots) if fit in self.tasks]
        self.slots = [self.slots[slot] for slot in kept]

        def choose(leaf: Any) -> Any:
            array = np.asarray(leaf)
            if array.ndim == 0:
                return array
            return array.reshape(fits, -1, *array.shape[1:])[kept].reshape(-1, *array.shape[1:])

        return self._settle_in(jax.tree.map(choose, state))

    def _asked_to_stop(self, state: State) -> bool:
        if self.stop is None:
            return False
        slot = next(slot for slot, fit in enumerate(self.slots) if fit in self.tasks)
        value, h, evaluations = jax.device_get(
            (state.point.value[slot], state.point.h[slot], state.evaluations[slot])
        )
        if bool(np.all(np.asarray(state.done)[slot])):
            return False
        return self.stop(float(value.sum()), float(h), int(evaluations))


def _begin_anew(batch: _Batch, state: State, x: NDArray[Any], again: NDArray[np.bool_]) -> State:
    fits = len(batch.slots)
    x, marks = place((x, again), batch.devices, fits, batch.rows)
    begun: State = call_compiled(restart, batch.solver.memory, state, x, marks)
    return begun


def _both(first: InnerResult, last: InnerResult) -> InnerResult:
    """The last result, with the work of both."""
    return replace(
        last,
        iterations=first.iterations + last.iterations,
        evaluations=first.evaluations + last.evaluations,
    )


def _stack(data: Sequence[Any]) -> tuple[Any, tuple[int | None, ...]]:
    """Stack the arrays that differ between fits; one array that all have in common is shared."""
    structure = jax.tree.structure(data[0])
    columns = list(zip(*(jax.tree.leaves(one) for one in data), strict=True))
    shared = [all(leaf is column[0] for leaf in column) for column in columns]
    leaves = [c[0] if one else np.stack(c) for c, one in zip(columns, shared, strict=True)]
    return jax.tree.unflatten(structure, leaves), tuple(None if one else 0 for one in shared)


def _walls(tasks: Sequence[Task], dtype: str, coarsest: float) -> Walls:
    def stack(name: str) -> NDArray[Any]:
        return np.stack([getattr(task.problem, name) for task in tasks]).astype(dtype)

    return Walls(
        stack("l1"),
        stack("lower"),
        stack("upper"),
        np.array([task.multipliers.rho for task in tasks], np.float64),
        np.array([task.multipliers.alpha for task in tasks], np.float64),
        np.array([max(task.relative_decrease, coarsest) for task in tasks], np.float64),
    )


def _results(
    tasks: Sequence[Task], state: State, wanted: NDArray[np.bool_], interrupted: bool
) -> list[tuple[int, InnerResult]]:
    """Return slot and result of the wanted slots."""
    x, value, h = jax.device_get((state.point.x, state.point.value, state.point.h))
    counts = jax.device_get((state.done, state.failed, state.iterations, state.evaluations))
    done, failed, iterations, evaluations = counts
    results = []
    for slot in map(int, np.flatnonzero(wanted)):
        status = _status(done[slot], failed[slot], interrupted)
        result = InnerResult(
            # back from float32, a variable may sit a rounding error outside its bounds
            x=tasks[slot].problem.clip(x[slot].astype(np.float64)),
            objective=float(value[slot].sum()),
            h=float(h[slot]),
            iterations=int(iterations[slot].max()),
            evaluations=int(evaluations[slot]),
            status=status,
            message=status.value,
        )
        results.append((slot, result))
    return results


def _status(done: NDArray[np.bool_], failed: NDArray[np.bool_], interrupted: bool) -> InnerStatus:
    if done.all():
        return InnerStatus.LINE_SEARCH_FAILED if failed.any() else InnerStatus.CONVERGED
    return InnerStatus.INTERRUPTED if interrupted else InnerStatus.ITERATIONS_USED_UP
