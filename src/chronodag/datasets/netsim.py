"""NetSim: simulated fMRI series with known networks (Smith et al., NeuroImage 2011).

The series are not part of this package, since their terms of use are unknown: the loader takes a
folder. It holds for each simulation N one subject's `simN.csv` (a header row, then a row per scan)
and `simN_truth_tcdf.csv` (rows "cause,effect,lag" as one public copy lists them).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from chronodag.data import Panel
from chronodag.datasets.checksums import NETSIM_SERIES, NETSIM_TRUTHS, read_checked
from chronodag.errors import DataError, SettingsError
from chronodag.graph import TemporalGraph

NETSIM_LENGTHS = MappingProxyType(dict.fromkeys(NETSIM_SERIES, 200) | {5: 1200, 7: 5000, 9: 5000})
"""The simulations with 5 regions that the paper draws on, and their rows."""

ORIENTATIONS = ("simulator", "listed")
_REGIONS = 5
_HELP = (
    "chronodag does not carry the NetSim data. Get the simulations of Smith et al. (2011), put "
    "simN.csv (a header, then a row of 5 numbers per scan) and simN_truth_tcdf.csv (rows "
    "'cause,effect,lag') of one subject into a folder, and pass that folder."
)


@dataclass(frozen=True, eq=False)
class NetSim:
    """One simulation: its series and its network in both orientations."""

    sim: int
    panel: Panel
    """One series of 5 regions, X1 to X5, raw values."""
    orientation: str
    """Which of `graphs` is `graph`."""
    graphs: Mapping[str, TemporalGraph]
    """"simulator": as the simulator drew it, upper triangular in most simulations. "listed": cause
    and effect as the file of the truth names them, which is its transpose. All edges are at lag 1,
    self-loops included, as the paper has it."""

    @property
    def graph(self) -> TemporalGraph:
        """The true graph in the chosen orientation."""
        return self.graphs[self.orientation]

    @property
    def self_loops(self) -> TemporalGraph:
        """The control that any method must beat: each region drives itself, and nothing else."""
        own = self.graph.adjacency & np.eye(_REGIONS, dtype=np.bool_)
        return TemporalGraph.from_adjacency(own, self.graph.names)


def netsim(
    folder: str | Path, sim: int = 1, *, orientation: str = "simulator", verify: bool = True
) -> NetSim:
    """Read one NetSim simulation from a folder.

    Args:
        folder: Where `simN.csv` and `simN_truth_tcdf.csv` lie.
        sim: The number N, one of `NETSIM_LENGTHS`. In the known copies, 21 repeats 1 byte for byte.
        orientation: Which truth `NetSim.graph` is, "simulator" or "listed"; score both and say
            which is which.
        verify: Refuse files whose checksum is not the known one.

    Raises:
        DataError: A file is absent, differs or is malformed; the message says what to do.
    """
    if isinstance(sim, bool) or sim not in NETSIM_LENGTHS:
        known = ", ".join(map(str, NETSIM_LENGTHS))
        raise SettingsError(f"sim is {sim!r}; expected one of {known}, those with 5 regions.")
    if orientation not in ORIENTATIONS:
        raise SettingsError(
            f"orientation is {orientation!r}; expected one of 'simulator', 'listed'. Take "
            "'simulator' for the network as it was simulated."
        )
    place = Path(folder)
    if not place.is_dir():
        raise DataError(f"{str(place)!r} is not a folder. {_HELP}")
    values = _read(place / f"sim{sim}.csv", NETSIM_SERIES[sim], verify, header=True)
    truth = _read(place / f"sim{sim}_truth_tcdf.csv", NETSIM_TRUTHS[sim], verify, header=False)
    listed = _adjacency(truth, place / f"sim{sim}_truth_tcdf.csv")
    return NetSim(
        sim=int(sim),
        panel=Panel.from_any(values),
        orientation=orientation,
        graphs=MappingProxyType(
            {
                "simulator": TemporalGraph.from_adjacency(listed.transpose(0, 2, 1)),
                "listed": TemporalGraph.from_adjacency(listed),
            }
        ),
    )


def _read(path: Path, checksum: str, verify: bool, *, header: bool) -> NDArray[np.float64]:
    """Return the numbers of a file as a table with the right number of columns."""
    text = read_checked(path, checksum, _HELP, verify=verify)
    columns = _REGIONS if header else 3
    try:
        table = np.loadtxt(StringIO(text), delimiter=",", skiprows=int(header), ndmin=2)
    except ValueError as error:
        raise DataError(f"{str(path)!r} is not a table of numbers: {error}. {_HELP}") from None
    if table.shape[1] != columns:
        raise DataError(f"{str(path)!r} has {table.shape[1]} columns; expected {columns}. {_HELP}")
    return table


def _adjacency(rows: NDArray[np.float64], path: Path) -> NDArray[np.bool_]:
    """Return [lag, source, target] of the listed rows (cause, effect, lag), all at lag 1."""
    cause, effect, lag = rows.astype(np.int64).T
    whole = (rows == rows.astype(np.int64)).all()
    if (
        not whole
        or (lag != 1).any()
        or rows.min() < 0
        or max(cause.max(), effect.max()) >= _REGIONS
    ):
        raise DataError(
            f"{str(path)!r} holds rows other than cause,effect,1 with regions 0 to 4. {_HELP}"
        )
    adjacency = np.zeros((2, _REGIONS, _REGIONS), dtype=np.bool_)
    adjacency[lag, cause, effect] = True
    return adjacency
