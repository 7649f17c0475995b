from itertools import product

import numpy as np
import pytest

from chronodag import rivals
from chronodag.data import Panel
from chronodag.errors import SettingsError
from chronodag.metrics import auroc
from chronodag.rivals.tcdf import candidates, delay_weights, delays_within
from chronodag.simulate import lorenz96


def test_delays_weigh_the_best_way_through_the_levels():
    sizes = np.random.default_rng(0).random((2, 2, 2, 3))  # [level, target, source, tap]
    expected = np.zeros((2, 2, 2 + 2 * 2 + 2))
    for target, source, one, other in product(range(2), range(2), range(3), range(3)):
        size = sizes[0, target, source, one] * sizes[1, target, source, other]
        cell = target, source, one + 2 * other
        expected[cell] = max(expected[cell], size)
    np.testing.assert_array_equal(delay_weights(sizes, dilation=2), expected)


def test_a_series_sees_itself_one_row_late_and_delays_end_at_the_lags():
    kernels = np.zeros((1, 2, 2, 3))  # [level, target, source, tap]
    kernels[0, 0, 0] = [-0.9, 0.1, 0.2]  # its own last row
    kernels[0, 0, 1] = [0.1, 0.2, -0.3]  # two rows back: beyond one lag
    kernels[0, 1, 0] = [0.1, 0.5, 0.2]
    kernels[0, 1, 1] = [0.1, 0.2, 0.3]  # three rows back
    free, beyond = delays_within(kernels, dilation=1, lags=3)
    assert free.tolist() == [[1, 1], [2, 3]]  # [source, target]
    assert beyond == 0
    cut, beyond = delays_within(kernels, dilation=1, lags=1)
    assert cut.tolist() == [[1, 1], [1, 1]]
    assert beyond == 2


@pytest.mark.parametrize(
    ("scores", "chosen"),
    [
        ([1.3, 0.9, 1.01], [0, 2]),  # few inputs: all above the start
        ([3.0, 2.9, 2.8, 1.2, 1.1, 0.9, 0.8, 0.2], [0, 1, 2]),
        ([9.0, 2.0, 1.9, 1.2, 1.1, 0.9, 0.8, 0.2], [0, 1, 2]),  # the first gap is not used
        ([3.0, 2.75, 2.5, 2.25, 2.0, 1.75, 1.5, 0.25], [0, 1]),  # equal gaps: the upper one
        ([0.9, 0.8, 0.7, 0.6, 0.5, 0.4], []),
    ],
)
def test_candidates_stand_above_the_largest_gap(scores, chosen):
    column = np.array(scores)[:, None]
    found = candidates(np.tile(column, (1, len(scores))))
    assert np.flatnonzero(found[:, 0]).tolist() == chosen


def test_the_delay_of_a_cause_is_found():
    rng = np.random.default_rng(0)
    values = rng.standard_normal((300, 2))
    values[2:, 1] = 1.5 * values[:-2, 0] + 0.3 * values[2:, 1]
    learned = rivals.method("tcdf", lags=3, epochs=300).fit(Panel.from_any(values))
    assert learned.adjacency[2, 0, 1]
    assert learned.adjacency[:, 0, 1].sum() == 1


def test_shares_of_attention_add_up_and_seeds_differ():
    values = np.random.default_rng(1).standard_normal((60, 3))
    panel = Panel.from_any(values)
    one = rivals.method("tcdf", epochs=20).fit(panel)
    other = rivals.method("tcdf", epochs=20, seed=1).fit(panel)
    np.testing.assert_allclose(one.strengths.sum(axis=(0, 1)), 1.0)
    assert not np.array_equal(one.strengths, other.strengths)


def test_lorenz_is_ranked_well():
    system = lorenz96(20, 500, rng=0)
    method = rivals.method("tcdf", kernel_size=2, dilation=2, learning_rate=0.001)
    learned = method.fit(Panel.from_any(system.data))
    across = ~np.eye(20, dtype=bool)
    truth, strengths = system.graph.adjacency.any(axis=0), learned.strengths.max(axis=0)
    assert auroc(truth[across], strengths[across]) > 0.9


@pytest.mark.parametrize(
    ("settings", "words"),
    [({"levels": 0}, "levels is 0"), ({"learning_rate": 0.0}, "learning_rate is 0.0")],
)
def test_settings_out_of_range_are_refused(settings, words):
    panel = Panel.from_any(np.random.default_rng(2).standard_normal((20, 2)))
    with pytest.raises(SettingsError, match=words):
        rivals.method("tcdf", **settings).fit(panel)
