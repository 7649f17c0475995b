import sys

import numpy as np
import pytest

from chronodag import rivals
from chronodag.data import Panel
from chronodag.errors import DataError, SettingsError
from chronodag.knowledge import PriorKnowledge
from chronodag.rivals.pcmciplus import link_assumptions


def walk():
    rng = np.random.default_rng(0)
    values = rng.standard_normal((200, 4))
    for t in range(1, 200):
        values[t, 1] += 0.9 * values[t - 1, 0]
        values[t, 2] += 0.9 * values[t, 1]
        values[t, 3] += 0.8 * values[t, 2]
    return Panel.from_any(values, names=list("abcd"))


def test_the_rules_in_the_words_of_tigramite():
    rules = PriorKnowledge().forbid("a", "b").require("c", "a", lag=0).forbid("b", "c", lag=0)
    links = link_assumptions(rules.forbid("c", "b", lag=0).compile(("a", "b", "c"), 1, 0.0))
    own = {(0, -1): "-?>", (1, -1): "-?>", (2, -1): "-?>"}
    assert links[0] == own | {(1, 0): "-?>", (2, 0): "-->"}
    assert links[1] == {key: own[key] for key in [(1, -1), (2, -1)]} | {(0, 0): "<?-"}
    assert links[2] == own | {(0, 0): "<--"}  # b and c have nothing at lag 0


def test_directions_at_lag_0_follow_from_lagged_causes():
    pytest.importorskip("tigramite")
    learned = rivals.method("pcmciplus-parcorr", lags=2).fit(walk())
    found = {(edge.source, edge.target, edge.lag) for edge in learned.graph.edges()}
    assert found == {("a", "b", 1), ("b", "c", 0), ("c", "d", 0)}
    assert learned.p_values[0, 1, 2] < 0.01


def test_nothing_is_printed(capfd):
    pytest.importorskip("tigramite")
    rivals.method("pcmciplus-parcorr").fit(walk())
    assert capfd.readouterr() == ("", "")


def test_a_missing_package_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "tigramite.pcmci", None)
    with pytest.raises(SettingsError, match=r"pip install 'chronodag\[rivals\]'"):
        rivals.method("pcmciplus-parcorr").fit(walk())


def test_limits_that_no_test_can_use_are_told():
    pytest.importorskip("tigramite")
    rules = PriorKnowledge().bound("a", "b", lag=1, upper=0.5)
    assert "were not used" in rivals.method("pcmciplus-parcorr").fit(walk(), rules).message


def test_what_cannot_be_tested_is_refused():
    short = Panel.from_any(np.random.default_rng(0).standard_normal((7, 2)))
    with pytest.raises(DataError, match="needs at least 8 rows"):
        rivals.method("pcmciplus-parcorr", lags=2).fit(short)
    with pytest.raises(SettingsError, match="alpha is 5"):
        rivals.method("pcmciplus-parcorr", alpha=5).fit(walk())
