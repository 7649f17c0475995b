"""Better orders at lag 0, by turning one edge at a time and comparing the evidence.

A local model of target j is a set of inputs and the θ that fits them best. An order is as good as
the sum of its local models. To turn i → j round, j moves ahead of i, or i behind j: j loses i as
an input, i may take j, and what stood between them may change sides. Only the models of those
variables change, so a move costs a few local fits, and each is kept in case it is asked for again.
"""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chronodag.evidence.experts import Experts
from chronodag.evidence.watch import Watch

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
Inputs = frozenset[int]
Key = tuple[int, Inputs]  # target, inputs
Edge = tuple[int, int]  # source, target, at lag 0
Order = tuple[int, ...]  # from causes to effects

GAIN = 1.0
"""Nats that a move must win; less is within the tolerance of the local fits."""
_RELEVANT = 0.02  # a root below this plays no part
_TOLERANCE, _STEPS = 1e-4, 40


@dataclass(frozen=True, eq=False)
class Model:
    """The best θ of a target with some inputs, as a full row, and its penalised −log evidence."""

    loss: float
    theta: FloatArray
    inputs: Inputs


@dataclass(frozen=True)
class Move:
    """One way to turn an edge round: the models that it needs."""

    edge: Edge
    ahead: bool  # the target moves ahead of the source, or else the source behind the target
    keys: tuple[Key, ...]

    def applied(self, order: Order) -> Order:
        """Return the order after the move."""
        source, target = self.edge
        moving, anchor = (target, source) if self.ahead else (source, target)
        rest = [node for node in order if node != moving]
        rest.insert(rest.index(anchor) + (0 if self.ahead else 1), moving)
        return tuple(rest)


