import json

import pytest
import yaml

from chronodag.errors import KnowledgeError
from chronodag.knowledge import PriorKnowledge

HANDWRITTEN = """
# what the coach knows
forbid:
  - goal@0,1 -> *
  - {source: [a, b], target: "me@home", lag: 1}
  - {edge: a -> b, lag: 0}
require: rain@1 -> river
bound:
  - {edge: "a@1 -> b", lower: 0.1, upper: 2}
  - {source: a, target: b, upper: 1.0e-3}
tiers: [[a, b], c]
exogenous: [rain]
sink:
  - river
  - {name: goal, own_past: false}
"""
KNOWN = (
    PriorKnowledge()
    .forbid("goal@0,1 -> *")
    .forbid(["a", "b"], "me@home", 1)
    .forbid("a@0 -> b")
    .require("rain@1 -> river")
    .bound("a@1 -> b", lower=0.1, upper=2)
    .bound("a -> b", upper=0.001)
    .tiers([["a", "b"], ["c"]])
    .exogenous("rain")
    .sink("river")
    .sink("goal", own_past=False)
)


@pytest.mark.parametrize("suffix", [".yaml", ".yml", ".json", ".JSON"])
def test_files_round_trip(tmp_path, suffix):
    path = tmp_path / f"rules{suffix}"
    KNOWN.to_file(path)
    assert PriorKnowledge.from_file(str(path)) == KNOWN


def test_a_handwritten_file_reads_as_meant(tmp_path):
    path = tmp_path / "rules.yaml"
    path.write_text(HANDWRITTEN, encoding="utf-8")
    assert PriorKnowledge.from_file(path) == KNOWN


def test_the_mapping_is_plain_and_short():
    assert KNOWN.to_dict() == {
        "forbid": [
            "goal@0,1 -> *",
            {"source": ["a", "b"], "target": "me@home", "lag": [1]},
            "a@0 -> b",
        ],
        "require": ["rain@1 -> river"],
        "bound": [
            {"edge": "a@1 -> b", "lower": 0.1, "upper": 2.0},
            {"edge": "a -> b", "upper": 0.001},
        ],
        "tiers": [["a", "b"], ["c"]],
        "exogenous": ["rain"],
        "sink": ["river", {"name": "goal", "own_past": False}],
    }
    json.dumps(KNOWN.to_dict())


def test_several_tiers_and_their_lags_round_trip():
    known = PriorKnowledge().tiers(["a", "b"], lag=0).tiers(["a", "b", "c"])
    assert PriorKnowledge.from_dict(known.to_dict()) == known
    one = PriorKnowledge().tiers(["a", "b"], lag=0)
    assert PriorKnowledge.from_dict({"tiers": {"order": ["a", "b"], "lag": 0}}) == one
    assert PriorKnowledge.from_dict(one.to_dict()) == one


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "forbid:\n", "{}", "tiers: []"])
def test_a_file_may_be_empty(tmp_path, text):
    path = tmp_path / "rules.yaml"
    path.write_text(text)
    assert PriorKnowledge.from_file(path) == PriorKnowledge()
    empty = tmp_path / "empty.json"
    empty.write_text("")
    assert len(PriorKnowledge.from_file(empty)) == 0


