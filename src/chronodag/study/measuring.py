"""One cell from data to scores, inside the process that does the work."""

from __future__ import annotations

import time
import traceback
from datetime import UTC, datetime
from typing import Any

from chronodag.data import Panel, Scaling
from chronodag.errors import ChronodagError
from chronodag.graph import TemporalGraph
from chronodag.knowledge import PriorKnowledge
from chronodag.rivals import Learned, Method
from chronodag.study.facts import draw_facts, one_fact
from chronodag.study.machine import machine, peak_mib, reset_peak
from chronodag.study.methods import known_settings, make_method, takes_knowledge
from chronodag.study.scaled import scaled
from chronodag.study.scores import score
from chronodag.study.sources import Drawn, draw
from chronodag.study.spec import Cell

Record = dict[str, Any]
"""What is known of one cell: plain values, ready to be sent and written."""


def measure(cell: Cell, folder: str | None = None) -> Record:
    """Run one cell; what goes wrong in it is part of the result, never an exception."""
    reset_peak()
    record: Record = {"status": "ok", "started": datetime.now(UTC).isoformat(timespec="seconds")}
    try:
        _measure(cell, folder, record)
    except MemoryError as error:
        record |= {"status": "out-of-memory", "error": f"MemoryError: {error}"}
    except Exception as error:
        record |= {"status": _status(error), "error": _describe(error)}
    return record | {"peak_mib": peak_mib(), "machine": machine()}


def _measure(cell: Cell, folder: str | None, record: Record) -> None:
    clock = time.perf_counter()
    settings = dict(cell.data.settings)
    if folder is not None and cell.data.source == "netsim":
        settings.setdefault("folder", folder)
    drawn = draw(cell.data.source, settings, cell.seed)
    panel = (
        Scaling.standard(drawn.panel).apply(drawn.panel) if cell.data.standardize else drawn.panel
    )
    record |= {
        "data_seconds": time.perf_counter() - clock,
        "d": panel.dimension,
        "T": panel.length,
    }
    method = _method(cell, panel)
    known, note = _knowledge(cell, drawn, method, panel)
    learned, record["first_seconds"] = _timed(method, panel, known)
    record["seconds"] = record["first_seconds"]
    if cell.warm_up:
        learned, record["seconds"] = _timed(method, panel, known)
    record |= _arrays(learned)
    record["message"] = "; ".join(filter(None, (note, learned.message)))
    record["truths"] = {name: _cells_of(truth, learned) for name, truth in drawn.truths.items()}
    record["scores"] = {name: score(truth, learned) for name, truth in drawn.truths.items()}


def _timed(method: Method, panel: Panel, known: PriorKnowledge | None) -> tuple[Learned, float]:
    clock = time.perf_counter()
    learned = method.fit(panel, known)
    return learned, time.perf_counter() - clock


def _method(cell: Cell, panel: Panel) -> Method:
    """Return the method; its random start takes the cell's seed unless the study gives one."""
    settings = scaled(cell.method.settings, panel.dimension, panel.length)
    if "seed" in (known_settings(cell.method.method) or ()):
        settings.setdefault("seed", cell.seed)
    return make_method(cell.method.method, settings)


def _knowledge(
    cell: Cell, drawn: Drawn, method: Method, panel: Panel
) -> tuple[PriorKnowledge | None, str]:
    """Return what the method is told, and a note where that depends on a first fit."""
    if not takes_knowledge(cell.method.method):
        return None, ""
    asked = cell.method.knowledge
    if asked is None:
        return drawn.knowledge, ""
    truth = next(iter(drawn.truths.values()))
    if asked.one is None:
        facts, note = draw_facts(truth, asked, cell.seed), ""
    else:
        facts, note = one_fact(truth, method.fit(panel, drawn.knowledge), asked, cell.seed)
    return facts if drawn.knowledge is None else drawn.knowledge & facts, note


def _cells_of(truth: TemporalGraph, learned: Learned) -> list[bool]:
    """Return the true edges [lag, source, target] in the order of what was learned, flat."""
    order = [truth.names.index(name) for name in learned.names]
    cells: list[bool] = truth.adjacency[:, order][:, :, order].ravel().tolist()
    return cells


def _arrays(learned: Learned) -> Record:
    undirected = learned.undirected
    return {
        "names": list(learned.names),
        "shape": list(learned.strengths.shape),
        "strengths": learned.strengths.ravel().tolist(),
        "adjacency": learned.adjacency.ravel().tolist(),
        "undirected": None if undirected is None else undirected.ravel().tolist(),
    }


def _status(error: Exception) -> str:
    # XLA reports a full device under this name, as an ordinary error.
    return "out-of-memory" if "RESOURCE_EXHAUSTED" in str(error) else "failed"


def _describe(error: Exception) -> str:
    """Return the message; for errors nobody planned, also the last place they passed."""
    text = f"{type(error).__name__}: {error}"
    if isinstance(error, ChronodagError):
        return text
    frames = traceback.extract_tb(error.__traceback__)
    return f"{text} ({frames[-1].name}, line {frames[-1].lineno})" if frames else text
