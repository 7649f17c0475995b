"""Saving a fit: one zip of JSON and `.npy` arrays, readable without chronodag and pickle-free."""

from __future__ import annotations

import io
import json
import numbers
import zipfile
import zlib
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chronodag.data import Scaling
from chronodag.errors import GraphError
from chronodag.graph import TemporalGraph
from chronodag.knowledge import EdgeBounds, PriorKnowledge
from chronodag.learn.automatic import Choices
from chronodag.learn.fitting import Fitted
from chronodag.learn.settings import Settings
from chronodag.model import Architecture
from chronodag.solve import InnerStatus, Round, Solution, Status

if TYPE_CHECKING:
    from chronodag.learn.estimator import NTSNotears

FORMAT = "chronodag-fit"
VERSION = 1

_UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, KeyError, ValueError, NotImplementedError)


def save(estimator: NTSNotears, path: str | Path) -> None:
    """Write `estimator` to `path`; the same fit gives the same bytes."""
    arrays, content = _describe(estimator)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        _write(archive, "fit.json", json.dumps(content, indent=1).encode())
        _write(archive, "graph.json", estimator.graph_.to_json().encode())
        for name, array in arrays.items():
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, array, allow_pickle=False)
            _write(archive, f"{name}.npy", buffer.getvalue())


def load(path: str | Path) -> NTSNotears:
    """Read a fit written by `save`."""
    path = Path(path)
    if not path.is_file():
        raise GraphError(f"No file {path}; expected a fit written by save().")
    try:
        with zipfile.ZipFile(path) as archive:
            content = json.loads(archive.read("fit.json"))
            graph = TemporalGraph.from_json(archive.read("graph.json").decode())
            arrays = {
                name[:-4]: np.lib.format.read_array(
                    io.BytesIO(archive.read(name)), allow_pickle=False
                )
                for name in archive.namelist()
                if name.endswith(".npy")
            }
    except _UNREADABLE as error:
        raise GraphError(
            f"{path} is not a fit written by chronodag ({type(error).__name__}: {error}). "
            "Expected a file from save()."
        ) from error
    if not isinstance(content, dict):
        content = {}
    if content.get("format") != FORMAT or content.get("version") != VERSION:
        raise GraphError(
            f"{path} has format {content.get('format')!r}, version {content.get('version')!r}; "
            f"this program reads {FORMAT!r}, version {VERSION}."
        )
    try:
        return _rebuild(content, arrays, graph)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise GraphError(
            f"{path} is damaged ({type(error).__name__}: {error}). Expected a file from save()."
        ) from error


def _check_sizes(fitted: Fitted) -> None:
    shape, d = fitted.architecture.shape, len(fitted.names)
    shapes = {fitted.solution.x.shape, fitted.initial.shape}
    if shapes != {shape} or fitted.scaling.mean.size != d:
        raise ValueError(f"the arrays do not fit {d} variables and parameters of shape {shape}")
    if fitted.graph.names != fitted.names or fitted.graph.lags != fitted.settings.lags:
        raise ValueError("the graph has other variables or lags than the fit")


def _write(archive: zipfile.ZipFile, name: str, payload: bytes) -> None:
    entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, payload)


def _describe(estimator: NTSNotears) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    import chronodag

    parameters = estimator.get_params(deep=False)
    knowledge, seed = parameters.pop("knowledge"), parameters.pop("random_state")
    fitted = estimator.fitted_
    settings, solution = asdict(fitted.settings), fitted.solution
    arrays = {
        "x": solution.x,
        "initial": fitted.initial,
        "mean": fitted.scaling.mean,
        "scale": fitted.scaling.scale,
        "lower": fitted.bounds.lower,
        "upper": fitted.bounds.upper,
        "l1": settings.pop("l1"),
        "threshold": settings.pop("threshold"),
    }
    content = {
        "format": FORMAT,
        "version": VERSION,
        "chronodag": chronodag.__version__,
        "names": list(estimator.names_),
        "named_by_caller": hasattr(estimator, "feature_names_in_"),
        "parameters": {name: _plain(value) for name, value in parameters.items()},
        "random_state": int(seed) if isinstance(seed, numbers.Integral) else None,
        "knowledge": None if knowledge is None else knowledge.to_dict(),
        "settings": settings,
        "choices": None if estimator.choices_ is None else estimator.choices_.to_dict(),
        "solution": {
            "objective": solution.objective,
            "h": solution.h,
            "status": solution.status.name,
            "trace": [{**asdict(one), "status": one.status.name} for one in solution.trace],
        },
    }
    return arrays, content


def _plain(value: Any) -> Any:
    """Return a constructor argument as JSON can hold it."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    return np.dtype(value).name if isinstance(value, type | np.dtype) else value


def _rebuild(
    content: dict[str, Any], arrays: dict[str, NDArray[Any]], graph: TemporalGraph
) -> NTSNotears:
    from chronodag.learn.estimator import NTSNotears

    parameters = dict(content["parameters"])
    if isinstance(parameters["hidden"], list):
        parameters["hidden"] = tuple(parameters["hidden"])
    if content["knowledge"] is not None:
        parameters["knowledge"] = PriorKnowledge.from_dict(content["knowledge"])
    estimator = NTSNotears(**parameters, random_state=content["random_state"])
    plain = content["settings"]
    plain["hidden"] = tuple(plain["hidden"])
    settings = Settings(**plain, l1=arrays["l1"], threshold=arrays["threshold"])
    fitted = Fitted(
        names=tuple(content["names"]),
        settings=settings,
        scaling=Scaling(arrays["mean"], arrays["scale"]),
        bounds=EdgeBounds(arrays["lower"], arrays["upper"]),
        architecture=Architecture(len(content["names"]), settings.lags, settings.hidden),
        initial=arrays["initial"],
        solution=_solution(content["solution"], arrays["x"]),
        graph=graph,
    )
    _check_sizes(fitted)
    chosen = content.get("choices")
    choices = None if chosen is None else Choices.from_dict(chosen)
    estimator.adopt(fitted, named=content["named_by_caller"], choices=choices)
    return estimator


def _solution(content: dict[str, Any], x: NDArray[np.float64]) -> Solution:
    known = {field.name for field in fields(Round)}
    trace = tuple(
        Round(
            **{name: value for name, value in one.items() if name in known and name != "status"},
            status=InnerStatus[one["status"]],
        )
        for one in content["trace"]
    )
    return Solution(x, content["objective"], content["h"], Status[content["status"]], trace)