@pytest.mark.parametrize(
    ("sections", "message"),
    [
        ({"forbids": []}, r"unknown key 'forbids'; known are forbid, .*Did you mean 'forbid'"),
        ({"x": 1, "y": 2}, r"unknown keys 'x', 'y'; known are forbid, require, bound, tiers"),
        (["a -> b"], r"must be a mapping with keys among forbid, .*got \['a -> b'\]"),
        ({"forbid": 3}, r"forbid got 3; expected a list of statements"),
        ({"forbid": ["a -> b", "a b"]}, r"forbid, entry 2: cannot read 'a b': it has no '->'"),
        ({"forbid": [None]}, r"forbid, entry 1: forbid got None and no target"),
        ({"forbid": [{"sorce": "a", "target": "b"}]}, r"unknown key 'sorce'.*'source'"),
        ({"forbid": [{"edge": "a -> b", "lower": 1}]}, r"unknown key 'lower'; known are edge"),
        ({"forbid": [{"source": "a"}]}, r"needs source and target, or edge"),
        ({"forbid": [{"edge": "a -> b", "target": "b"}]}, r"gives edge as well as source"),
        ({"forbid": [{"edge": "a@1 -> b", "lag": 1}]}, r"lags twice"),
        ({"bound": ["a@1 -> b"]}, r"bound, entry 1: 'bound a@1 -> b' says nothing"),
        ({"bound": [{"edge": "a -> b", "lower": "1e-3"}]}, r"YAML reads 1e-3 as text"),
        ({"tiers": [["a"], [False]]}, r"tiers got False.*quotes around names such as 1, yes or no"),
        ({"tiers": [{"order": ["a", "b"], "lags": 1}]}, r"unknown key 'lags'.*'lag'"),
        ({"tiers": {"lag": 1}}, r"expected at least two tiers"),
        ({"exogenous": [1]}, r"exogenous, entry 1: exogenous got 1 where a name"),
        ({"sink": [{"own_past": False}]}, r"sink got the empty name"),
        ({"sink": [{"name": "a", "own": 1}]}, r"sink has the unknown key 'own'"),
    ],
)
def test_wrong_mappings_are_explained(sections, message):
    with pytest.raises(KnowledgeError, match=message):
        PriorKnowledge.from_dict(sections)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("rules.toml", "", r"rules.toml' ends in '.toml'; knowledge files end in .yaml, .yml"),
        ("rules", "", r"ends in 'no suffix'"),
        ("rules.yaml", "forbid: [a", r"cannot read knowledge from '.*rules.yaml'.*YAML"),
        ("rules.json", "{", r"cannot read knowledge from '.*rules.json'"),
        ("rules.yaml", "forbid: [a -> b]\nforbid: [c -> d]", r"the key 'forbid' occurs twice"),
        ("rules.json", '{"sink": ["a"], "sink": ["b"]}', r"the key 'sink' occurs twice"),
        ("rules.yaml", "forbit: [a -> b]", r"in '.*rules.yaml': .*'forbit'.*Did you mean 'forbid'"),
        ("rules.yaml", "a -> b", r"must be a mapping"),
        ("rules.yaml", "!!python/object/apply:os.getcwd []", r"could not determine a constructor"),
    ],
)
def test_wrong_files_are_explained(tmp_path, name, text, message):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(KnowledgeError, match=message):
        PriorKnowledge.from_file(path)


def test_a_missing_file_is_said_to_be_missing(tmp_path):
    with pytest.raises(KnowledgeError, match=r"cannot read knowledge from.*No such file"):
        PriorKnowledge.from_file(tmp_path / "rules.yaml")


def test_written_yaml_is_for_people(tmp_path):
    path = tmp_path / "rules.yaml"
    PriorKnowledge().forbid("größe@1 -> goal").to_file(path)
    assert "größe@1 -> goal" in path.read_text(encoding="utf-8")
    assert yaml.safe_load(path.read_text(encoding="utf-8")) == {"forbid": ["größe@1 -> goal"]}


@pytest.mark.parametrize("suffix", [".yaml", ".json"])
@pytest.mark.parametrize(
    "sign", ["\x85", "\u2028", "\u2029", "\ufeff", "\n", "\r", "\t", "\x00", "\xa0"]
)
def test_odd_characters_in_names_survive(tmp_path, suffix, sign):
    for name in (f"é{sign}", f"{sign}é", f"é{sign}{sign} é", f"e{sign}: #e"):
        known = PriorKnowledge().forbid(name, "b").sink(name).exogenous(f"# {name}")
        path = tmp_path / f"rules{suffix}"
        known.to_file(path)
        assert PriorKnowledge.from_file(path) == known
