"""Learning a temporal graph from a panel of series."""

from chronodag.learn.estimator import NTSNotears
from chronodag.learn.persistence import load

__all__ = ["NTSNotears", "load"]
