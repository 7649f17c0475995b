"""A vector autoregression with a lasso: the control for lagged edges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from chronodag.data import Panel, Scaling
from chronodag.errors import SettingsError
from chronodag.knowledge import PriorKnowledge
from chronodag.rivals.base import Capabilities, Learned, check
from chronodag.rivals.design import as_cells, lagged_table
from chronodag.rivals.regression import lasso, require_rows


@dataclass(frozen=True)
class VarLasso:
    """Each variable on the past of all, by a lasso; the data is standardised inside."""

    name: ClassVar[str] = "var-lasso"
    capabilities: ClassVar[Capabilities] = Capabilities(
        nonlinear=False,
        lagged=True,
        lag0=False,
        acyclic=True,
        knowledge=False,
        many_series=True,
        discrete=False,
    )
    lags: int = 1
    criterion: str = "bic"
    """"bic" or "aic": what chooses the penalty."""

    def fit(self, panel: Panel, knowledge: PriorKnowledge | None = None) -> Learned:
        """Regress; strengths are |weights| on the common scale, edges those that are not 0."""
        check(self, panel, knowledge)
        if self.criterion not in ("bic", "aic"):
            raise SettingsError(f"criterion is {self.criterion!r}; expected 'bic' or 'aic'.")
        d = panel.dimension
        table = lagged_table(Scaling.standard(panel).apply(panel), self.lags)
        require_rows(table, self.name)
        weights = np.zeros((d, (self.lags + 1) * d))
        for target in range(d):
            weights[target, d:] = lasso(table[:, d:], table[:, target], self.criterion)
        strengths = np.abs(as_cells(weights, self.lags))
        return Learned(panel.names, strengths, strengths > 0)
