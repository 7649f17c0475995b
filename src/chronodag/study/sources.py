"""Where a study's data comes from: each source makes, from settings and a seed, data with truth.

A source of your own is any function `(settings, seed)` that returns a `Drawn`, or a pair of data
and true graph; a study names it by its import path, "module:function".
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from chronodag.data import Panel
from chronodag.errors import DataError, SettingsError
from chronodag.graph import TemporalGraph
from chronodag.knowledge import PriorKnowledge
from chronodag.study.loading import load_object

NETSIM_FOLDER = "CHRONODAG_NETSIM"
"""The environment variable that names the folder of the NetSim files."""


@dataclass(frozen=True)
class Drawn:
    """One data set with the truth about it."""

    panel: Panel
    truths: Mapping[str, TemporalGraph]
    """True graphs by name; several where it is disputed. The first is the primary one."""
    knowledge: PriorKnowledge | None = field(default=None)
    """What everybody knows of this data; given to the methods that can take it."""


Source = Callable[[Mapping[str, Any], int], Any]


def names() -> tuple[str, ...]:
    """Return the names of the built-in sources."""
    return tuple(_SOURCES)


def find_source(name: str) -> Source:
    """Return a built-in source, or the function behind an import path "module:function"."""
    if ":" in name:
        found: Source = load_object(name, "source")
        return found
    if name not in _SOURCES:
        raise SettingsError(
            f"No data source is named {name!r}; expected one of {', '.join(_SOURCES)}, or a "
            "function of your own as 'module:function'."
        )
    return _SOURCES[name]


def draw(name: str, settings: Mapping[str, Any], seed: int) -> Drawn:
    """Make one data set."""
    try:
        made = find_source(name)(dict(settings), seed)
    except TypeError as error:
        if "unexpected keyword" not in str(error):
            raise
        raise SettingsError(f"The source {name!r} does not know a setting: {error}.") from error
    if isinstance(made, Drawn):
        return made
    data, truth = made
    return Drawn(Panel.from_any(data), {"truth": truth})


def _lorenz96(settings: Mapping[str, Any], seed: int) -> Drawn:
    """The ring of chaotic variables; settings as of `chronodag.simulate.lorenz96`."""
    from chronodag.simulate import lorenz96

    made = lorenz96(**settings, rng=seed)
    return Drawn(Panel.from_any(made.data, made.names), {"truth": made.graph})


def _random_process(settings: Mapping[str, Any], seed: int) -> Drawn:
    """A random process, drawn before it is sampled: the same seed with another T is the same one.

    Settings are T, series (how many), warm_up, and those of `chronodag.simulate.random_process`.
    """
    from chronodag.simulate import random_process

    given = dict(settings)
    sampling = {key: given.pop(key) for key in ("warm_up",) if key in given}
    rows, series = given.pop("T", 1000), given.pop("series", 1)
    rng = np.random.default_rng(seed)
    process = random_process(**given, rng=rng)
    samples = process.sample(rows, rng, series=series, **sampling)
    panel = Panel.from_any(samples, process.graph.names)
    return Drawn(panel, {"truth": process.graph})


def _netsim(settings: Mapping[str, Any], seed: int) -> Drawn:
    """Simulated fMRI, scored against the network in both orientations; the seed changes nothing.

    Settings are those of `chronodag.datasets.netsim`. Without a folder among them, the environment
    variable `CHRONODAG_NETSIM` names it.
    """
    from chronodag.datasets import netsim

    given = dict(settings)
    folder = given.pop("folder", None) or os.environ.get(NETSIM_FOLDER)
    if not folder:
        raise DataError(
            "NetSim is read from a folder, and no folder came. chronodag does not carry the data: "
            "give the folder that holds simN.csv and simN_truth_tcdf.csv with --data-folder, or in "
            f"the environment variable {NETSIM_FOLDER}."
        )
    read = netsim(folder, **given)
    return Drawn(read.panel, read.graphs)


def _hockey(settings: Mapping[str, Any], seed: int) -> Drawn:
    """Ice-hockey games, with what everybody knows of them: no play follows a goal.

    Settings are those of `chronodag.simulate.hockey`.
    """
    from chronodag.simulate import HOCKEY_KNOWLEDGE, hockey

    made = hockey(**settings, rng=seed)
    return Drawn(made.panel, {"truth": made.graph}, PriorKnowledge().forbid(HOCKEY_KNOWLEDGE))


def _troubled_process(settings: Mapping[str, Any], seed: int) -> Drawn:
    """A random process with one assumption broken; see `chronodag.study.troubles`."""
    from chronodag.study.troubles import troubled_process

    panel, truth = troubled_process(settings, seed)
    return Drawn(panel, {"truth": truth})


_SOURCES: dict[str, Source] = {
    "lorenz96": _lorenz96,
    "random-process": _random_process,
    "troubled-process": _troubled_process,
    "netsim": _netsim,
    "hockey": _hockey,
}
