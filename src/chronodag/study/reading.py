"""From a YAML file to a checked `Study`; every mistake names the file and the key."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from chronodag.errors import SettingsError
from chronodag.study.places import Place
from chronodag.study.reading_methods import read_methods
from chronodag.study.spec import Best, DataSpec, Limits, MethodSpec, ReportSpec, Study

_STUDY = (
    *("name", "description", "seeds", "data", "methods", "limits", "report"),
    *("warm_up", "one_at_a_time", "quick"),
)
_DATA_OWN = ("source", "label", "standardize", "grid")


def read_study(path: str | Path, *, quick: bool = False) -> Study:
    """Read a study file. `quick` takes what its `quick:` section says instead of the rest."""
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise SettingsError(
            f"The study {str(path)!r} cannot be read: {error.strerror or error}. Give a file, or "
            "the name of a built-in study (chronodag bench --list)."
        ) from None
    return parse_study(text, path.name, quick=quick)


def parse_study(text: str, file: str = "study", *, quick: bool = False) -> Study:
    """Read a study from YAML text; `file` is its name in messages."""
    place = Place(file, "", _yaml(text, file))
    content = dict(place.mapping(_STUDY))
    if quick:
        if "quick" not in content:
            raise SettingsError(
                f"{file} has no quick: section, so --quick has no meaning for it. Add one with "
                "fewer seeds or less data, or run the whole study."
            )
        section = place.at("quick").mapping([key for key in _STUDY if key not in ("quick", "name")])
        content |= section
    return _study(Place(file, "", content))


def _yaml(text: str, file: str) -> Any:
    import yaml

    class Loader(yaml.SafeLoader):
        """The safe loader, which by itself would let a repeated key silently win."""

        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
            keys = [key.value for key, _ in node.value]
            twice = sorted({str(key) for key in keys if keys.count(key) > 1})
            if twice:
                raise SettingsError(f"{file}: the key {twice[0]!r} occurs twice; keep one of them.")
            return super().construct_mapping(node, deep)

    try:
        return yaml.load(text, Loader)
    except yaml.YAMLError as error:
        raise SettingsError(f"{file} is not well-formed YAML: {error}") from None


def _study(place: Place) -> Study:
    for key in ("name", "seeds", "data", "methods"):
        if key not in place.value:
            raise SettingsError(f"{place.file} has no {key}: section; expected one.")
    data = tuple(itertools.chain.from_iterable(map(_data, place.at("data").entries())))
    entries = place.at("methods").entries()
    methods = tuple(itertools.chain.from_iterable(map(read_methods, entries)))
    _require_distinct(place.at("data"), [spec.label for spec in data])
    _require_distinct(place.at("methods"), [spec.label for spec in methods])
    description = place.get("description")
    return Study(
        name=place.at("name").text(),
        seeds=_seeds(place.at("seeds")),
        data=data,
        methods=methods,
        description="" if description is None else " ".join(description.text().split()),
        limits=_limits(place.get("limits")),
        report=_report(place.get("report"), methods, data),
        warm_up=_flag(place, "warm_up"),
        one_at_a_time=_flag(place, "one_at_a_time"),
    )


def _flag(place: Place, key: str) -> bool:
    given = place.get(key)
    return False if given is None else given.flag()


def _seeds(place: Place) -> tuple[int, ...]:
    if isinstance(place.value, Mapping):
        place.mapping(("from", "count"))
        for key in ("from", "count"):
            if key not in place.value:
                place.wrong("{from: first, count: how many}")
        first = place.at("from").whole(0)
        return tuple(range(first, first + place.at("count").whole(1)))
    seeds = tuple(entry.whole(0) for entry in place.entries())
    if len(set(seeds)) < len(seeds):
        place.wrong("distinct seeds")
    return seeds


def _data(place: Place) -> Iterator[DataSpec]:
    given = place.mapping()
    if "source" not in given:
        place.wrong("a mapping with a source: (and its settings)")
    crossed = place.get("grid")
    grid = {} if crossed is None else crossed.lists()
    fixed = {key: value for key, value in given.items() if key not in _DATA_OWN}
    if both := sorted(set(grid) & set(fixed)):
        place.wrong(f"{both[0]} either as a setting or in grid, not both")
    standardize, label = place.get("standardize"), place.get("label")
    for values in itertools.product(*grid.values()):
        chosen = dict(zip(grid, values, strict=True))
        settings = fixed | chosen
        yield DataSpec(
            source=place.at("source").text(),
            settings=settings,
            label=label.filled(settings) if label else _own_label(given["source"], chosen),
            standardize=True if standardize is None else standardize.flag(),
        )


def _own_label(source: str, chosen: Mapping[str, Any]) -> str:
    return " ".join([source, *(f"{key}={value}" for key, value in chosen.items())])


def _limits(place: Place | None) -> Limits:
    if place is None:
        return Limits()
    place.mapping(("seconds", "memory_gib", "threads"))
    seconds, memory, threads = (place.get(key) for key in ("seconds", "memory_gib", "threads"))
    return Limits(
        seconds=None if seconds is None else seconds.number(0),
        memory_gib=None if memory is None else memory.number(0),
        threads=None if threads is None else threads.whole(1),
    )


def _report(
    place: Place | None, methods: tuple[MethodSpec, ...], data: tuple[DataSpec, ...]
) -> ReportSpec:
    if place is None:
        return ReportSpec()
    place.mapping(("metrics", "columns", "reference", "focus", "curve", "best"))
    metrics, columns, reference = (place.get(key) for key in ("metrics", "columns", "reference"))
    focus, curve, best = (place.get(key) for key in ("focus", "curve", "best"))
    labels = [spec.label for spec in methods]
    if reference is not None and reference.text() not in labels:
        reference.wrong(f"the label of a method: {', '.join(labels)}")
    crossed = dict.fromkeys(key for spec in methods for key in spec.chosen)
    own = dict.fromkeys(key for spec in data for key in spec.settings)
    return ReportSpec(
        metrics=("f1",) if metrics is None else tuple(map(Place.text, metrics.entries())),
        columns="{label}" if columns is None else columns.text(),
        reference=None if reference is None else reference.text(),
        focus=None if focus is None else focus.text(),
        curve=() if curve is None else _names(curve, [*crossed, *own]),
        best=None if best is None else _best(best, list(own)),
    )


def _names(place: Place, known: list[str]) -> tuple[str, ...]:
    """Read one name or several, all of them known."""
    places = place.entries() if isinstance(place.value, list) else [place]
    for entry in places:
        if entry.text() not in known:
            entry.wrong(f"something that the study crosses: {', '.join(known)}")
    return tuple(entry.text() for entry in places)


def _best(place: Place, known: list[str]) -> Best:
    if "metric" not in place.mapping(("metric", "by")):
        place.wrong("{metric: what decides, by: a setting of the data}")
    by = place.get("by")
    return Best(place.at("metric").text(), None if by is None else _names(by, known)[0])


def _require_distinct(place: Place, labels: list[str]) -> None:
    twice = sorted({label for label in labels if labels.count(label) > 1})
    if twice:
        raise SettingsError(
            f"{place.file}: two entries of {place.key} have the label {twice[0]!r}; expected "
            "distinct ones. Give each its own label:, with settings in braces where a grid crosses."
        )
