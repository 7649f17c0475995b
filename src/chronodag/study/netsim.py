"""Simulated fMRI (NetSim; Smith and others, 2011) from a folder of CSV files.

The data has no clear terms of use, so it is not part of this package: give a folder that holds, for
each simulation N, `simN.csv` (a header, then one row per moment) and `simN_truth_tcdf.csv` (rows of
cause, effect, lag).
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from chronodag.data import Panel
from chronodag.errors import DataError
from chronodag.graph import TemporalGraph

FOLDER_VARIABLE = "CHRONODAG_NETSIM"


def read_netsim(
    sim: int, folder: str | None = None, lags: int = 1
) -> tuple[Panel, dict[str, TemporalGraph]]:
    """Read one simulation with its two truths.

    "simulator" is the simulator's own network, the transpose of the file; "tcdf" is the file as
    it stands, which a public copy hands round. Both have the self-loops at lag 1.
    """
    place = _folder(folder)
    panel = Panel.from_any(_read(place / f"sim{sim}.csv", skip=1))
    edges = _read(place / f"sim{sim}_truth_tcdf.csv", skip=0)
    adjacency = _adjacency(edges, panel.dimension, lags, f"sim{sim}_truth_tcdf.csv")
    return panel, {
        "simulator": TemporalGraph.from_adjacency(adjacency.transpose(0, 2, 1), panel.names),
        "tcdf": TemporalGraph.from_adjacency(adjacency, panel.names),
    }


def _folder(given: str | None) -> Path:
    chosen = given or os.environ.get(FOLDER_VARIABLE)
    if chosen and Path(chosen).is_dir():
        return Path(chosen)
    came = f"{chosen!r} is no folder" if chosen else "no folder came"
    raise DataError(
        f"NetSim is read from a folder, and {came}. Give one with --data-folder, or in the "
        f"environment variable {FOLDER_VARIABLE}."
    )


def _read(path: Path, skip: int) -> NDArray[np.float64]:
    try:
        return np.loadtxt(path, delimiter=",", skiprows=skip, ndmin=2)
    except (OSError, ValueError) as error:
        raise DataError(
            f"{path.name} of NetSim cannot be read: {error}. Expected numbers with commas between."
        ) from error


def _adjacency(edges: NDArray[np.float64], d: int, lags: int, file: str) -> NDArray[np.bool_]:
    """Return [lag, source, target] from rows (cause, effect, lag)."""
    adjacency = np.zeros((lags + 1, d, d), dtype=bool)
    for cause, effect, lag in edges.astype(int):
        if not (0 <= cause < d and 0 <= effect < d and 1 <= lag <= lags):
            raise DataError(
                f"{file} has the row {cause},{effect},{lag}; expected causes and effects from 0 to "
                f"{d - 1} and lags from 1 to {lags}."
            )
        adjacency[lag, cause, effect] = True
    return adjacency
