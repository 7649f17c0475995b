import numpy as np
import pytest

from chronodag.errors import KnowledgeError, SettingsError
from chronodag.knowledge import EdgeBounds, PriorKnowledge
from chronodag.knowledge.rules import REQUIRED_STRENGTH

KNOWN = PriorKnowledge()
NAMES = ("a", "b", "goal")
A, B, GOAL = 0, 1, 2
THRESHOLD = (0.3, 0.2)


def compiled(known, names=NAMES, lags=1, threshold=THRESHOLD):
    return known.compile(names, lags, threshold)


def cells(mask):
    return {tuple(cell) for cell in np.argwhere(mask).tolist()}


SELF_LOOPS = {(0, i, i) for i in range(3)}


def test_no_rules_leave_only_the_structure():
    bounds = compiled(KNOWN)
    assert bounds == EdgeBounds.unrestricted(3, 1)
    assert cells(bounds.forbidden) == SELF_LOOPS
    assert not bounds.required.any()
    assert not bounds.stated.any()


def test_forbid_names_its_cells_and_no_others():
    bounds = compiled(KNOWN.forbid("goal@0 -> *"))
    assert cells(bounds.stated) == {(0, GOAL, A), (0, GOAL, B)}
    assert cells(bounds.forbidden) == SELF_LOOPS | cells(bounds.stated)


def test_require_takes_the_threshold_of_its_lag():
    bounds = compiled(KNOWN.require("a -> b"))
    assert cells(bounds.required) == {(0, A, B), (1, A, B)}
    np.testing.assert_array_equal(bounds.lower[:, A, B], THRESHOLD)
    assert np.all(np.isinf(bounds.upper[:, A, B]))


def test_require_is_positive_even_at_threshold_zero():
    bounds = compiled(KNOWN.require("a -> b"), threshold=(0, 0.2))
    np.testing.assert_array_equal(bounds.lower[:, A, B], [REQUIRED_STRENGTH, 0.2])


def test_rules_intersect():
    known = (
        KNOWN.bound("a@1 -> b", lower=0.5, upper=3).bound("*@1 -> b", upper=2).require("a@1 -> b")
    )
    bounds = compiled(known)
    assert (bounds.lower[1, A, B], bounds.upper[1, A, B]) == (0.5, 2)
    assert (bounds.lower[1, B, B], bounds.upper[1, B, B]) == (0, 2)


def test_a_weak_lower_bound_joined_by_require_is_lifted_to_the_threshold():
    bounds = compiled(KNOWN.bound("a@1 -> b", lower=0.1).require("a@1 -> b"))
    assert bounds.lower[1, A, B] == 0.2


def test_upper_bound_below_the_threshold_is_allowed():
    assert compiled(KNOWN.bound("a@1 -> b", upper=0.1)).upper[1, A, B] == 0.1


@pytest.mark.parametrize(
    "known",
    [
        KNOWN.require("a -> a"),
        KNOWN.require("a@1 -> *").require("a@0 -> *"),
        KNOWN.require(["a", "b"], "b", lag=0),
        KNOWN.bound("*", "goal", lag=[0, 1], lower=0.5),
        KNOWN.bound("a@0 -> a", upper=2),
        KNOWN.forbid("a@0 -> a"),
        KNOWN.require("go*@0 -> go*"),
    ],
)
def test_broad_statements_pass_over_instant_self_loops(known):
    bounds = compiled(known)
    assert cells(bounds.forbidden) >= SELF_LOOPS
    assert not bounds.stated[0].diagonal().any()


def test_an_exact_name_with_a_star_is_no_pattern():
    names = ("x*", "xy", "z")
    assert cells(compiled(KNOWN.forbid("x*@1 -> z"), names).stated) == {(1, 0, 2)}
    assert cells(compiled(KNOWN.forbid("x?@1 -> z"), names).stated) == {(1, 0, 2), (1, 1, 2)}
    with pytest.raises(
        KnowledgeError, match=r"'require x\*@0 -> x\*' asks that 'x\*' drive itself"
    ):
        compiled(KNOWN.require("x*@0 -> x*"), names)
    assert not compiled(KNOWN.require("x*@0 -> x*"), ("xy", "z")).stated.any()


def test_brackets_mean_themselves_and_case_counts():
    names = ("temp [C]", "temp C", "Temp")
    assert cells(compiled(KNOWN.forbid("temp [*@1 -> temp [C]"), names).stated) == {(1, 0, 0)}


def test_tiers():
    bounds = compiled(KNOWN.tiers([["a"], ["b", "goal"]]))
    assert cells(bounds.stated) == {(k, i, A) for k in (0, 1) for i in (B, GOAL)}
    assert cells(compiled(KNOWN.tiers(["a", "b"], lag=0)).stated) == {(0, B, A)}
    three = compiled(KNOWN.tiers(["a", "b", "goal"], lag=1))
    assert cells(three.stated) == {(1, B, A), (1, GOAL, A), (1, GOAL, B)}


def test_exogenous_leaves_the_own_past():
    bounds = compiled(KNOWN.exogenous("a"))
    assert cells(bounds.stated) == {(k, i, A) for k in (0, 1) for i in (B, GOAL)}
    assert len(KNOWN.exogenous("a", "b")) == 2


def test_sink_with_and_without_its_own_past():
    away = {(k, GOAL, j) for k in (0, 1) for j in (A, B)}
    assert cells(compiled(KNOWN.sink("goal")).stated) == away
    alone = compiled(KNOWN.sink("goal", own_past=False))
    assert cells(alone.stated) == away | {(1, GOAL, GOAL)}
    assert alone == compiled(KNOWN.forbid("goal@0,1 -> *")), "the paper's ice hockey knowledge"


