"""Undirected lag-0 edges: scored favourably or strictly, by giving each of them a direction.

A method that finds an equivalence class leaves some lag-0 edges undirected. Each is one claim. It
is turned into one arrow, favourably the better of the two and strictly the worse, and then counted
like any other: favourably, it is right if either direction is true (as NOTEARS and NTS-NOTEARS
count); strictly, it is right only if both are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chronodag.errors import GraphError

Adjacency = NDArray[np.bool_]


def checked_undirected(undirected: ArrayLike, estimated: Adjacency) -> Adjacency:
    """Return the undirected marks of lag 0, [source, target], or say what is wrong with them."""
    marks = np.asarray(undirected)
    if marks.shape != estimated.shape or not np.isin(marks, (0, 1)).all():
        raise GraphError(
            f"undirected has shape {marks.shape}; expected an array of 0 and 1 of the estimate's "
            f"own shape, {estimated.shape} = [lag, source, target]."
        )
    marks = marks.astype(bool)
    if marks[1:].any():
        raise GraphError("undirected marks edges at lag 1 or later; expected marks at lag 0 only.")
    lag_0 = np.asarray(marks[0])
    if (lag_0 != lag_0.T).any() or lag_0.diagonal().any():
        raise GraphError(
            "undirected is not symmetric at lag 0, or marks a variable with itself; expected each "
            "undirected edge marked both ways. Try marks | marks.transpose(0, 2, 1)."
        )
    if (lag_0 & (estimated[0] | estimated[0].T)).any():
        raise GraphError(
            "undirected marks a pair that the estimate already joins by an arrow at lag 0; "
            "expected one or the other. Take the pair out of either."
        )
    return lag_0


def directed(
    true: Adjacency, estimated: Adjacency, undirected: Adjacency, favourable: bool
) -> Adjacency:
    """Return the estimate [lag, source, target] with each undirected pair as one arrow.

    Truth at lag 0 decides. Between equals it is what the arrow does to the summary graph (any lag):
    adding a true edge is better than adding none, and that is better than adding a false one.
    """
    in_summary = np.where(true.any(axis=0), 1, -1) * ~estimated.any(axis=0)
    merit = 4 * true[0] + in_summary
    if not favourable:
        merit = -merit
    first = np.triu(undirected & (merit >= merit.T), 1)
    second = np.tril(undirected & (merit > merit.T), -1)
    result = estimated.copy()
    result[0] |= first | second
    return result
