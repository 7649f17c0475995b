import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest

from chronodag.errors import KnowledgeError
from chronodag.knowledge import PriorKnowledge

KNOWN = PriorKnowledge()


def test_every_call_returns_a_new_object():
    first = KNOWN.forbid("a -> b")
    second = first.require("c@1 -> a")
    assert (len(KNOWN), len(first), len(second)) == (0, 1, 2)
    with pytest.raises(AttributeError, match="rules"):
        first.rules = ()


def test_equal_by_rules_whatever_the_order_or_the_form():
    one = KNOWN.forbid("a@1,0 -> b").require("c@2 -> a")
    two = KNOWN.require("c", "a", lag=[2]).forbid("a", ["b"], lag=np.array([0, 1, 1]))
    assert one == two
    assert hash(one) == hash(two)
    assert one != two.forbid("a -> c")
    assert one != "a -> b"
    assert len(one & two) == 2
    assert pickle.loads(pickle.dumps(one)) == copy.deepcopy(one) == one


def test_repr_and_str_list_the_rules():
    known = (
        KNOWN.forbid("goal@0,1 -> *")
        .require(["a", "b"], "c")
        .bound("a@1 -> b", lower=0.5, upper=2)
        .tiers([["a", "b"], "c"], lag=[0, 1])
        .exogenous("a")
        .sink("goal", own_past=False)
    )
    assert str(known).splitlines() == [
        "6 rules:",
        "  forbid goal@0,1 -> *",
        "  require [a, b] -> c",
        "  bound a@1 -> b, lower 0.5, upper 2.0",
        "  tiers [a, b] before [c] at lags 0,1",
        "  exogenous a",
        "  sink goal (own_past=False)",
    ]
    assert repr(KNOWN) == "PriorKnowledge(no rules)"
    assert str(KNOWN) == "no rules"
    assert repr(KNOWN.sink("b")) == "PriorKnowledge(sink b)"
    assert str(KNOWN.sink("b")) == "1 rule:\n  sink b"


def test_text_form_takes_lags_apart_but_not_twice():
    assert KNOWN.forbid("a -> b", lag=1) == KNOWN.forbid("a@1 -> b")
    with pytest.raises(KnowledgeError, match=r"lags twice: in 'a@1 -> b' and as lag=2"):
        KNOWN.forbid("a@1 -> b", lag=2)


def test_argument_form_takes_any_name():
    known = KNOWN.forbid("me@home", "a -> b", lag=1)
    assert known.compile(["me@home", "a -> b"], 1, 0).forbidden[1, 0, 1]


def test_merge_keeps_all_rules():
    both = KNOWN.forbid("a -> b") & KNOWN.sink("c")
    assert both == KNOWN.sink("c").forbid("a -> b") == KNOWN.sink("c").merge(KNOWN.forbid("a -> b"))
    with pytest.raises(KnowledgeError, match="only PriorKnowledge can be merged; got 3"):
        KNOWN.merge(3)
    with pytest.raises(TypeError, match="unsupported operand"):
        KNOWN & 3


@pytest.mark.parametrize(
    "lag", [-1, 1.0, True, "1", [0, -2], [True], np.float64(2), np.bool_(True)]
)
def test_impossible_lags_are_refused_at_once(lag):
    with pytest.raises(KnowledgeError, match=r"'forbid a -> b' got the lag .*whole numbers"):
        KNOWN.forbid("a", "b", lag=lag)


@pytest.mark.parametrize("value", [-0.1, np.nan, np.inf, 1e-200, 10**400, True, "0.5", [1.0]])
def test_impossible_strengths_are_refused_at_once(value):
    with pytest.raises(KnowledgeError, match=r"'bound a@1 -> b' got lower=.*finite number"):
        KNOWN.bound("a@1 -> b", lower=value)
    with pytest.raises(KnowledgeError, match=r"'bound a@1 -> b' got upper=.*leave it out"):
        KNOWN.bound("a@1 -> b", upper=value)


@pytest.mark.parametrize(
    ("state", "message"),
    [
        (lambda k: k.bound("a@1 -> b"), "'bound a@1 -> b' says nothing: give lower"),
        (
            lambda k: k.bound("a@1 -> b", lower=2, upper=1),
            "'bound a@1 -> b, lower 2.0, upper 1.0' allows no strength.*lower bound 2 .*bound 1;",
        ),
        (lambda k: k.require("a@0,1 -> a"), "'require a@0,1 -> a' asks that 'a' drive itself"),
        (lambda k: k.bound("a", "a", 0, 0.5), "'bound a@0 -> a, lower 0.5' asks that 'a' drive"),
        (lambda k: k.forbid("", "b"), "forbid got the empty name ''"),
        (lambda k: k.forbid("a", "  "), "forbid got the empty name '  '"),
        (lambda k: k.forbid("a", []), "forbid got an empty sequence of names"),
        (lambda k: k.forbid("a", "b", lag=[]), "'forbid a -> b' got no lags at all"),
        (lambda k: k.forbid(3, "b"), "forbid got 3 where a name was expected"),
        (lambda k: k.forbid(["a -> b", "b -> c"]), "and no target.*one call for each text"),
        (lambda k: k.tiers([["a"]]), "expected at least two tiers"),
        (lambda k: k.tiers("ab"), "tiers got 'ab'; expected at least two tiers"),
        (lambda k: k.tiers(5), "tiers got 5; expected at least two tiers"),
        (lambda k: k.tiers([["a"], []]), "tiers got an empty sequence of names"),
        (lambda k: k.tiers([["a"], ["b", "a"]]), r"'tiers \[a\] before \[b, a\]', 'a' stands in"),
        (lambda k: k.tiers([["a"], ["b"]], lag=-1), "tiers got the lag -1"),
        (lambda k: k.exogenous(), "exogenous got no names"),
        (lambda k: k.sink(), "sink got no names"),
        (lambda k: k.sink(""), "sink got the empty name"),
        (lambda k: k.sink("a", own_past=0), "'sink a' got own_past=0; give True or False"),
        (lambda k: PriorKnowledge(("a -> b",)), "'a -> b' is not a rule; start from"),
    ],
)
def test_what_is_wrong_in_itself_is_refused_at_once(state, message):
    with pytest.raises(KnowledgeError, match=message):
        state(KNOWN)


def test_importing_knowledge_stays_light():
    script = (
        "import sys, chronodag.knowledge; "
        "heavy = {'jax', 'yaml', 'scipy', 'networkx', 'pandas', 'sklearn'} & set(sys.modules); "
        "sys.exit(', '.join(heavy) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
