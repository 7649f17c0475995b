"""Rules as plain dictionaries, as they stand in YAML and JSON files.

The schema, in YAML (every section may be left out)::

    forbid:
      - goal@0,1 -> *                                    # text form
      - {source: [a, b], target: "me@home", lag: [0, 1]} # argument form
    require:
      - rain@1 -> river
    bound:
      - {edge: "a@1 -> b", lower: 0.1, upper: 2}
    tiers: [[a, b], [c]]        # or {order: [[a, b], [c]], lag: 0}, or a list of such mappings
    exogenous: [rain]
    sink: [river, {name: goal, own_past: false}]
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Literal

from chronodag.errors import KnowledgeError
from chronodag.knowledge.rules import EdgeRule, ExogenousRule, Rule, SinkRule, TierRule
from chronodag.knowledge.text import parse_edge

EdgeKind = Literal["forbid", "require", "bound"]


def edge_rule(
    kind: EdgeKind, source: Any, target: Any = None, lag: Any = None, **strengths: Any
) -> EdgeRule:
    """Make an edge rule from the argument form or, without a target, from the text form."""
    if target is not None:
        return EdgeRule(kind, source, target, lag, **strengths)
    if not isinstance(source, str):
        raise KnowledgeError(
            f"{kind} got {source!r} and no target; give source and target, or one text like "
            '"goal@0,1 -> *" (one call for each text).'
        )
    edge = parse_edge(source)
    if edge.lags is not None and lag is not None:
        raise KnowledgeError(f"{kind} got lags twice: in {source!r} and as lag={lag!r}; keep one.")
    lags = edge.lags if lag is None else lag
    return EdgeRule(kind, edge.sources, edge.targets, lags, **strengths)


def rules_from_dict(sections: Mapping[str, Any]) -> list[Rule]:
    """Read all sections of a mapping that follows this module's schema."""
    _refuse_unknown_keys(sections, tuple(_READERS), "knowledge")
    rules: list[Rule] = []
    for key, content in sections.items():
        for number, entry in enumerate(_entries(key, content), start=1):
            try:
                rules.append(_READERS[key](entry))
            except KnowledgeError as error:
                raise KnowledgeError(f"{key}, entry {number}: {error}") from error
    return rules


def rules_to_dict(rules: Iterable[Rule]) -> dict[str, Any]:
    """Write rules as a mapping of plain lists, texts and numbers, without empty sections."""
    sections: dict[str, Any] = {key: [] for key in _READERS}
    for rule in rules:
        key, entry = _written(rule)
        sections[key].append(entry)
    if len(sections["tiers"]) == 1 and "lag" not in sections["tiers"][0]:
        sections["tiers"] = sections["tiers"][0]["order"]
    return {key: entries for key, entries in sections.items() if entries}


def _entries(key: str, content: Any) -> list[Any]:
    """Take a section's content as a list of statements; one statement may stand alone."""
    if content is None:
        return []
    if isinstance(content, str | Mapping):
        return [content]
    if not isinstance(content, Sequence):
        raise KnowledgeError(f"{key} got {content!r}; expected a list of statements.")
    if key == "tiers" and not all(isinstance(entry, Mapping) for entry in content):
        return [content] if content else []
    return list(content)


def _read_edge(kind: EdgeKind) -> Callable[[Any], Rule]:
    strengths = ("lower", "upper") if kind == "bound" else ()

    def read(entry: Any) -> Rule:
        if not isinstance(entry, Mapping):
            return edge_rule(kind, entry)
        _refuse_unknown_keys(entry, ("edge", "source", "target", "lag", *strengths), kind)
        fields = dict(entry)
        if "edge" not in fields:
            if fields.get("source") is None or fields.get("target") is None:
                raise KnowledgeError(
                    f"{dict(entry)} needs source and target, or edge with a text like 'a@1 -> b'."
                )
            return edge_rule(kind, **fields)
        if "source" in fields or "target" in fields:
            raise KnowledgeError(f"{dict(entry)} gives edge as well as source or target; keep one.")
        return edge_rule(kind, fields.pop("edge"), **fields)

    return read


def _read_tiers(entry: Any) -> Rule:
    if not isinstance(entry, Mapping):
        return TierRule(entry)
    _refuse_unknown_keys(entry, ("order", "lag"), "tiers")
    return TierRule(entry.get("order", ()), entry.get("lag"))


def _read_exogenous(entry: Any) -> Rule:
    return ExogenousRule(entry)


def _read_sink(entry: Any) -> Rule:
    if not isinstance(entry, Mapping):
        return SinkRule(entry)
    _refuse_unknown_keys(entry, ("name", "own_past"), "sink")
    return SinkRule(entry.get("name", ""), entry.get("own_past", True))


_READERS: dict[str, Callable[[Any], Rule]] = {
    "forbid": _read_edge("forbid"),
    "require": _read_edge("require"),
    "bound": _read_edge("bound"),
    "tiers": _read_tiers,
    "exogenous": _read_exogenous,
    "sink": _read_sink,
}


def _written(rule: Rule) -> tuple[str, Any]:
    """Return the section a rule belongs to and its entry there."""
    match rule:
        case EdgeRule():
            return rule.kind, _written_edge(rule)
        case TierRule(tiers, lags):
            order = {"order": [list(tier) for tier in tiers]}
            return "tiers", order if lags is None else order | {"lag": list(lags)}
        case ExogenousRule(name):
            return "exogenous", name
        case SinkRule(name, own_past):
            return "sink", name if own_past else {"name": name, "own_past": False}
    raise KnowledgeError(f"{rule!r} is not a rule that can be written.")


def _written_edge(rule: EdgeRule) -> Any:
    if rule.edge_text_is_exact:
        fields: dict[str, Any] = {"edge": rule.edge}
        if rule.kind != "bound":
            return rule.edge
    else:
        fields = {"source": _one_or_list(rule.sources), "target": _one_or_list(rule.targets)}
        fields |= {} if rule.lags is None else {"lag": list(rule.lags)}
    fields |= {"lower": rule.lower} if rule.lower > 0 else {}
    return fields if rule.upper is None else fields | {"upper": rule.upper}


def _one_or_list(names: tuple[str, ...]) -> str | list[str]:
    return names[0] if len(names) == 1 else list(names)


def _refuse_unknown_keys(given: Any, known: tuple[str, ...], where: str) -> None:
    if not isinstance(given, Mapping):
        raise KnowledgeError(
            f"{where} must be a mapping with keys among {', '.join(known)}; got {given!r}."
        )
    unknown = [key for key in given if key not in known]
    if unknown:
        close = get_close_matches(str(unknown[0]), known, n=1)
        hint = f" Did you mean {close[0]!r} for {unknown[0]!r}?" if close else ""
        raise KnowledgeError(
            f"{where} has the unknown key{'s' if len(unknown) > 1 else ''} "
            f"{', '.join(map(repr, unknown))}; known are {', '.join(known)}.{hint}"
        )
