"""Every method is held to what it declares, on tables so small that all take seconds."""

from dataclasses import fields
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from chronodag import rivals
from chronodag.data import Panel
from chronodag.errors import SettingsError
from chronodag.graph.acyclic import topological_order
from chronodag.knowledge import PriorKnowledge

QUICK = {
    "nts-notears": {"hidden": 3, "l1": 0.02},
    "dynotears": {"lambda_w": 0.02, "lambda_a": 0.02},
    "tcdf": {"kernel_size": 2, "epochs": 300},
}
WITHOUT_SLOPE = {
    # a dependence that begins without a slope takes more units, less penalty, more training
    "nts-notears": {"hidden": 10, "l1": 0.005},
    "tcdf": {"epochs": 1000, "learning_rate": 0.03},
}
CONTROLS = ("empty", "self-loops")
ALL = rivals.names()
that = rivals.capabilities


def every(names):
    return pytest.mark.parametrize("name", names)


def having(flag):
    return [name for name in ALL if getattr(that(name), flag)]


def method(name, **settings):
    if name.startswith("pcmciplus"):
        pytest.importorskip("tigramite")
    if name == "pcmciplus-gpdc":
        pytest.importorskip("dcor")
    return rivals.method(name, **{"lags": 1, **QUICK.get(name, {}), **settings})


@cache
def chain():
    """a(t-1) -> b(t) -> c(t), with noise that is not Gaussian."""
    rng = np.random.default_rng(0)
    values = rng.laplace(size=(90, 3))
    values[1:, 1] += 1.2 * values[:-1, 0]
    values[:, 2] = values[:, 1] + 0.5 * values[:, 2]
    return Panel.from_any(values, names=["a", "b", "c"])


@cache
def learned(name):
    return method(name).fit(chain())


@every(ALL)
def test_what_comes_back_is_well_formed(name):
    found = learned(name)
    can = that(name)
    assert found.names == ("a", "b", "c")
    assert found.strengths.shape == found.adjacency.shape == (2, 3, 3)
    assert np.isfinite(found.strengths).all()
    assert (found.strengths >= 0).all()
    assert not found.strengths[0].diagonal().any()
    assert not found.adjacency[0].diagonal().any()
    assert (found.strengths[found.adjacency] > 0).all()
    assert not found.strengths.flags.writeable
    assert found.finished
    assert found.graph.names == found.names
    if not can.lag0:
        assert not found.adjacency[0].any()
        assert not found.strengths[0].any()
    if not can.lagged:
        assert not found.adjacency[1:].any()


@every(ALL)
def test_undirected_edges_and_p_values_come_where_declared(name):
    found, can = learned(name), that(name)
    assert (found.p_values is not None) == can.p_values
    assert (found.undirected is not None) == can.undirected
    if can.p_values:
        assert (found.p_values >= 0).all()
        assert (found.p_values <= 1).all()
    if can.undirected:
        assert not found.undirected[1:].any()
        np.testing.assert_array_equal(found.undirected[0], found.undirected[0].T)
        assert not (found.undirected & found.adjacency).any()


@every([name for name in having("lagged") if name not in CONTROLS])
def test_a_strong_lagged_edge_is_found(name):
    assert learned(name).adjacency[1, 0, 1]


@every([name for name in having("lag0") if that(name).acyclic])
def test_a_strong_edge_within_a_moment_is_found(name):
    found = learned(name)
    joined = found.adjacency[0] | found.adjacency[0].T
    if found.undirected is not None:
        joined = joined | found.undirected[0]
    assert joined[1, 2]


@every(ALL)
def test_the_same_seed_gives_the_same_bytes(name):
    again = method(name).fit(chain())
    for field in ("strengths", "adjacency", "undirected", "p_values"):
        one, other = getattr(learned(name), field), getattr(again, field)
        assert (one is None and other is None) or one.tobytes() == other.tobytes()


