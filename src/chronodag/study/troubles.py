"""Random processes with one assumption of the model broken, to see how gracefully methods fail."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from chronodag.data import Panel
from chronodag.errors import SettingsError
from chronodag.graph import TemporalGraph
from chronodag.simulate import Process, random_process

TROUBLES = ("none", "heavy-tails", "unequal-noise", "raw-scale", "hidden", "drift", "gaps")


def troubled_process(settings: Mapping[str, Any], seed: int) -> tuple[Panel, TemporalGraph]:
    """Return data and truth; `trouble` says what is broken, the rest is as of `random-process`.

    "heavy-tails": noise of Student's t with 3 degrees of freedom. "unequal-noise": standard
    deviations of the noise from 0.3 to 3. "raw-scale": units differ by factors up to 1000.
    "hidden": one more variable that drives others and is not seen. "drift": the second half has
    other weights on the same graph. "gaps": 3 % of the rows are lost, and with them the windows
    that would hold them, so that the series falls into pieces.
    """
    given = dict(settings)
    trouble, rows = given.pop("trouble", "none"), given.pop("T", 1000)
    if trouble not in TROUBLES:
        raise SettingsError(f"trouble is {trouble!r}; expected one of {', '.join(TROUBLES)}.")
    rng = np.random.default_rng(seed)
    d = given.pop("d")
    if trouble == "heavy-tails":
        given["noise"] = "student"
    if trouble == "unequal-noise":
        given["noise_scale"] = np.exp(rng.uniform(np.log(0.3), np.log(3.0), d))
    process = random_process(d + (trouble == "hidden"), rng=rng, **given)
    values = process.sample(rows, rng)
    if trouble == "hidden":
        return _without_one(process, values, rng)
    if trouble == "raw-scale":
        values = values * 10.0 ** rng.uniform(-1.5, 1.5, d)
    if trouble == "drift":
        later = random_process(graph=process.graph, rng=rng, mechanism=process.mechanism)
        values = np.concatenate([values[: rows // 2], later.sample(rows - rows // 2, rng)])
    if trouble == "gaps":
        lags = process.graph.lags
        lost = np.flatnonzero(rng.random(rows) < 0.03)
        pieces = [piece for piece in np.split(values, lost) if len(piece) > lags + 2]
        return Panel.from_any([piece[1:] for piece in pieces], process.graph.names), process.graph
    return Panel.from_any(values, process.graph.names), process.graph


def _without_one(
    process: Process, values: np.ndarray[Any, Any], rng: np.random.Generator
) -> tuple[Panel, TemporalGraph]:
    """Hide the variable that drives most others; of several, one by lot."""
    others = process.graph.adjacency.any(axis=0).sum(axis=1)
    hidden = int(rng.choice(np.flatnonzero(others == others.max())))
    seen = [i for i in range(len(others)) if i != hidden]
    names = tuple(process.graph.names[i] for i in seen)
    adjacency = process.graph.adjacency[:, seen][:, :, seen]
    return Panel.from_any(values[:, seen], names), TemporalGraph.from_adjacency(adjacency, names)
