"""The panel: what it accepts, keeps and gives back."""

import copy
import datetime
import pickle
from decimal import Decimal

import jax.numpy as jnp
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from chronodag.data import Panel
from chronodag.errors import DataError, SettingsError

WIND = {"wind": [1.0, 2.5, 4.0, 3.0], "rain": [0, 3, 1, 2]}
WIND_VALUES = np.array([[1.0, 0], [2.5, 3], [4.0, 1], [3.0, 2]])


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(WIND),
        pl.DataFrame(WIND),
        pa.table(WIND),
        nw.from_native(pl.DataFrame(WIND)),
        nw.from_native(pd.DataFrame(WIND)),
        pd.DataFrame(WIND).astype({"rain": "Int64", "wind": "Float32"}),
        pd.DataFrame(WIND).astype({"rain": "int64[pyarrow]"}),
        pl.DataFrame(WIND).with_columns(pl.col("rain").cast(pl.Int8)),
        pl.DataFrame({"wind": WIND["wind"], "rain": [Decimal(n) for n in WIND["rain"]]}),
    ],
)
def test_frames_of_every_brand_agree(frame):
    panel = Panel.from_any(frame)
    assert panel.names == ("wind", "rain")
    assert panel.keys == ("0",)
    np.testing.assert_array_equal(panel.values, WIND_VALUES)
    assert panel.values.dtype == np.float64
    assert panel.values.flags.c_contiguous


@pytest.mark.parametrize(
    "array",
    [
        WIND_VALUES,
        np.asfortranarray(WIND_VALUES),
        WIND_VALUES.astype(np.float32),
        np.ma.MaskedArray(WIND_VALUES),
        jnp.asarray(WIND_VALUES),
        np.repeat(WIND_VALUES, 2, axis=0)[::2],
    ],
)
def test_arrays_of_every_kind_agree(array):
    panel = Panel.from_any(array)
    assert panel.names == ("X1", "X2")
    assert type(panel.values) is np.ndarray
    assert panel.values.flags.c_contiguous
    np.testing.assert_array_equal(panel.values, WIND_VALUES)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": [1, 2, 3], "on": [True, False, True]}),
        pd.DataFrame({"a": [1, 2, 3], "on": pd.array([True, False, True], dtype="boolean")}),
        pd.DataFrame({"a": [1, 2, 3], "on": pd.array([1, 0, 1], dtype="bool[pyarrow]")}),
        pl.DataFrame({"a": [1, 2, 3], "on": [True, False, True]}),
        pa.table({"a": [1, 2, 3], "on": [True, False, True]}),
    ],
)
def test_booleans_become_zero_and_one(frame):
    np.testing.assert_array_equal(Panel.from_any(frame).values, [[1, 1], [2, 0], [3, 1]])
    assert Panel.from_any(np.array([[True], [False]])).values.tolist() == [[1], [0]]


def test_names_survive_in_their_order():
    names = ["zeta", "Ä x", "alpha", "goal@0 -> *"]
    values = np.random.default_rng(0).normal(size=(5, 4))
    assert Panel.from_any(pd.DataFrame(values, columns=names)).names == tuple(names)
    assert Panel.from_any(pl.DataFrame(values, schema=names)).names == tuple(names)
    assert Panel.from_any(values, names=names).names == tuple(names)
    assert Panel.from_any([values, values], names).names == tuple(names)


def test_names_that_are_not_text_become_text():
    frame = pd.DataFrame([[1, 2.0], [2, 5.0]], columns=[7, ("a", "b")])
    panel = Panel.from_any(frame)
    assert panel.names == ("7", "('a', 'b')")
    assert panel.values.tolist() == [[1, 2], [2, 5]]
    # Labels that are numbers must not be mistaken for positions.
    assert Panel.from_any(pd.DataFrame([[1, 9], [2, 5]], columns=[1, 0])).values[0, 0] == 1


