"""Scaling, against scikit-learn's."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import StandardScaler

from chronodag.data import Panel, Scaling
from chronodag.errors import DataError

RNG = np.random.default_rng(3)
PARTS = {"a": RNG.normal(3, 5, size=(40, 3)), "b": RNG.normal(-2, 0.01, size=(25, 3))}
PANEL = Panel.from_any(PARTS, names=["p", "q", "r"])


def test_standard_agrees_with_scikit_learn():
    scaling = Scaling.standard(PANEL)
    oracle = StandardScaler().fit(PANEL.values)
    np.testing.assert_allclose(scaling.mean, oracle.mean_, rtol=1e-13)
    np.testing.assert_allclose(scaling.scale, oracle.scale_, rtol=1e-13)
    scaled = scaling.apply(PANEL)
    np.testing.assert_allclose(scaled.values, oracle.transform(PANEL.values), atol=1e-13)
    np.testing.assert_allclose(scaled.values.std(axis=0), 1.0)
    assert (scaled.names, scaled.keys) == (PANEL.names, PANEL.keys)
    assert (scaled.lengths, scaled.offsets) == (PANEL.lengths, PANEL.offsets)
    np.testing.assert_array_equal(PANEL.series[0], PARTS["a"])


def test_undo_is_the_way_back():
    scaling = Scaling.standard(PANEL)
    stacked = np.stack([PANEL.values, PANEL.values + 1])
    back = scaling.undo_array(scaling.apply_array(stacked))
    np.testing.assert_allclose(back, stacked, rtol=1e-12)


def test_identity_changes_nothing():
    np.testing.assert_array_equal(Scaling.identity(3).apply(PANEL).values, PANEL.values)


@given(st.integers(-290, 290), st.floats(-100, 100))
def test_any_magnitude_can_be_standardised(power, shift):
    values = (np.array([[1.0], [2.0], [4.0]]) + shift) * 10.0**power
    scaled = Scaling.standard(Panel.from_any(values)).apply(Panel.from_any(values))
    np.testing.assert_allclose(scaled.values.mean(), 0, atol=1e-10)
    np.testing.assert_allclose(scaled.values.std(), 1, rtol=1e-10)


def test_constant_columns_are_refused():
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0], "flat": [0.1, 0.1, 0.1]})
    with pytest.raises(DataError, match="never change: 'flat'"):
        Scaling.standard(Panel.from_any(frame, allow_constant=True))


def test_arrays_of_another_width_are_refused():
    for array in (np.ones((4, 1)), 3.0, np.ones(2)):
        with pytest.raises(DataError, match="one entry per variable, 3; got shape"):
            Scaling.identity(3).apply_array(array)
        with pytest.raises(DataError, match="one entry per variable, 3; got shape"):
            Scaling.identity(3).undo_array(array)


def test_bad_parts_are_refused():
    with pytest.raises(DataError, match=r"got shapes \(2,\) and \(3,\)"):
        Scaling(np.zeros(2), np.ones(3))
    for mean, scale in (([0.0], [0.0]), ([0.0], [-1.0]), ([np.nan], [1.0]), ([0.0], [np.inf])):
        with pytest.raises(DataError, match="scale above zero"):
            Scaling(np.array(mean), np.array(scale))


def test_a_scaling_cannot_be_changed():
    mean = np.zeros(2)
    scaling = Scaling(mean, np.ones(2))
    mean[:] = 5
    for kept in (scaling, pickle.loads(pickle.dumps(scaling))):
        assert kept.mean.tolist() == [0, 0]
        with pytest.raises(ValueError, match="read-only"):
            kept.scale[0] = 2
