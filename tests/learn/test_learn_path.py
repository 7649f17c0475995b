"""The path over λ1."""

import csv

import numpy as np
import pytest
from sklearn.base import clone

from chronodag.errors import SettingsError
from chronodag.learn import NTSNotears, l1_path

LEARNER = NTSNotears(lags=1, hidden=4, l1=0.02, random_state=0)


@pytest.fixture(scope="module")
def path(chain):
    return l1_path(LEARNER, chain, [0.005, 0.02, 0.1, 0.5])


def test_it_falls_and_edges_come_in(path):
    np.testing.assert_array_equal(path.l1s, [0.5, 0.1, 0.02, 0.005])
    totals = path.strengths.sum(axis=(1, 2, 3))
    assert (np.diff(totals) > 0).all()
    assert path.edges[0] < path.edges[-1]
    assert (np.diff(path.objectives) < 0).all()
    assert path.converged.all()
    assert path.chosen == 0.02
    assert path.lags == 1
    assert "4 fits, l1 from 0.5 to 0.005" in repr(path)


def test_its_points_are_fits(chain, path):
    for point, l1 in enumerate(path.l1s):
        alone = clone(LEARNER).set_params(l1=l1).fit(chain)
        assert path.objectives[point] <= alone.objective_ * 1.01
        if abs(path.objectives[point] / alone.objective_ - 1) < 1e-3:  # the same optimum
            np.testing.assert_allclose(path.strengths[point], alone.strengths_, atol=0.03)
        assert path.edges[point] == (path.strengths[point] >= 0.3).sum()


def test_the_grid_by_default_lies_around_the_default(chain):
    path = l1_path(NTSNotears(lags=1, hidden=3, random_state=0), chain, points=3)
    np.testing.assert_allclose(path.l1s, np.array([8, 1, 1 / 8]) * 2 / 250)
    assert path.chosen == 2 / 250


def test_a_learner_with_several_l1_has_none_on_the_path(chain):
    path = l1_path(clone(LEARNER).set_params(l1=[0.1, 0.02]), chain, [0.1, 0.2])
    assert path.chosen is None


def test_csv(path, tmp_path):
    path.to_csv(tmp_path / "path.csv")
    with (tmp_path / "path.csv").open() as file:
        rows = list(csv.DictReader(file))
    strengths = np.array([float(row["strength"]) for row in rows])
    np.testing.assert_array_equal(strengths.reshape(path.strengths.shape), path.strengths)
    assert rows[0] == {
        "l1": "0.5",
        "lag": "0",
        "source": "X1",
        "target": "X1",
        "strength": "0.0",
    }


def test_refusals(chain):
    with pytest.raises(SettingsError, match=r"l1s is \[0.1\]; expected two different numbers"):
        l1_path(LEARNER, chain, [0.1])
    with pytest.raises(SettingsError, match="expected two different numbers above 0"):
        l1_path(LEARNER, chain, [0.0, 0.1])
    with pytest.raises(SettingsError, match="l1s is 'many'; expected a list of numbers"):
        l1_path(LEARNER, chain, "many")
    with pytest.raises(SettingsError, match="points is 1; expected a whole number ≥ 2"):
        l1_path(LEARNER, chain, points=1)
