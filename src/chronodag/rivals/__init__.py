"""Methods to compare with, NTS-NOTEARS among them, all called the same way.

    from chronodag import rivals

    learned = rivals.method("dynotears", lags=3).fit(panel)
    learned.strengths, learned.adjacency, learned.graph

One file per method; `rivals.names()` lists them, `rivals.capabilities(name)` says what each can do.
"""

from chronodag.rivals.base import Capabilities, Learned, Method
from chronodag.rivals.registry import capabilities, method, names, settings

__all__ = ["Capabilities", "Learned", "Method", "capabilities", "method", "names", "settings"]