def test_names_of_a_frame_or_panel_are_checked():
    frame = pd.DataFrame(WIND)
    panel = Panel.from_any(frame, names=["wind", "rain"])
    assert Panel.from_any(panel) is panel
    assert Panel.from_any(panel, names=["wind", "rain"]) is panel
    for data in (frame, panel, {"a": frame}):
        with pytest.raises(DataError, match="in another order"):
            Panel.from_any(data, names=["rain", "wind"])
        with pytest.raises(DataError, match="expected 'rain', 'snow'"):
            Panel.from_any(data, names=["rain", "snow"])


def test_a_list_is_many_series():
    parts = [WIND_VALUES, WIND_VALUES[:3] + 1, WIND_VALUES[1:] - 1]
    panel = Panel.from_any(parts)
    assert panel.keys == ("0", "1", "2")
    assert panel.lengths == (4, 3, 3)
    assert panel.offsets == (0, 4, 7)
    assert panel.length == 10
    assert panel.dimension == 2
    for mine, part in zip(panel.series, parts, strict=True):
        np.testing.assert_array_equal(mine, part)
    np.testing.assert_array_equal(Panel.from_any(tuple(parts)).values, panel.values)


def test_a_dict_names_its_series():
    data = {"north": pd.DataFrame(WIND), 7: pl.DataFrame(WIND)}
    panel = Panel.from_any(data)
    assert panel.keys == ("north", "7")
    assert panel.names == ("wind", "rain")
    assert Panel.from_any({"a": WIND_VALUES, "b": pd.DataFrame(WIND)}, ["wind", "rain"]).length == 8


