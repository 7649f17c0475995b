"""PCMCI+ (Runge, 2020): conditional independence tests, by the tigramite package.

tigramite is GPL-3 and an optional extra, `pip install 'chronodag[rivals]'`; it is imported when a
fit begins and not before.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from chronodag.data import Panel
from chronodag.errors import DataError, SettingsError
from chronodag.graph import Edge, break_cycles
from chronodag.knowledge import EdgeBounds, PriorKnowledge
from chronodag.rivals.base import Capabilities, Learned, check

Links = dict[int, dict[tuple[int, int], str]]


def _can(*, nonlinear: bool) -> Capabilities:
    return Capabilities(
        nonlinear=nonlinear,
        lagged=True,
        lag0=True,
        acyclic=True,
        knowledge=True,
        many_series=True,
        discrete=False,
        undirected=True,
        p_values=True,
    )


@dataclass(frozen=True)
class _PcmciPlus(ABC):
    """What both tests share."""

    name: ClassVar[str]
    capabilities: ClassVar[Capabilities]
    lags: int = 1
    alpha: float = 0.01
    """Level of the tests."""

    @abstractmethod
    def _test(self) -> Any:
        """Return tigramite's conditional independence test."""

    def fit(self, panel: Panel, knowledge: PriorKnowledge | None = None) -> Learned:
        """Run the tests; strengths are |test statistics|."""
        bounds = check(self, panel, knowledge)
        _check_usable(self, panel)
        with warnings.catch_warnings():
            # its libraries warn of constant residuals and unfinished kernel fits, test by test
            warnings.simplefilter("ignore")
            found = self._run(panel, link_assumptions(bounds))
        return _learned(found, bounds, panel.names)

    def _run(self, panel: Panel, links: Links) -> dict[str, Any]:
        pcmci = _tigramite("tigramite.pcmci").PCMCI
        frames = _tigramite("tigramite.data_processing")
        several = len(panel.series) > 1
        values = {index: np.array(part) for index, part in enumerate(panel.series)}
        frame = frames.DataFrame(values, analysis_mode="multiple" if several else "single")
        found: dict[str, Any] = pcmci(frame, self._test(), verbosity=0).run_pcmciplus(
            link_assumptions=links, tau_min=0, tau_max=self.lags, pc_alpha=self.alpha
        )
        return found


@dataclass(frozen=True)
class PcmciPlusParCorr(_PcmciPlus):
    """PCMCI+ with partial correlations."""

    name: ClassVar[str] = "pcmciplus-parcorr"
    capabilities: ClassVar[Capabilities] = _can(nonlinear=False)

    def _test(self) -> Any:
        return _tigramite("tigramite.independence_tests.parcorr").ParCorr()


@dataclass(frozen=True)
class PcmciPlusGpdc(_PcmciPlus):
    """PCMCI+ with distance correlations of the residuals of Gaussian processes. Slow."""

    name: ClassVar[str] = "pcmciplus-gpdc"
    capabilities: ClassVar[Capabilities] = _can(nonlinear=True)
    seed: int = 42
    """Of the samples that stand for "no dependence"."""

    def _test(self) -> Any:
        return _tigramite("tigramite.independence_tests.gpdc").GPDC(seed=self.seed)


def _tigramite(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        raise SettingsError(
            f"This method needs the tigramite package, which cannot be imported ({error}). "
            "Install it by pip install 'chronodag[rivals]'."
        ) from error


def _check_usable(method: _PcmciPlus, panel: Panel) -> None:
    if not 0 < method.alpha < 1:
        raise SettingsError(f"alpha is {method.alpha!r}; expected a level between 0 and 1.")
    # The conditions of a test reach back 2 K rows; the tests need a few rows to compare.
    least = 2 * method.lags + 4
    if min(panel.lengths) < least:
        raise DataError(
            f"{method.name} with lags={method.lags} needs at least {least} rows in every series; "
            f"the shortest has {min(panel.lengths)}. Use fewer lags or leave it out."
        )


def link_assumptions(bounds: EdgeBounds) -> Links:
    """Write the rules as tigramite reads them: links into each target, by (source, -lag).

    What is not listed is forbidden, "-" in the middle requires a link and "?" leaves it open; at
    lag 0 both ends tell the same.
    """
    possible, required = bounds.upper > 0, bounds.required
    d = possible.shape[1]
    links: Links = {target: {} for target in range(d)}
    for lag, source, target in np.argwhere(possible[1:]).tolist():
        middle = "-" if required[lag + 1, source, target] else "?"
        links[target][source, -(lag + 1)] = f"-{middle}>"
    for source, target in np.argwhere(possible[0] | possible[0].T).tolist():
        links[target][source, 0] = _at_lag0(possible[0], required[0], source, target)
    return links


def _at_lag0(
    possible: NDArray[np.bool_], required: NDArray[np.bool_], source: int, target: int
) -> str:
    if required[source, target]:
        return "-->"
    if required[target, source]:
        return "<--"
    if possible[source, target] and possible[target, source]:
        return "o?o"
    return "-?>" if possible[source, target] else "<?-"


def _learned(found: dict[str, Any], bounds: EdgeBounds, names: tuple[str, ...]) -> Learned:
    """From tigramite's `[source, target, lag]` to ours."""
    marks, values, p_values = (
        np.moveaxis(np.asarray(found[key]), -1, 0) for key in ("graph", "val_matrix", "p_matrix")
    )
    possible = bounds.upper > 0
    strengths = np.where(possible, np.abs(np.nan_to_num(values)), 0.0)
    directed = ((marks == "-->") & possible) | bounds.required
    unclear = np.isin(marks, ("o-o", "x-x")) & possible
    unclear &= ~(directed | np.swapaxes(directed, 1, 2))
    unclear[1:] = False
    acyclic = directed.copy()
    acyclic[0] = break_cycles(strengths[0], directed[0], bounds.required[0])
    return Learned(
        names,
        strengths,
        acyclic,
        undirected=unclear,
        p_values=np.where(possible, np.nan_to_num(p_values, nan=1.0), 1.0),
        message=_message(bounds, directed & ~acyclic, unclear, names),
    )


def _message(
    bounds: EdgeBounds,
    left_out: NDArray[np.bool_],
    unclear: NDArray[np.bool_],
    names: tuple[str, ...],
) -> str:
    parts = ["all tests done"]
    if left_out.any():
        edges = [Edge(names[i], names[j], int(k), 0.0) for k, i, j in np.argwhere(left_out)]
        parts.append(f"left out to keep lag 0 free of cycles: {', '.join(map(str, edges))}")
    if unclear.any():
        parts.append(f"{int(unclear.sum()) // 2} lag-0 edges have no direction")
    if ((bounds.upper > 0) & (bounds.upper < np.inf)).any():
        parts.append("upper limits of strengths were not used: a test statistic is no weight")
    return "; ".join(parts)
