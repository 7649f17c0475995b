"""VAR-LiNGAM (Hyvärinen et al., 2010): a vector autoregression with non-Gaussian noise.

The residuals of the autoregression follow a linear acyclic model, whose causal order DirectLiNGAM
(Shimizu et al., 2011) finds by the pairwise measure of Hyvärinen & Smith (2013). Regressing each
variable on its predecessors of lag 0 and on all lags then gives B0 and the (I − B0) A_k at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from chronodag.data import Panel
from chronodag.knowledge import PriorKnowledge
from chronodag.rivals.base import Capabilities, Learned, check
from chronodag.rivals.design import FloatArray, as_cells, lagged_table
from chronodag.rivals.regression import least_squares, regress_in_order, require_rows

# Maximum-entropy approximation of the entropy (Hyvärinen, 1998).
_K1, _K2, _GAMMA = 79.047, 7.4129, 0.37457


@dataclass(frozen=True)
class VarLingam:
    """VAR-LiNGAM on the data as it comes; strengths are |weights| before pruning.

    An adaptive lasso, its penalty chosen by BIC, prunes the edges.
    """

    name: ClassVar[str] = "var-lingam"
    capabilities: ClassVar[Capabilities] = Capabilities(
        nonlinear=False,
        lagged=True,
        lag0=True,
        acyclic=True,
        knowledge=False,
        many_series=True,
        discrete=False,
    )
    lags: int = 1

    def fit(self, panel: Panel, knowledge: PriorKnowledge | None = None) -> Learned:
        """Find the causal order of the residuals, then regress along it."""
        check(self, panel, knowledge)
        table = lagged_table(panel, self.lags)
        require_rows(table, self.name)
        d = panel.dimension
        now, past = table[:, :d], table[:, d:]
        centred = now - now.mean(axis=0)
        residuals = centred - (past - past.mean(axis=0)) @ least_squares(past, now)
        order = causal_order(residuals)
        weights, kept = regress_in_order(table, order, self.lags)
        path = ", ".join(panel.names[index] for index in order)
        return Learned(
            panel.names,
            np.abs(as_cells(weights, self.lags)),
            as_cells(kept, self.lags),
            message=f"causal order at lag 0: {path}",
        )


def causal_order(rows: FloatArray) -> list[int]:
    """Return the columns, causes first: again and again the one most independent of the rest."""
    rest = list(range(rows.shape[1]))
    columns = rows - rows.mean(axis=0)
    order = []
    while len(rest) > 1:
        first = rest[int(np.argmin([_dependence(columns, node, rest) for node in rest]))]
        order.append(first)
        rest.remove(first)
        cause = columns[:, first]
        slopes = cause @ columns / (cause @ cause)
        columns = columns - np.outer(cause, slopes)
        columns[:, first] = cause
    return order + rest


def _dependence(columns: FloatArray, node: int, rest: list[int]) -> float:
    """Sum the evidence, squared, that any other column drives this one."""
    others = [other for other in rest if other != node]
    mine, theirs = _standard(columns[:, [node]]), _standard(columns[:, others])
    correlation = np.mean(mine * theirs, axis=0)
    forward = entropy(mine) + entropy(_standard(theirs - correlation * mine))
    backward = entropy(theirs) + entropy(_standard(mine - correlation * theirs))
    # backward − forward > 0: this column rather drives the other
    return float(np.sum(np.minimum(0.0, backward - forward) ** 2))


def _standard(columns: FloatArray) -> FloatArray:
    spread = columns.std(axis=0)
    scale: FloatArray = np.where(spread > 0, spread, 1.0)
    return np.asarray((columns - columns.mean(axis=0)) / scale)


def entropy(columns: FloatArray) -> FloatArray:
    """Approximate the differential entropy of standardised columns."""
    # log cosh u without overflow
    log_cosh = np.logaddexp(columns, -columns) - np.log(2.0)
    odd = columns * np.exp(-(columns**2) / 2)
    normal = (1 + np.log(2 * np.pi)) / 2
    peaked = _K1 * (log_cosh.mean(axis=0) - _GAMMA) ** 2
    return np.asarray(normal - peaked - _K2 * odd.mean(axis=0) ** 2)
