"""Random rule sets against a slow obvious twin, and through every written form."""

import fnmatch
import itertools
import json
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chronodag.errors import KnowledgeError
from chronodag.knowledge import PriorKnowledge
from chronodag.knowledge.rules import REQUIRED_STRENGTH

NAMES = ("a", "b", "a1", "x*", "a -> b")
LAGS = 2


class Refused(Exception):
    """The twin's refusal."""


# --- the twin: a rule is a plain tuple, and every cell asks every rule -------------------------


def meant(pattern):
    if pattern in NAMES:
        return {pattern}
    found = {name for name in NAMES if fnmatch.fnmatchcase(name, pattern)}
    if not found:
        raise Refused
    return found


def meant_by_all(patterns):
    return set().union(*map(meant, patterns))


def allows(rule, lag, source, target, threshold):
    """The (lower, upper) that one rule states about one cell."""
    kind, *rest = rule
    nothing, never = (0.0, np.inf), (0.0, 0.0)
    if kind in ("forbid", "require", "bound"):
        sources, targets, lags, lower, upper = rest
        one = len(set(sources)) == len(set(targets)) == 1 and sources[0] == targets[0]
        exact = one and (sources[0] in NAMES or sources[0].isalnum())
        if exact and lags is not None and 0 in lags and (kind == "require" or lower > 0):
            raise Refused
        here = source in meant_by_all(sources), target in meant_by_all(targets)
        if lags is not None and max(lags) > LAGS:
            raise Refused
        if not all(here) or (lags is not None and lag not in lags):
            return nothing
        if kind == "forbid":
            return never
        if kind == "require":
            return (threshold[lag] or REQUIRED_STRENGTH, np.inf)
        return lower, np.inf if upper is None else upper
    if kind == "tiers":
        tiers, lags = rest
        if lags is not None and max(lags) > LAGS:
            raise Refused
        tiers = [meant_by_all(tier) for tier in tiers]
        if any(one & two for one, two in itertools.combinations(tiers, 2)):
            raise Refused
        ranks = {name: rank for rank, tier in enumerate(tiers) for name in tier}
        backwards = ranks.get(source, -1) > ranks.get(target, len(tiers))
        return never if backwards and (lags is None or lag in lags) else nothing
    if kind == "exogenous":
        return never if source != target and target in meant(rest[0]) else nothing
    name, own_past = rest
    return never if source in meant(name) and (source != target or not own_past) else nothing


def twin(rules, threshold):
    lower, upper = np.zeros((2, LAGS + 1, len(NAMES), len(NAMES)))
    for k, i, j in itertools.product(range(LAGS + 1), range(len(NAMES)), range(len(NAMES))):
        stated = [allows(rule, k, NAMES[i], NAMES[j], threshold) for rule in rules]
        if k == 0 and i == j:
            continue
        lower[k, i, j] = max((low for low, _ in stated), default=0)
        upper[k, i, j] = min((high for _, high in stated), default=np.inf)
        if lower[k, i, j] > upper[k, i, j] or 0 < lower[k, i, j] < threshold[k]:
            raise Refused
    paths = np.linalg.matrix_power((lower[0] > 0).astype(int) + np.eye(len(NAMES), dtype=int), 9)
    back_and_forth = (paths > 0) & (paths > 0).T & ~np.eye(len(NAMES), dtype=bool)
    if back_and_forth.any():
        raise Refused
    return lower, upper


# --- the same tuples, said to PriorKnowledge ----------------------------------------------------


def say(known, rule):
    kind, *rest = rule
    if kind in ("forbid", "require"):
        return getattr(known, kind)(*rest[:3])
    if kind == "sink":
        return known.sink(rest[0], own_past=rest[1])
    return getattr(known, kind)(*rest)


def said(rules):
    known = PriorKnowledge()
    for rule in rules:
        known = say(known, rule)
    return known


