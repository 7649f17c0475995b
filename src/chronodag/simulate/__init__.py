"""Time series with a known truth: random processes, Lorenz-96, ice hockey and BOLD (fMRI).

A random process (graph and parameters) is drawn first and sampled afterwards, as often as needed:
for validation, under interventions, or many processes at once. All randomness comes from a
generator or seed that the caller hands in.
"""

from chronodag.simulate.bold import Haemodynamics, bold
from chronodag.simulate.common import Simulated
from chronodag.simulate.drawing import random_process
from chronodag.simulate.graphs import RELEASED_LAGGED_DEGREES, random_graph
from chronodag.simulate.hockey import HOCKEY_KNOWLEDGE, Hockey, hockey
from chronodag.simulate.lorenz import lorenz96
from chronodag.simulate.process import Process, sample_many
from chronodag.simulate.sortability import Sortability, sortability

__all__ = [
    "HOCKEY_KNOWLEDGE",
    "RELEASED_LAGGED_DEGREES",
    "Haemodynamics",
    "Hockey",
    "Process",
    "Simulated",
    "Sortability",
    "bold",
    "hockey",
    "lorenz96",
    "random_graph",
    "random_process",
    "sample_many",
    "sortability",
]
