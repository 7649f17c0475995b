"""The `methods` of a study file: one row each, or many where a grid of settings is crossed."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

from chronodag.study.places import Place
from chronodag.study.spec import Facts, MethodSpec

_METHOD = ("method", "label", "group", "settings", "grid", "by", "when", "knowledge")
_SHARES = ("forbid", "require", "wrong")
_ONE = ("required", "forbidden")


def read_methods(place: Place) -> Iterator[MethodSpec]:
    """Read one entry; its `grid`, and lists of shares under `knowledge`, are crossed."""
    if "method" not in place.mapping(_METHOD):
        place.wrong("a mapping with a method: (and its settings)")
    settings, crossed, told = (place.get(key) for key in ("settings", "grid", "knowledge"))
    fixed = {} if settings is None else dict(settings.mapping())
    grid = {} if crossed is None else crossed.lists()
    if both := sorted(set(grid) & set(fixed)):
        place.wrong(f"{both[0]} either in settings or in grid, not both")
    shares = {} if told is None else _lists_of_shares(told)
    for values in itertools.product(*grid.values(), *shares.values()):
        chosen = dict(zip([*grid, *shares], values, strict=True))
        yield MethodSpec(
            method=place.at("method").text(),
            settings=fixed | {key: chosen[key] for key in grid},
            label=_label(place, chosen),
            by=_by(place.get("by")),
            when=_when(place.get("when")),
            knowledge=None if told is None else _facts(told, {key: chosen[key] for key in shares}),
            group=_group(place),
            chosen=chosen,
        )


def _label(place: Place, chosen: Mapping[str, Any]) -> str:
    """Return the label, made distinct where a grid is crossed."""
    given = place.get("label")
    text = place.at("method").text() if given is None else given.text()
    if not chosen:
        return text
    if given is not None and "{" in text:
        return given.filled(chosen)
    return f"{text} ({settings_text(chosen)})"


def _group(place: Place) -> str:
    for key in ("group", "label"):
        given = place.get(key)
        if given is not None and not (key == "label" and "{" in given.text()):
            return given.text()
    return place.at("method").text()


def settings_text(chosen: Mapping[str, Any]) -> str:
    """Return settings for a person: `l1=0.01, threshold=0.3`."""
    return ", ".join(f"{key}={value}" for key, value in chosen.items())


def _by(place: Place | None) -> dict[str, dict[str, dict[str, Any]]]:
    if place is None:
        return {}
    return {
        key: {str(case): dict(place.at(key).at(case).mapping()) for case in _cases(place.at(key))}
        for key in place.mapping()
    }


def _cases(place: Place) -> list[Any]:
    if not isinstance(place.value, Mapping):
        place.wrong("a mapping from each value of the data's setting to settings of the method")
    return list(place.value)


def _when(place: Place | None) -> dict[str, tuple[str, ...]]:
    if place is None:
        return {}
    return {
        key: tuple(str(entry.value) for entry in place.at(key).entries()) for key in place.mapping()
    }


def _lists_of_shares(place: Place) -> dict[str, list[float]]:
    given = place.mapping((*_SHARES, "lags", "one"))
    return {
        key: [entry.share() for entry in place.at(key).entries()]
        for key in _SHARES
        if isinstance(given.get(key), list)
    }


def _facts(place: Place, chosen: Mapping[str, float]) -> Facts:
    one, lags = place.get("one"), place.get("lags")
    if one is not None and (one.value not in _ONE or set(place.value) & set(_SHARES)):
        place.wrong("{one: required} or {one: forbidden}, with lags at most beside it")
    shares = {
        key: place.at(key).share() for key in _SHARES if key in place.value and key not in chosen
    }
    return Facts(
        **shares,
        **chosen,
        lags=None if lags is None else tuple(entry.whole(0) for entry in lags.entries()),
        one=None if one is None else one.text(),
    )
