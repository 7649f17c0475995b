"""VAR-LiNGAM, the lasso and sorting, against least squares and known orders."""

from itertools import pairwise

import numpy as np
import pytest

from chronodag import rivals
from chronodag.data import Panel
from chronodag.errors import DataError, SettingsError
from chronodag.rivals.design import as_cells, as_rows, lagged_table
from chronodag.rivals.sort_regress import r_squared
from chronodag.rivals.var_lingam import causal_order, entropy


def chain(rows, d, rng, noise):
    """Columns in a random order, each driven by the one before it in that order."""
    order = rng.permutation(d)
    values = noise((rows, d))
    for before, after in pairwise(order):
        values[:, after] += 0.9 * values[:, before]
    return values, order.tolist()


def test_the_table_holds_each_row_beside_its_past():
    one, other = np.arange(8.0).reshape(4, 2), 10 + np.arange(6.0).reshape(3, 2)
    table = lagged_table(Panel.from_any([one, other]), 2)
    rows = [[*s[t], *s[t - 1], *s[t - 2]] for s in (one, other) for t in range(2, len(s))]
    np.testing.assert_array_equal(table, rows)


def test_rows_and_cells_undo_each_other():
    cells = np.random.default_rng(0).random((3, 2, 2))  # [lag, source, target]
    rows = as_rows(cells)
    assert rows[1, 2 * 2 + 0] == cells[2, 0, 1]
    np.testing.assert_array_equal(as_cells(rows, 2), cells)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("noise", ["laplace", "uniform"])
def test_the_causal_order_is_found(seed, noise):
    rng = np.random.default_rng(seed)
    draw = rng.laplace if noise == "laplace" else lambda size: rng.uniform(-1, 1, size)
    values, order = chain(1500, 5, rng, lambda shape: draw(size=shape))
    assert causal_order(values) == order


def test_the_normal_has_the_largest_entropy():
    rng = np.random.default_rng(0)
    normal, laplace = rng.standard_normal((20_000, 1)), rng.laplace(size=(20_000, 1))
    standard = (laplace - laplace.mean()) / laplace.std()
    assert entropy(normal)[0] == pytest.approx((1 + np.log(2 * np.pi)) / 2, abs=1e-3)
    assert entropy(standard)[0] < entropy(normal)[0] - 0.01


def test_the_lagged_weights_of_lingam_are_transformed_ones():
    """(I − B0) A_k, worked out the long way."""
    rng = np.random.default_rng(5)
    values, order = chain(400, 4, rng, lambda shape: rng.laplace(size=shape))
    values[1:] += 0.4 * values[:-1, ::-1]
    learned = rivals.method("var-lingam").fit(Panel.from_any(values))
    now, past = values[1:] - values[1:].mean(axis=0), values[:-1] - values[:-1].mean(axis=0)
    lagged = np.linalg.lstsq(past, now, rcond=None)[0].T  # [to, from]
    residuals = now - past @ lagged.T
    found = [int(name[1:]) - 1 for name in learned.message.split(": ")[1].split(", ")]
    lag0 = np.zeros((4, 4))
    for place, target in enumerate(found):
        before = found[:place]
        lag0[target, before] = np.linalg.lstsq(
            residuals[:, before], residuals[:, target], rcond=None
        )[0]
    np.testing.assert_allclose(learned.strengths[0], np.abs(lag0.T), atol=1e-8)
    np.testing.assert_allclose(
        learned.strengths[1], np.abs(((np.eye(4) - lag0) @ lagged).T), atol=1e-8
    )
    assert sorted(order) == sorted(found)


def test_the_lasso_keeps_what_is_there():
    rng = np.random.default_rng(0)
    values = rng.standard_normal((400, 4))
    for t in range(1, 400):
        values[t, 1] += 0.8 * values[t - 1, 0]
    learned = rivals.method("var-lasso", lags=2).fit(Panel.from_any(values * [1, 10, 100, 0.1]))
    assert learned.adjacency[1, 0, 1]
    assert learned.adjacency.sum() <= 4
    assert learned.strengths.argmax() == np.ravel_multi_index((1, 0, 1), (3, 4, 4))


def test_sorting_by_variance_hangs_on_the_scale_and_by_r2_does_not():
    rng = np.random.default_rng(1)
    values = rng.standard_normal((300, 3))
    values[:, 0] += 0.6 * values[:, 2]
    scaled = values * [1.0, 50.0, 9.0]
    orders = {
        (by, name): rivals.method("sort-regress", by=by).fit(Panel.from_any(table)).message
        for by in ("variance", "r2")
        for name, table in (("plain", values), ("scaled", scaled))
    }
    assert orders["variance", "plain"] != orders["variance", "scaled"]
    assert orders["variance", "scaled"].endswith("X1, X3, X2")
    assert orders["r2", "plain"] == orders["r2", "scaled"]


def test_r_squared_is_that_of_scikit_learn():
    from sklearn.linear_model import LinearRegression

    values = np.random.default_rng(2).standard_normal((100, 4)) @ np.triu(np.ones((4, 4)))
    expected = [
        LinearRegression()
        .fit(np.delete(values, j, axis=1), values[:, j])
        .score(np.delete(values, j, axis=1), values[:, j])
        for j in range(4)
    ]
    np.testing.assert_allclose(r_squared(values), expected)


@pytest.mark.parametrize(
    ("name", "settings", "words"),
    [
        ("sort-regress", {"by": "name"}, "by is 'name'"),
        ("var-lasso", {"criterion": "cv"}, "criterion is 'cv'"),
    ],
)
def test_unknown_choices_are_refused(name, settings, words):
    panel = Panel.from_any(np.random.default_rng(0).standard_normal((30, 2)))
    with pytest.raises(SettingsError, match=words):
        rivals.method(name, **settings).fit(panel)


@pytest.mark.parametrize("name", ["var-lingam", "var-lasso", "sort-regress"])
def test_too_few_rows_are_refused(name):
    panel = Panel.from_any(np.random.default_rng(0).standard_normal((8, 3)))
    with pytest.raises(DataError, match="expected at least 11"):
        rivals.method(name, lags=2).fit(panel)