@pytest.mark.parametrize(
    ("known", "message"),
    [
        (
            KNOWN.require("a@1 -> b").forbid("* -> b"),
            r"at a\(t-1\) -> b\(t\): 'require a@1 -> b' .*at least 0.2, 'forbid \* -> b' .*most 0",
        ),
        (
            KNOWN.bound("a@0 -> b", lower=2).bound("a -> b", upper=1),
            r"a\(t\) -> b\(t\): 'bound a@0 -> b, lower 2.0' .* 'bound a -> b, upper 1.0' .*most 1",
        ),
        (
            KNOWN.require("a@0 -> b").bound("a@0 -> b", upper=0.1),
            r"'require a@0 -> b' asks .* 0.3, 'bound a@0 -> b, upper 0.1' allows at most 0.1",
        ),
        (KNOWN.require("* -> b", lag=1).sink("goal", "a"), r"\(and 1 more edge\): .*'sink a'"),
        (
            KNOWN.require("b -> a").tiers(["a", "b"]),
            r"\(and 1 more edge\): 'require b -> a'.*'tiers",
        ),
        (KNOWN.require("b@1 -> a").exogenous("a"), r"'require b@1 -> a'.*'exogenous a'"),
        (
            KNOWN.forbid("gaol@1 -> a"),
            r"'forbid gaol@1 -> a', there is no variable 'gaol'.*'goal'\?",
        ),
        (KNOWN.forbid("GOAL -> a"), r"Did you mean 'goal'\? The variables are 'a', 'b', 'goal'"),
        (KNOWN.forbid("goal@1", "a"), r"no variable 'goal@1'.*lag is not part of a name"),
        (KNOWN.forbid("q* -> a"), r"'forbid q\* -> a', the pattern 'q\*' matches none"),
        (KNOWN.tiers(["a", "c"]), r"'tiers \[a\] before \[c\]', there is no variable 'c'"),
        (KNOWN.tiers(["a", "*"]), r"'tiers \[a\] before \[\*\]', 'a' stands in more than one tier"),
        (KNOWN.exogenous("c"), r"'exogenous c', there is no variable 'c'"),
        (KNOWN.sink("c"), r"'sink c', there is no variable 'c'"),
        (
            KNOWN.forbid("a@2,5 -> b"),
            r"'forbid a@2,5 -> b' speaks of lag 5, .*largest lag here is 1",
        ),
        (KNOWN.tiers(["a", "b"], lag=4), r"'tiers .* at lags 4' speaks of lag 4, .* is 1"),
        (
            KNOWN.bound("a@1 -> b", lower=0.1),
            r"'bound a@1 -> b, lower 0.1' sets .* 0.1 at a\(t-1\) -> b\(t\), below the threshold "
            r"0.2 .*would be cut.*Raise the lower bound to 0.2",
        ),
        (
            KNOWN.require("a@0 -> b").require("b@0 -> a"),
            r"cycle at lag 0: (a -> b -> a|b -> a -> b)\..*'require [ab]@0.*'require [ab]@0",
        ),
        (KNOWN.require("* -> *"), r"cycle at lag 0: .*'require \* -> \*'\.$"),
    ],
)
def test_refusals_quote_the_rules(known, message):
    with pytest.raises(KnowledgeError, match=message):
        compiled(known)


def test_a_required_cycle_is_shown_along_its_arrows():
    known = KNOWN.require("a@0 -> b").bound("b@0 -> goal", lower=1).require("goal@0 -> a")
    with pytest.raises(KnowledgeError, match="require a cycle at lag 0") as caught:
        compiled(known.require("a@1 -> a"))
    text = str(caught.value)
    assert any(
        p in text for p in ("a -> b -> goal -> a", "b -> goal -> a -> b", "goal -> a -> b -> g")
    )
    assert all(f"'{rule}'" in text for rule in known)
    assert "a@1" not in text


def test_a_cycle_through_time_is_no_cycle():
    assert compiled(KNOWN.require("a@0 -> b").require("b@1 -> a")).required.sum() == 2


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a", "b", "a"], "'a' occurs more than once"),
        (["a", ""], "'' is not a variable's name"),
        ([1, 2], "1 is not a variable's name"),
        ([], "needs the names of the variables"),
        ("abc", "names came as one text, 'abc'"),
    ],
)
def test_names_must_tell_variables_apart(names, message):
    with pytest.raises(KnowledgeError, match=message):
        compiled(KNOWN, names)


@pytest.mark.parametrize(
    "threshold", [(0.3,), (0.3, -1), (0.3, np.nan), np.inf, "auto", [[0.3, 0.2]]]
)
def test_thresholds_are_checked(threshold):
    with pytest.raises(SettingsError, match=r"the threshold .*; expected"):
        compiled(KNOWN, threshold=threshold)


@pytest.mark.parametrize("lags", [-1, 1.0, True])
def test_lags_are_checked(lags):
    with pytest.raises(SettingsError, match=r"lags=.*; expected a whole number"):
        compiled(KNOWN, lags=lags)


def test_one_threshold_serves_all_lags():
    known = KNOWN.require("a -> b")
    assert compiled(known, threshold=0.3) == compiled(known, threshold=(0.3, 0.3))


def test_describe_counts_the_edges_of_each_kind():
    known = KNOWN.sink("goal").require("a@1 -> b").bound("b@1 -> b", upper=2)
    assert known.describe(NAMES, 1, THRESHOLD).splitlines() == [
        "3 rules on 3 variables, lags 0 to 1",
        "lag    forbidden   required    bounded       free",
        "  0            2          0          0          4",
        "  1            2          1          1          5",
        "all            4          1          1          9",
        "(self-loops at lag 0 are never possible and not counted)",
    ]