patterns = st.sampled_from([*NAMES, *NAMES, "*", "a*", "?", "x*", "*1"]) | st.sampled_from(
    [*NAMES] * 9 + ["q", "q*"]
)
several = st.lists(patterns, min_size=1, max_size=2)
some_lags = st.none() | st.lists(st.sampled_from([0, 1, 2] * 9 + [3]), min_size=1, max_size=2)
limits = st.tuples(st.sampled_from([0.0, 0.2, 0.3, 0.5]), st.sampled_from([None, 0.5, 2.0]))
edges = st.one_of(
    st.tuples(
        st.sampled_from(["forbid", "require"]), several, several, some_lags, st.just(0.0), st.none()
    ),
    st.tuples(several, several, some_lags, limits.filter(lambda pair: pair != (0.0, None))).map(
        lambda t: ("bound", t[0], t[1], t[2], *t[3])
    ),
)
orders = st.lists(patterns, min_size=2, max_size=3, unique=True).map(lambda o: [[p] for p in o])
random_rules = st.lists(
    st.one_of(
        edges,
        edges,
        edges,
        st.tuples(st.just("tiers"), orders, some_lags),
        st.tuples(st.just("exogenous"), patterns),
        st.tuples(st.just("sink"), patterns, st.booleans()),
    ),
    max_size=6,
)
thresholds = st.lists(st.sampled_from([0.0, 0.2, 0.3]), min_size=LAGS + 1, max_size=LAGS + 1)


@settings(max_examples=500, deadline=None)
@given(random_rules, thresholds, st.randoms(use_true_random=False))
def test_same_bounds_as_the_twin_or_both_refuse_in_any_order(rules, threshold, random):
    try:
        expected = twin(rules, threshold)
    except Refused:
        with pytest.raises(KnowledgeError, match=r".+"):
            said(rules).compile(NAMES, LAGS, threshold)
        with pytest.raises(KnowledgeError, match=r".+"):
            said(rules[::-1]).compile(NAMES, LAGS, threshold)
        return
    bounds = said(rules).compile(NAMES, LAGS, threshold)
    np.testing.assert_array_equal(bounds.lower, expected[0])
    np.testing.assert_array_equal(bounds.upper, expected[1])
    shuffled = random.sample(rules, len(rules))
    assert said(shuffled).compile(NAMES, LAGS, threshold) == bounds
    assert said(shuffled) == said(rules)
    middle = np.clip(1.0, bounds.lower, bounds.upper)
    assert bounds.violations(middle, NAMES) == []


def test_the_random_rules_are_often_accepted_and_often_refused():
    outcomes = []

    @settings(max_examples=200, deadline=None, database=None, derandomize=True)
    @given(random_rules, thresholds)
    def run(rules, threshold):
        try:
            outcomes.append(bool(twin(rules, threshold)) and len(rules) > 1)
        except Refused:
            outcomes.append(None)

    run()
    assert outcomes.count(True) > 20
    assert outcomes.count(None) > 20


# --- written forms ------------------------------------------------------------------------------

odd_names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip)
odd_several = st.lists(odd_names, min_size=1, max_size=3)
odd_lags = st.none() | st.lists(st.integers(0, 9), min_size=1, max_size=4)
positive = st.floats(1e-100, 1e100)


@st.composite
def odd_knowledge(draw):
    known = PriorKnowledge()
    for _ in range(draw(st.integers(0, 4))):
        lags = draw(odd_lags)
        match draw(st.integers(0, 5)):
            case 0:
                known = known.forbid(draw(odd_several), draw(odd_several), lags)
            case 1:
                sources, targets = draw(odd_several), [*draw(odd_several), "one", "two"]
                known = known.require(sources, targets, lags)
            case 2:
                low, high = sorted([draw(positive), draw(positive)])
                targets = [*draw(odd_several), "one", "two"]
                low, high = draw(st.sampled_from([(low, high), (0.0, high), (low, None)]))
                known = known.bound(draw(odd_several), targets, lags, low, high)
            case 3:
                order = draw(st.lists(odd_names, min_size=2, max_size=4, unique=True))
                known = known.tiers([order[:1], order[1:]], lags)
            case 4:
                known = known.exogenous(draw(odd_names))
            case _:
                known = known.sink(draw(odd_names), own_past=draw(st.booleans()))
    return known


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(odd_knowledge())
def test_dictionaries_and_files_lose_nothing(known):
    assert PriorKnowledge.from_dict(known.to_dict()) == known
    assert PriorKnowledge.from_dict(json.loads(json.dumps(known.to_dict()))) == known
    with tempfile.TemporaryDirectory() as folder:
        for suffix in (".yaml", ".json"):
            path = Path(folder) / f"rules{suffix}"
            known.to_file(path)
            assert PriorKnowledge.from_file(path) == known


@given(odd_knowledge())
def test_edges_whose_text_is_exact_read_back_from_it(known):
    for rule in known:
        if getattr(rule, "edge_text_is_exact", False) and rule.kind != "bound":
            again = say(PriorKnowledge(), (rule.kind, rule.edge, None, None))
            assert again == PriorKnowledge((rule,))
