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
    from chronodag.graph import Edge, TemporalGraph, threshold_strengths
    from chronodag.knowledge import PriorKnowledge
    from chronodag.learn import NTSNotears, fit_many, load
    from chronodag.solve import Status

_HOMES = {
    "ChronodagError": "errors",
    "DataError": "errors",
    "Edge": "graph",
    "GraphError": "errors",
    "KnowledgeError": "errors",
    "NTSNotears": "learn",
    "Panel": "data",
    "PriorKnowledge": "knowledge",
    "SettingsError": "errors",
    "Status": "solve",
    "TemporalGraph": "graph",
    "fit_many": "learn",
    "load": "learn",
    "threshold_strengths": "graph",
}
_MODULES = ("metrics", "simulate", "view")

__all__ = [
    "ChronodagError",
    "DataError",
    "Edge",
    "GraphError",
    "KnowledgeError",
    "NTSNotears",
    "Panel",
    "PriorKnowledge",
    "SettingsError",
    "Status",
    "TemporalGraph",
    "fit_many",
    "load",
    "metrics",
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