@pytest.mark.parametrize("brand", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize(
    ("ids", "keys"),
    [
        ([2, 1, 2, 1], ("2", "1")),
        (["b", "a", "b", "a"], ("b", "a")),
        ([2.5, 1.0, 2.5, 1.0], ("2.5", "1.0")),
        ([True, False, True, False], ("True", "False")),
        ([datetime.date(2020, 1, d) for d in (2, 1, 2, 1)], ("2020-01-02", "2020-01-01")),
    ],
)
def test_long_frame_keeps_the_order_of_series_and_rows(brand, ids, keys):
    frame = brand({"x": [1.0, 2.0, 3.0, 4.0], "id": ids, "y": [5, 6, 7, 9]})
    panel = Panel.from_any(frame, series="id")
    assert panel.names == ("x", "y")
    assert panel.keys == keys
    assert [part.tolist() for part in panel.series] == [[[1, 5], [3, 7]], [[2, 6], [4, 9]]]


def test_long_frame_with_a_category_as_series():
    frame = pd.DataFrame({"x": [1, 2, 4], "id": pd.Categorical(["b", "a", "b"])})
    assert Panel.from_any(frame, series="id").keys == ("b", "a")


def _dates(*days):
    return [datetime.datetime(2020, 1, day) for day in days]


@pytest.mark.parametrize("brand", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize(
    "times",
    [
        _dates(1, 2, 3, 9),
        [t.date() for t in _dates(1, 2, 3, 9)],
        [1, 2, 5, 6],
        [0.1, 0.2, 0.25, 3.0],
        [2**60, 2**60 + 1, 2**60 + 2, 2**60 + 3],  # equal once rounded to float64
        [datetime.timedelta(days=d) for d in range(4)],
    ],
)
def test_time_column_is_no_variable(brand, times):
    if brand is pd.DataFrame and isinstance(times[0], datetime.date):
        times = pd.to_datetime(times)
    panel = Panel.from_any(brand({"when": times, **WIND}), time="when")
    assert panel.names == ("wind", "rain")
    np.testing.assert_array_equal(panel.values, WIND_VALUES)


@pytest.mark.parametrize("brand", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize("times", [_dates(1, 2, 2, 3), _dates(1, 3, 2, 4), [0, 1, 1, 2]])
def test_time_column_must_grow(brand, times):
    frame = brand({"when": times, **WIND})
    with pytest.raises(DataError, match=r"'when' must grow .* row 2 .* not later than row 1"):
        Panel.from_any(frame, time="when")


@pytest.mark.parametrize("brand", [pd.DataFrame, pl.DataFrame])
def test_time_grows_within_each_series(brand):
    frame = brand({"id": ["a", "a", "b", "b"], "when": _dates(3, 4, 1, 2), **WIND})
    assert Panel.from_any(frame, series="id", time="when").keys == ("a", "b")
    frame = brand({"id": ["a", "a", "b", "b"], "when": _dates(3, 4, 2, 1), **WIND})
    with pytest.raises(DataError, match=r"Series 'b': The times in 'when' .* row 1 "):
        Panel.from_any(frame, series="id", time="when")
    with pytest.raises(DataError, match="tells them apart in series="):
        Panel.from_any(frame[["when", "wind"]], time="when")
    with pytest.raises(DataError, match="Series '1': The times"):
        Panel.from_any([frame[["when", "wind"]][:2], frame[["when", "wind"]][2:]], time="when")


@pytest.mark.parametrize("zone", [None, "Europe/Berlin"])
def test_growing_index_of_times_is_accepted(zone):
    # The hour repeats on the clock in Berlin that night, yet time goes on.
    index = pd.date_range("2020-10-25", periods=4, freq="h", tz=zone)
    assert Panel.from_any(pd.DataFrame(WIND, index=index)).names == ("wind", "rain")
    assert Panel.from_any(pd.DataFrame({"t": index, **WIND}), time="t").length == 4
    with pytest.raises(DataError, match=r"times in the index .* row 1 .* this happens 3 times"):
        Panel.from_any(pd.DataFrame(WIND, index=index[::-1]))


def test_other_indexes():
    assert Panel.from_any(pd.DataFrame(WIND, index=[3, 1, 1, 0])).dimension == 2
    months = pd.period_range("2020-01", periods=4, freq="M")
    assert Panel.from_any(pd.DataFrame(WIND, index=months)).dimension == 2
    with pytest.raises(DataError, match="times in the index must grow"):
        Panel.from_any(pd.DataFrame(WIND, index=months[::-1]))
    index = pd.DatetimeIndex([*_dates(1, 2, 3), None])
    with pytest.raises(DataError, match="times in the index must grow"):
        Panel.from_any(pd.DataFrame(WIND, index=index))
    levels = pd.MultiIndex.from_tuples([(0, 0), (0, 1), (1, 0), (1, 1)], names=["game", "t"])
    frame = pd.DataFrame(WIND, index=levels)
    for data in (frame, nw.from_native(frame)):
        with pytest.raises(DataError, match=r"2 levels \('game', 't'\).*reset_index"):
            Panel.from_any(data)
    long = pd.DataFrame(WIND, index=levels).reset_index()
    assert Panel.from_any(long, series="game", time="t").lengths == (2, 2)


def test_index_of_times_grows_within_each_series():
    index = pd.DatetimeIndex(_dates(3, 4, 1, 2))
    frame = pd.DataFrame({"id": [0, 0, 1, 1], **WIND}, index=index)
    assert Panel.from_any(frame, series="id").lengths == (2, 2)
    with pytest.raises(DataError, match="times in the index must grow"):
        Panel.from_any(frame)


def test_the_callers_data_is_neither_changed_nor_shared():
    array = WIND_VALUES.copy()
    panel = Panel.from_any(array)
    assert array.flags.writeable
    array[:] = 99
    np.testing.assert_array_equal(panel.values, WIND_VALUES)
    frame = pd.DataFrame(WIND)
    before = frame.copy()
    panel = Panel.from_any(frame)
    pd.testing.assert_frame_equal(frame, before)
    frame.loc[0, "wind"] = 99
    np.testing.assert_array_equal(panel.values, WIND_VALUES)
    masked = np.ma.MaskedArray(WIND_VALUES.copy())
    panel = Panel.from_any(masked)
    masked[:] = 99
    np.testing.assert_array_equal(panel.values, WIND_VALUES)
    part = WIND_VALUES.copy()
    panel = Panel(("a", "b"), (part,))
    part[:] = 99
    np.testing.assert_array_equal(panel.values, WIND_VALUES)


@pytest.mark.parametrize(
    "rebuild", [lambda p: p, lambda p: pickle.loads(pickle.dumps(p)), copy.deepcopy, copy.copy]
)
def test_a_panel_cannot_be_changed(rebuild):
    panel = rebuild(Panel.from_any({"a": WIND_VALUES, "b": WIND_VALUES[1:]}))
    assert panel.keys == ("a", "b")
    with pytest.raises(AttributeError, match="cannot assign"):
        panel.names = ("a", "b")
    for array in (panel.values, *panel.series):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 1.0
    with pytest.raises(ValueError, match="WRITEABLE"):
        panel.series[0].flags.writeable = True
    assert all(np.shares_memory(part, panel.values) for part in panel.series)


def test_repr_says_what_is_inside():
    parts = [np.random.default_rng(n).normal(size=(100, 3)) for n in range(12)]
    assert repr(Panel.from_any(parts)) == "Panel(3 variables × 1200 rows in 12 series)"
    one = Panel.from_any(np.array([[1.0]]), allow_constant=True)
    assert repr(one) == "Panel(1 variable × 1 row in 1 series)"


def test_require_longer_than():
    panel = Panel.from_any({"a": WIND_VALUES, "b": WIND_VALUES[:3]})
    panel.require_longer_than(2)
    panel.require_longer_than(np.int64(0))
    with pytest.raises(DataError, match=r"3 lags .* at least 4 rows.*: 'b' \(3 rows\)\. Use fewer"):
        panel.require_longer_than(3)
    with pytest.raises(DataError, match=r"'a' \(4 rows\), 'b' \(3 rows\)"):
        panel.require_longer_than(4)
    for lags in (-1, 1.5, True, "2"):
        with pytest.raises(SettingsError, match="lags must be a whole number, 0 or more; got"):
            panel.require_longer_than(lags)


def test_constant_columns_can_be_allowed():
    steady = np.array([[1.0, 2.0], [1.0, 3.0]])
    panel = Panel.from_any(steady, allow_constant=True)
    with pytest.raises(DataError, match="'X1' \\(always 1\\)"):
        Panel.from_any(panel)
    assert Panel.from_any([steady, steady + 1]).length == 4  # constant in each, not over all


numbers = st.floats(-1e6, 1e6, width=32)


@st.composite
def parts_of_a_panel(draw):
    dimension = draw(st.integers(1, 4))
    lengths = draw(st.lists(st.integers(1, 6), min_size=1, max_size=5))
    return [draw(arrays(np.float64, (rows, dimension), elements=numbers)) for rows in lengths]


@given(parts_of_a_panel())
def test_any_parts_come_back_as_they_went_in(parts):
    panel = Panel.from_any(parts, allow_constant=True)
    assert panel.lengths == tuple(map(len, parts))
    assert panel.length == sum(map(len, parts))
    np.testing.assert_array_equal(panel.values, np.concatenate(parts))
    for start, mine, part in zip(panel.offsets, panel.series, parts, strict=True):
        np.testing.assert_array_equal(mine, part)
        np.testing.assert_array_equal(panel.values[start : start + len(part)], part)


@given(parts_of_a_panel(), st.randoms(use_true_random=False))
def test_a_long_frame_equals_its_series_however_they_are_interleaved(parts, random):
    order = [key for key, part in enumerate(parts) for _ in part]
    random.shuffle(order)
    rows = [iter(part) for part in parts]
    names = [f"v{column}" for column in range(parts[0].shape[1])]
    table = {name: [] for name in names}
    for key in order:
        for name, value in zip(names, next(rows[key]), strict=True):
            table[name].append(float(value))
    expected = {str(key): parts[key] for key in dict.fromkeys(order)}
    for brand in (pd.DataFrame, pl.DataFrame):
        frame = brand({"id": order, **table})
        panel = Panel.from_any(frame, series="id", allow_constant=True)
        assert panel.names == tuple(names)
        assert panel.keys == tuple(expected)
        for mine, part in zip(panel.series, expected.values(), strict=True):
            np.testing.assert_array_equal(mine, part)
