"""Predictions and the score, in the data's own units."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.metrics import r2_score

import naive
from chronodag.data import Panel
from chronodag.errors import DataError
from chronodag.learn import NTSNotears


def test_predictions_are_the_naive_networks_in_the_datas_units(chain, learned):
    mean, scale = chain.mean(axis=0), chain.std(axis=0)
    rows = learned.predict(chain)
    assert rows.shape == chain.shape
    assert np.isnan(rows[:1]).all()
    expected = naive.predict(learned.parameters_, (chain - mean) / scale) * scale + mean
    np.testing.assert_allclose(rows[1:], expected, rtol=1e-9, atol=1e-9)


def test_they_are_good_where_there_is_something_to_predict(chain, learned):
    rows = learned.predict(chain)[1:]
    scores = r2_score(chain[1:], rows, multioutput="raw_values")
    assert scores[1] > 0.6
    assert scores[2] > 0.6
    assert abs(scores[0]) < 0.1
    assert learned.score(chain) == pytest.approx(scores.mean())


def test_each_series_of_a_panel_starts_without_a_past(chain, learned):
    parts = {"north": chain[:40], "south": chain[40:100]}
    answers = learned.predict(parts)
    assert list(answers) == ["north", "south"]
    for key, values in parts.items():
        assert answers[key].tobytes() == learned.predict(values).tobytes()
    assert list(learned.predict([chain[:40]])) == ["0"]
    assert set(learned.predict(Panel.from_any(parts))) == {"north", "south"}
    assert learned.predict(Panel.from_any(chain[:40])).shape == (40, 3)
    truth = np.concatenate([values[1:] for values in parts.values()])
    guess = np.concatenate([answers[key][1:] for key in parts])
    assert learned.score(parts) == pytest.approx(r2_score(truth, guess))


def test_a_row_does_not_depend_on_rows_outside_its_window(chain, learned):
    other = chain[:30].copy()
    other[:9], other[11:] = 50.0, -50.0
    rows, changed = learned.predict(chain[:30]), learned.predict(other)
    np.testing.assert_allclose(changed[10], rows[10], rtol=1e-12)
    assert not np.allclose(changed[12:], rows[12:])


def test_no_variable_is_predicted_from_its_own_present(chain, learned):
    other = chain[:30].copy()
    other[20, 1] += 3.0
    rows, changed = learned.predict(chain[:30]), learned.predict(other)
    assert changed[20, 1] == rows[20, 1]
    assert changed[20, 2] != rows[20, 2]


def test_a_few_rows_are_enough_even_if_a_variable_rests(chain, learned):
    rows = chain[:3].copy()
    rows[:, 0] = 0.25
    assert np.isfinite(learned.predict(rows)[1:]).all()
    assert np.isfinite(learned.predict(rows[:2])[1]).all()
    assert np.isfinite(learned.score(rows))


def test_one_row_has_no_past(chain, learned):
    with pytest.raises(DataError, match="at least 2 rows"):
        learned.predict(chain[:1])


def test_predicting_before_fitting_is_refused(chain):
    for act in (NTSNotears().predict, NTSNotears().score, NTSNotears().save):
        with pytest.raises(NotFittedError, match="not fitted yet"):
            act(chain)


def test_other_columns_than_those_of_the_fit_are_refused(chain, learned):
    with pytest.raises(DataError, match="X has 2 features, but NTSNotears is expecting 3"):
        learned.predict(chain[:, :2])
    frame = pd.DataFrame(chain[:60], columns=["a", "b", "c"])
    named = NTSNotears(hidden=1, solver="scipy", random_state=0).fit(frame)
    for wrap in (lambda one: one, lambda one: [one], lambda one: {"s": one}, Panel.from_any):
        with pytest.raises(DataError, match="has the columns c, b, a; the fit had a, b, c"):
            named.predict(wrap(frame[["c", "b", "a"]]))


def test_names_are_only_compared_where_both_sides_have_them(chain, learned):
    frame = pd.DataFrame(chain[:60], columns=["a", "b", "c"])
    named = NTSNotears(hidden=1, solver="scipy", random_state=0).fit(frame)
    expected = named.predict(frame)
    assert named.predict(chain[:60]).tobytes() == expected.tobytes()
    assert named.predict([chain[:60]])["0"].tobytes() == expected.tobytes()
    for unnamed in (
        learned,
        NTSNotears(hidden=1, solver="scipy", random_state=0).fit([chain[:60]]),
    ):
        assert unnamed.predict(frame).shape == (60, 3)


def test_long_series_are_predicted_in_chunks(learned, chain, monkeypatch):
    whole = learned.predict(chain)
    monkeypatch.setattr("chronodag.learn.prediction._LARGEST_CHUNK", 32)
    np.testing.assert_allclose(learned.predict(chain), whole, rtol=1e-12)
