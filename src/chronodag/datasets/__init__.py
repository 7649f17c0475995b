"""Data sets that others published: read from a folder of yours, checked against checksums."""

from chronodag.datasets.netsim import NETSIM_LENGTHS, NetSim, netsim

__all__ = ["NETSIM_LENGTHS", "NetSim", "netsim"]