class OrderSearch:
    """The current order and its models, and all models fitted so far."""

    def __init__(
        self,
        experts: Experts,
        allowed: BoolArray,
        required: BoolArray,
        pool: Executor,
        watch: Watch,
        most_fits: int | None = None,
    ) -> None:
        self.most_fits = most_fits
        self.experts, self.pool, self.watch = experts, pool, watch
        self.allowed, self.required = allowed, required  # [source, target] at lag 0
        self.models: dict[int, Model] = {}
        self.order: Order = ()
        self.turning: dict[Edge, float] = {}  # nats that the order falls behind with it turned
        self.moves = 0
        self.complete = False
        self._known: dict[Key, Model] = {}

    def start(self, theta: FloatArray, order: Iterable[int]) -> None:
        """Fit the local models of an order, from rows of θ."""
        self.order = tuple(order)
        place = self._places(self.order)
        starts = {}
        for target, row in enumerate(theta):
            late = {node for node in place if place[node] >= place[target]}
            starts[target, self._relevant(row) - late] = row
        self._fit(starts)
        # Stopped in the midst, what was not fitted stays as the first order left it.
        self.models = {
            key[0]: self._known.get(key) or Model(0.0, row, key[1]) for key, row in starts.items()
        }

    def improve(self, sweeps: int) -> None:
        """Make moves that win evidence, until none does, or fits or sweeps are used up."""
        for _ in range(sweeps):
            scored = self._scored_moves()
            if scored is None:
                return
            if not self._apply(scored):
                self.complete = True
                return

    def _scored_moves(self) -> list[tuple[float, Move]] | None:
        """Return all moves with what each would change, best first; None if the search ends."""
        d = self.experts.dimension
        edges = [(i, j) for j, model in self.models.items() for i in model.inputs if i < d]
        taken = {
            (i, j): (i, self.models[i].inputs | {j})
            for i, j in sorted(edges)
            if self.allowed[j, i] and not self.required[i, j]
        }
        if not self._fit_from_current(taken.values()):
            return None
        won = {edge: self.models[edge[0]].loss - self._known[taken[edge]].loss for edge in taken}
        # What the target loses is at least 0: where the source wins nothing, no turn can.
        moves = [move for edge in taken if won[edge] >= GAIN for move in self._ways(*edge)]
        if not self._fit_from_current(key for move in moves for key in move.keys):
            return None
        scored = [(self._change(move), move) for move in moves]
        self.turning = dict.fromkeys(edges, np.inf)
        for change, move in scored:
            self.turning[move.edge] = min(self.turning[move.edge], change)
        return sorted(scored, key=lambda pair: pair[0])

    def _ways(self, i: int, j: int) -> list[Move]:
        place, models = self._places(self.order), self.models
        between = self.order[place[i] + 1 : place[j]]
        passed = [b for b in between if b in models[j].inputs]  # j moves ahead of these too
        met = [b for b in between if i in models[b].inputs]  # i moves behind these too
        keys = [(j, models[j].inputs - {i, *passed}), (i, models[i].inputs | {j})]
        keys += [(b, models[b].inputs | {j}) for b in passed if self.allowed[j, b]]
        ways = [Move((i, j), True, tuple(keys))]
        if passed or met:
            gained = {j} | {b for b in met if self.allowed[b, i]}
            keys = [(j, models[j].inputs - {i}), (i, models[i].inputs | gained)]
            keys += [(b, models[b].inputs - {i}) for b in met]
            ways.append(Move((i, j), False, tuple(keys)))
        return [way for way in ways if self._keeps_rules(way.applied(self.order))]

    def _change(self, move: Move) -> float:
        return sum(self._known[key].loss - self.models[key[0]].loss for key in move.keys)

    def _apply(self, scored: list[tuple[float, Move]]) -> int:
        """Make the best move, and further ones that touch other variables; return how many."""
        touched: set[int] = set()
        made = 0
        for change, move in scored:
            changed = {target for target, _ in move.keys}
            if change > -GAIN or touched & changed:
                continue
            order = move.applied(self.order)
            models = self.models | {key[0]: self._known[key] for key in move.keys}
            if self._keeps_rules(order) and self._in_order(order, models):
                self.order, self.models = order, models
                touched |= changed
                made += 1
        self.moves += made
        return made

    def _keeps_rules(self, order: Order) -> bool:
        place = self._places(order)
        return all(place[int(i)] < place[int(j)] for i, j in np.argwhere(self.required))

    def _in_order(self, order: Order, models: dict[int, Model]) -> bool:
        place, d = self._places(order), self.experts.dimension
        return all(
            place[source] < place[target]
            for target, model in models.items()
            for source in model.inputs
            if source < d
        )

    def _fit_from_current(self, keys: Iterable[Key]) -> bool:
        """Fit models from the targets' present θ; False if that would be too many, or on a stop."""
        return self._fit({key: self.models[key[0]].theta for key in keys})

    def _fit(self, starts: dict[Key, FloatArray]) -> bool:
        def fitted(key: Key) -> Model | None:
            return None if self.watch.stopped else self._model(key, starts[key])

        missing = [key for key in starts if key not in self._known]
        most = np.inf if self.most_fits is None or not self.models else self.most_fits
        if len(self._known) + len(missing) > most:
            return False
        complete = True
        for key, model in zip(missing, self.pool.map(fitted, missing), strict=True):
            if model is None:
                complete = False
            else:
                self._known[key] = model
            self.watch.tell("a better order", self.loss)
        return complete

    def turning_of_all(self) -> FloatArray:
        """Return `[source, target]` what turning each edge costs; infinite where none is."""
        d = self.experts.dimension
        costs = np.full((d, d), np.inf)
        for edge, behind in self.turning.items():
            costs[edge] = behind
        return costs

    @property
    def loss(self) -> float:
        """The penalised −log evidence of all current models."""
        models = self.models or {target: model for (target, _), model in self._known.items()}
        return sum(model.loss for model in models.values())

    def _model(self, key: Key, row: FloatArray) -> Model:
        target, inputs = key
        columns = np.array(sorted(inputs), dtype=np.int64)
        places = self.experts.places(columns)
        start = row[places].copy()
        p = len(columns)
        new = np.maximum(start[:p], start[p : 2 * p]) <= 0.0
        start[:p][new], start[p : 2 * p][new] = 0.15, 0.3
        if new.any():
            start[2 * p] = max(start[2 * p], -2.0)  # a curve that had died out may come back
        loss, local = self.experts.minimise(target, columns, start, _TOLERANCE, _STEPS)
        theta = np.zeros_like(row)
        theta[places] = local
        return Model(loss, theta, self._relevant(theta) & inputs)

    def _relevant(self, row: FloatArray) -> Inputs:
        width = self.experts.width
        roots = np.maximum(row[:width], row[width : 2 * width])
        return frozenset(np.flatnonzero(roots > _RELEVANT).tolist())

    @staticmethod
    def _places(order: Order) -> dict[int, int]:
        return {node: place for place, node in enumerate(order)}
