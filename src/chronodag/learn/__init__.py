"""Learning a temporal graph from a panel of series."""

from chronodag.learn.estimator import NTSNotears
from chronodag.learn.many import fit_many
from chronodag.learn.persistence import load

__all__ = ["NTSNotears", "fit_many", "load"]
