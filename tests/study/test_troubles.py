"""Data with one assumption broken."""

import numpy as np
import pytest

from chronodag.errors import SettingsError
from chronodag.study.sources import draw
from chronodag.study.troubles import TROUBLES, troubled_process

SETTINGS = {"d": 4, "T": 200, "lags": 1, "degree": 1, "mechanism": "ANM"}


@pytest.mark.parametrize("trouble", TROUBLES)
def test_every_trouble_gives_data_with_its_truth_and_the_same_for_the_same_seed(trouble):
    panel, truth = troubled_process(SETTINGS | {"trouble": trouble}, 3)
    again, _ = troubled_process(SETTINGS | {"trouble": trouble}, 3)
    assert panel.dimension == 4
    assert truth.lags == 1
    assert panel.names == truth.names
    assert panel.lengths == again.lengths
    np.testing.assert_array_equal(panel.values, again.values)


def test_gaps_cut_the_series_and_drop_little():
    panel, _ = troubled_process(SETTINGS | {"trouble": "gaps"}, 3)
    assert len(panel.series) > 2
    assert 150 < panel.length < 200


def test_a_hidden_variable_is_neither_seen_nor_in_the_truth():
    whole, _ = troubled_process(SETTINGS | {"d": 5}, 3)
    seen, truth = troubled_process(SETTINGS | {"trouble": "hidden"}, 3)
    assert whole.dimension == 5
    assert set(seen.names) < set(whole.names)
    assert truth.adjacency.shape == (2, 4, 4)


def test_units_differ_in_raw_scale():
    panel, _ = troubled_process(SETTINGS | {"trouble": "raw-scale"}, 3)
    spread = panel.values.std(axis=0)
    assert spread.max() / spread.min() > 5


def test_unknown_troubles_are_refused():
    with pytest.raises(SettingsError, match="trouble is 'flood'; expected one of none, heavy"):
        draw("troubled-process", SETTINGS | {"trouble": "flood"}, 0)
