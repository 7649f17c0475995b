"""Learning a temporal graph from a panel of series."""

from chronodag.learn.bootstrap import bootstrap
from chronodag.learn.estimator import NTSNotears
from chronodag.learn.many import fit_many
from chronodag.learn.persistence import load
from chronodag.learn.stability import Bootstrap, StableEdge

__all__ = ["Bootstrap", "NTSNotears", "StableEdge", "bootstrap", "fit_many", "load"]
