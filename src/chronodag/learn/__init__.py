"""Learning a temporal graph from a panel of series."""

from chronodag.learn.bootstrap import bootstrap
from chronodag.learn.estimator import NTSNotears
from chronodag.learn.many import fit_many
from chronodag.learn.path import L1Path, l1_path
from chronodag.learn.persistence import load
from chronodag.learn.presets import Preset, presets
from chronodag.learn.stability import Bootstrap, StableEdge

__all__ = [
    "Bootstrap",
    "L1Path",
    "NTSNotears",
    "Preset",
    "StableEdge",
    "bootstrap",
    "fit_many",
    "l1_path",
    "load",
    "presets",
]
