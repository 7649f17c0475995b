"""Sort and regress (Reisach et al., 2021 and 2023): the control for what sorting gives away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from chronodag.data import Panel, Scaling
from chronodag.errors import SettingsError
from chronodag.knowledge import PriorKnowledge
from chronodag.rivals.base import Capabilities, Learned, check
from chronodag.rivals.design import FloatArray, as_cells, lagged_table
from chronodag.rivals.regression import least_squares, regress_in_order, require_rows


@dataclass(frozen=True)
class SortRegress:
    """Take the variables in order of R² or variance; regress each on those before it.

    The past of all enters every regression, an adaptive lasso (BIC) prunes. The data is
    standardised inside, after sorting; strengths are |weights| before pruning.
    """

    name: ClassVar[str] = "sort-regress"
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
    by: str = "r2"
    """"r2": how well all others of the same moment tell a variable, which no scale changes;
    or "variance"."""

    def fit(self, panel: Panel, knowledge: PriorKnowledge | None = None) -> Learned:
        """Sort, regress, prune."""
        check(self, panel, knowledge)
        if self.by not in ("r2", "variance"):
            raise SettingsError(f"by is {self.by!r}; expected 'r2' or 'variance'.")
        table = lagged_table(Scaling.standard(panel).apply(panel), self.lags)
        require_rows(table, self.name)
        spread = panel.values.var(axis=0)
        keys = spread if self.by == "variance" else r_squared(panel.values)
        order = np.argsort(keys, kind="stable").tolist()
        weights, kept = regress_in_order(table, order, self.lags)
        path = ", ".join(panel.names[index] for index in order)
        return Learned(
            panel.names,
            np.abs(as_cells(weights, self.lags)),
            as_cells(kept, self.lags),
            message=f"order at lag 0: {path}",
        )


def r_squared(values: FloatArray) -> FloatArray:
    """Return for each column the share of its variance that all others tell."""
    centred = values - values.mean(axis=0)
    shares = np.zeros(centred.shape[1])
    for target, column in enumerate(centred.T):
        others = np.delete(centred, target, axis=1)
        rest = column - others @ least_squares(others, column)
        shares[target] = 1 - rest @ rest / (column @ column)
    return shares