@every(ALL)
def test_the_callers_panel_and_numpys_state_stay(name):
    rng = np.random.default_rng(1)
    panel = Panel.from_any(rng.standard_normal((40, 2)))
    before, state = panel.values.copy(), np.random.get_state()[1].copy()  # noqa: NPY002
    method(name).fit(panel)
    np.testing.assert_array_equal(panel.values, before)
    np.testing.assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002


@every(having("acyclic"))
def test_no_cycle_comes_back_where_the_data_has_one(name):
    rng = np.random.default_rng(2)
    ring = np.array([[0, 0.9, 0], [0, 0, 0.9], [-0.9, 0, 0]])
    values = rng.laplace(size=(60, 3)) @ np.linalg.inv(np.eye(3) - ring)
    found = method(name).fit(Panel.from_any(values))
    assert topological_order(found.adjacency[0]) is not None


@every(having("nonlinear"))
def test_a_dependence_without_any_slope_is_found(name):
    rng = np.random.default_rng(3)
    values = rng.standard_normal((90, 2))
    values[1:, 1] = 1.5 * (values[:-1, 0] ** 2 - 1) + 0.3 * values[1:, 1]
    found = method(name, **WITHOUT_SLOPE.get(name, {})).fit(Panel.from_any(values))
    assert found.adjacency[1, 0, 1]
    across = found.strengths * ~np.eye(2, dtype=bool)
    assert across.argmax() == np.ravel_multi_index((1, 0, 1), across.shape)


@every(having("knowledge"))
def test_forbidden_edges_never_come_back_and_required_ones_always(name):
    rules = PriorKnowledge().forbid("a", "b", lag=1).forbid("b", "c", lag=0)
    rules = rules.require("c", "a", lag=1).require("c", "b", lag=0)
    found = method(name).fit(chain(), rules)
    for cell in [(1, 0, 1), (0, 1, 2)]:
        assert found.strengths[cell] == 0
        assert not found.adjacency[cell]
    for cell in [(1, 2, 0), (0, 2, 1)]:
        assert found.adjacency[cell]
    if found.undirected is not None:
        assert not found.undirected[0, 1, 2]


@every([name for name in ALL if not that(name).knowledge])
def test_knowledge_is_refused_where_it_cannot_be_used(name):
    with pytest.raises(SettingsError, match="takes no knowledge"):
        method(name).fit(chain(), PriorKnowledge().forbid("a", "b"))


@every(ALL)
def test_several_series_are_taken_or_refused(name):
    rows = chain().values
    panel = Panel.from_any([rows[:50], rows[50:]])
    if that(name).many_series:
        assert method(name).fit(panel).strengths.shape == (2, 3, 3)
    else:
        with pytest.raises(SettingsError, match="takes one series; the panel has 2"):
            method(name).fit(panel)


@every(ALL)
def test_lags_and_settings_out_of_range_are_refused(name):
    with pytest.raises(SettingsError, match="lags is -1"):
        method(name, lags=-1).fit(chain())
    with pytest.raises(SettingsError, match="has no setting 'speed'"):
        method(name, speed=3)


def test_all_methods_have_capabilities_and_lags_first():
    for name in ALL:
        assert next(iter(rivals.settings(name))) == "lags"
        assert isinstance(that(name), rivals.Capabilities)
        assert rivals.method(name).name == name


def test_a_method_nobody_knows_is_refused_with_the_list():
    with pytest.raises(SettingsError, match="expected one of nts-notears, dynotears"):
        rivals.method("granger")


def test_the_guide_shows_the_capabilities_as_they_are():
    page = Path(__file__).resolve().parents[2] / "docs" / "guides" / "methods.md"
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in page.read_text(encoding="utf-8").splitlines()
        if line.startswith("| ")
    ]
    flags = [field.name for field in fields(rivals.Capabilities)]
    expected = [["method", *flags]]
    expected += [
        [name, *("yes" if getattr(that(name), flag) else "–" for flag in flags)] for name in ALL
    ]
    assert rows == expected
