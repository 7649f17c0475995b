import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronodag.errors import SettingsError
from chronodag.graph import TemporalGraph
from chronodag.simulate import random_graph


@settings(max_examples=60, deadline=None)
@given(
    d=st.integers(1, 15),
    lags=st.integers(0, 4),
    seed=st.integers(0, 2**32),
    scheme=st.sampled_from(["ER", "BA", "bipartite"]),
    degree=st.floats(0, 6),
    lagged_per=st.sampled_from(["lag", "total"]),
)
def test_always_acyclic_at_lag_0_with_the_promised_number_of_edges(
    d, lags, seed, scheme, degree, lagged_per
):
    adjacency = random_graph(d, lags, seed, scheme=scheme, degree=degree, lagged_per=lagged_per)
    assert adjacency.shape == (lags + 1, d, d)
    TemporalGraph.from_adjacency(adjacency)  # refuses a cycle
    if scheme == "ER":
        expected = min(round(degree * d), d * (d - 1) // 2)
    elif scheme == "bipartite":
        expected = min(round(degree * d), (d // 5) * (d - d // 5))
    else:
        expected = sum(min(new, round(degree)) for new in range(d))
    assert adjacency[0].sum() == expected


def test_er_2_on_five_variables_is_complete():
    adjacency = random_graph(5, 1, 0)
    assert (adjacency[0] | adjacency[0].T).sum() == 20


def test_er_edges_fall_on_every_ordered_pair_alike():
    rng = np.random.default_rng(0)
    share = np.mean([random_graph(6, 0, rng, degree=1.5)[0] for _ in range(4000)], axis=0)
    expected = 9 / 30
    np.testing.assert_allclose(share[~np.eye(6, dtype=bool)], expected, atol=0.03)


@pytest.mark.parametrize(("lagged_per", "total"), [("lag", 3 * 1.5), ("total", 1.5)])
def test_mean_lagged_in_degree(lagged_per, total):
    rng = np.random.default_rng(1)
    graphs = [
        random_graph(10, 3, rng, lagged_degree=1.5, lagged_per=lagged_per)[1:] for _ in range(1500)
    ]
    in_degrees = np.sum(graphs, axis=(1, 2))
    assert in_degrees.mean() == pytest.approx(total, rel=0.03)
    self_loops = np.mean([np.trace(graph, axis1=1, axis2=2).sum() for graph in graphs])
    assert self_loops == pytest.approx(total, rel=0.1)  # d places of d*d: the same mean


def test_ba_has_hubs_among_the_effects_and_shuffles_them():
    rng = np.random.default_rng(2)
    graphs = [random_graph(20, 0, rng, scheme="BA")[0] for _ in range(300)]
    ba = np.mean([graph.sum(axis=0).max() for graph in graphs])
    er = np.mean([random_graph(20, 0, rng)[0].sum(axis=0).max() for _ in range(300)])
    assert ba > er + 1
    assert max(graph.sum(axis=1).max() for graph in graphs) == 2
    assert np.mean(graphs, axis=(0, 1)).std() < 0.03  # no position is favoured


def test_ba_prefers_by_in_degree_plus_one():
    # Variable 2 (of 3, one edge each) picks 0, which has one cause, over 1 with odds of 2 to 1.
    rng = np.random.default_rng(3)
    stars = [
        random_graph(3, 0, rng, scheme="BA", degree=1)[0].sum(axis=0).max() for _ in range(6000)
    ]
    assert np.mean(np.array(stars) == 2) == pytest.approx(2 / 3, abs=0.02)


def test_bipartite_has_a_fifth_of_causes_and_nothing_between_them():
    rng = np.random.default_rng(4)
    graphs = np.array([random_graph(10, 0, rng, scheme="bipartite")[0] for _ in range(2000)])
    causes, effects = graphs.any(axis=2), graphs.any(axis=1)
    assert not (causes & effects).any()
    assert (graphs.sum(axis=(1, 2)) == 16).all()  # 2 * 8 pairs, fewer than 20
    np.testing.assert_allclose(causes.mean(axis=0), 0.2, atol=0.04)


def test_lagged_degrees_may_differ_by_lag():
    rng = np.random.default_rng(5)
    graphs = np.array([random_graph(8, 3, rng, lagged_degree=(3, 0, 0.5)) for _ in range(800)])
    np.testing.assert_allclose(graphs.sum(axis=2).mean(axis=(0, 2))[1:], [3, 0, 0.5], atol=0.05)
    even = random_graph(8, 3, 6, lagged_degree=[1.0, 1.0, 1.0])
    np.testing.assert_array_equal(even, random_graph(8, 3, 6, lagged_degree=1.0))


def test_same_seed_same_graph():
    np.testing.assert_array_equal(random_graph(9, 2, 5), random_graph(9, 2, 5))


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"d": 0}, "d is 0"),
        ({"lags": -1}, "lags is -1"),
        ({"scheme": "er"}, "scheme is 'er'; expected one of 'ER', 'BA'"),
        ({"degree": -1.0}, "degree is -1.0"),
        ({"degree": np.nan}, "degree is nan"),
        ({"lagged_per": "both"}, "lagged_per is 'both'"),
        ({"lagged_degree": 5.0}, "only 4 lagged places"),
        ({"lagged_degree": 9.0, "lagged_per": "total"}, "only 8 lagged places"),
        ({"lagged_degree": (1.0,)}, r"lagged_degree is \(1.0,\) with lags=2.*one number per lag"),
        ({"lagged_degree": (1, 1), "lagged_per": "total"}, "lagged_per='lag'"),
        ({"lagged_degree": (1, 5)}, "lagged_degree is 5, but"),
        ({"rng": "seed"}, "rng is 'seed'"),
    ],
)
def test_bad_settings_are_refused(arguments, match):
    with pytest.raises(SettingsError, match=match):
        random_graph(**{"d": 4, "lags": 2, "rng": 0, **arguments})
