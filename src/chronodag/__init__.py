"""chronodag learns dynamic Bayesian networks from time series.

Which variable, at which lag, drives which, with no functional form assumed:

    import chronodag as cd

    learner = cd.NTSNotears(lags=3).fit(table)
    print(learner.graph_.summary())

Names are imported when first used, so that `import chronodag` is quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from chronodag import metrics, simulate, view
    from chronodag.data import Panel
    from chronodag.errors import (
        ChronodagError,
        DataError,
        GraphError,
        KnowledgeError,
        SettingsError,
    )
    from chronodag.graph import Edge, TemporalGraph, equivalent_thresholds, threshold_strengths
    from chronodag.knowledge import PriorKnowledge
    from chronodag.learn import Bootstrap, L1Path, NTSNotears, fit_many, l1_path, load
    from chronodag.learn.bootstrap import bootstrap
    from chronodag.learn.presets import presets
    from chronodag.solve import Status

_HOMES = {
    "Bootstrap": "learn",
    "ChronodagError": "errors",
    "DataError": "errors",
    "Edge": "graph",
    "GraphError": "errors",
    "KnowledgeError": "errors",
    "L1Path": "learn",
    "NTSNotears": "learn",
    "Panel": "data",
    "PriorKnowledge": "knowledge",
    "SettingsError": "errors",
    "Status": "solve",
    "TemporalGraph": "graph",
    "bootstrap": "learn",
    "equivalent_thresholds": "graph",
    "fit_many": "learn",
    "l1_path": "learn",
    "load": "learn",
    "presets": "learn",
    "threshold_strengths": "graph",
}
_MODULES = ("metrics", "simulate", "view")

__all__ = [
    "Bootstrap",
    "ChronodagError",
    "DataError",
    "Edge",
    "GraphError",
    "KnowledgeError",
    "L1Path",
    "NTSNotears",
    "Panel",
    "PriorKnowledge",
    "SettingsError",
    "Status",
    "TemporalGraph",
    "bootstrap",
    "equivalent_thresholds",
    "fit_many",
    "l1_path",
    "load",
    "metrics",
    "presets",
    "simulate",
    "threshold_strengths",
    "view",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"chronodag.{name}")
    if name in _HOMES:
        return getattr(import_module(f"chronodag.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'chronodag' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
