"""How much of a graph's direction can be read off the columns' spread alone."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chronodag.errors import DataError
from chronodag.graph import TemporalGraph
from chronodag.simulate.common import FloatArray


@dataclass(frozen=True)
class Sortability:
    """Shares of edges whose effect exceeds its cause; 0.5 says nothing, 1 gives directions away.

    Self-loops are left out, a tie counts one half, and a share over no edges is nan.

    Attributes:
        variance: By variance, over the lag-0 edges.
        variance_window: By variance, over the edges at every lag.
        r2: By R² (of a variable regressed linearly on all others of its row), lag-0 edges.
        r2_window: By R², over the edges at every lag.
    """

    variance: float
    variance_window: float
    r2: float
    r2_window: float


def sortability(data: ArrayLike, graph: TemporalGraph) -> Sortability:
    """Measure how well sorting the variables by variance or by R² orders the graph's edges.

    Variance sortability disappears when the columns are standardised; R² sortability does not.
    """
    values = np.asarray(data, dtype=np.float64)
    d = len(graph.names)
    if values.ndim != 2 or values.shape[1] != d or values.shape[0] < 2:
        raise DataError(
            f"data has shape {values.shape}; expected (T, {d}) with T of 2 or more, one column per "
            "variable of the graph. Pass one series with the graph's own columns."
        )
    if not np.isfinite(values).all():
        raise DataError(
            "data holds nan or infinite values; expected finite numbers. Drop those rows first."
        )
    cross = ~np.eye(d, dtype=np.bool_)
    at_lag_0 = graph.adjacency[0] & cross
    window = graph.adjacency & cross
    variance, r2 = values.var(axis=0), _r2(values)
    return Sortability(
        variance=_share_increasing(variance, at_lag_0[None]),
        variance_window=_share_increasing(variance, window),
        r2=_share_increasing(r2, at_lag_0[None]),
        r2_window=_share_increasing(r2, window),
    )


def _share_increasing(criterion: FloatArray, adjacency: NDArray[np.bool_]) -> float:
    _, sources, targets = np.nonzero(adjacency)
    if not sources.size:
        return float("nan")
    cause, effect = criterion[sources], criterion[targets]
    tied = np.isclose(cause, effect, rtol=1e-9, atol=0.0)
    return float(np.where(tied, 0.5, effect > cause).mean())


def _r2(values: FloatArray) -> FloatArray:
    """R² of every column on the others; a constant column has 0."""
    centred = values - values.mean(axis=0)
    spread = centred.std(axis=0)
    scaled = centred / np.where(spread > 0, spread, 1.0)
    correlation = scaled.T @ scaled / len(scaled)
    return np.array([_r2_of(correlation, j) for j in range(values.shape[1])])


def _r2_of(correlation: FloatArray, column: int) -> float:
    others = np.arange(len(correlation)) != column
    with_column = correlation[others, column]
    # Least squares, not an inverse: columns may repeat each other exactly.
    weights = np.linalg.lstsq(correlation[np.ix_(others, others)], with_column, rcond=None)[0]
    return float(np.clip(with_column @ weights, 0.0, 1.0))
