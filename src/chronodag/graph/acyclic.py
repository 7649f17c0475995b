"""Acyclicity of a drawn lag-0 graph (lagged edges cannot close a cycle)."""

import numpy as np
from numpy.typing import NDArray

Adjacency = NDArray[np.bool_]


def topological_order(adjacency: Adjacency) -> list[int] | None:
    """Return the nodes of a `[source, target]` graph, causes first; None if it has a cycle."""
    open_parents = adjacency.sum(axis=0).astype(int)
    ready = [int(node) for node in np.flatnonzero(open_parents == 0)]
    order = []
    while ready:
        node = ready.pop(0)
        order.append(node)
        for child in np.flatnonzero(adjacency[node]):
            open_parents[child] -= 1
            if open_parents[child] == 0:
                ready.append(int(child))
    return order if len(order) == len(adjacency) else None


def find_cycle(adjacency: Adjacency) -> list[int] | None:
    """Return the nodes of one directed cycle in order (first node not repeated), or None."""
    remaining = adjacency.copy()
    # A node without parents among the remaining ones lies on no cycle.
    while True:
        alive: Adjacency = np.asarray(remaining.any(axis=0))
        trimmed = remaining & alive[:, None]
        if (trimmed == remaining).all():
            break
        remaining = trimmed
    if not remaining.any():
        return None
    # Walking from child to any parent must come back to a node already seen.
    node, path = int(np.flatnonzero(remaining.any(axis=0))[0]), list[int]()
    while node not in path:
        path.append(node)
        node = int(np.flatnonzero(remaining[:, node])[0])
    return path[path.index(node) :][::-1]


def break_cycles(
    strengths: NDArray[np.float64], adjacency: Adjacency, keep: Adjacency
) -> Adjacency:
    """Drop the weakest edges of a `[source, target]` graph that stand in the way of acyclicity.

    Edges are taken in from the strongest to the weakest, those of `keep` before all others; one
    that would close a cycle with edges already taken is left out. So an edge is only lost to
    stronger ones, and no edge could be put back. `keep` must itself be acyclic.
    """
    if topological_order(adjacency) is not None:
        return adjacency.copy()
    size = len(adjacency)
    taken = np.zeros_like(adjacency)
    reaches = np.eye(size, dtype=bool)  # [from, to] over the edges taken so far
    sources, targets = np.nonzero(adjacency)
    first = np.lexsort((-strengths[sources, targets], ~keep[sources, targets]))
    for source, target in zip(sources[first], targets[first], strict=True):
        if reaches[target, source]:
            continue
        taken[source, target] = True
        reaches |= np.outer(reaches[:, source], reaches[target])
    return taken
