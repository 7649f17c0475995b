"""Data that cannot be used is refused, and the message says where, why and what to do."""

import datetime
import sys
import types

import jax.numpy as jnp
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from chronodag.data import Panel
from chronodag.errors import DataError

GOOD = np.array([[1.0, 2.0], [3.0, 1.0], [2.0, 5.0]])
BRANDS = [pd.DataFrame, pl.DataFrame, pa.table]


def refuse(data, match, *args, **options):
    with pytest.raises(DataError, match=match):
        Panel.from_any(data, *args, **options)


@pytest.mark.parametrize("data", [None, 3, 2.5, np.float64(1), {1, 2}, object(), iter([GOOD])])
def test_unsupported_types(data):
    refuse(data, "Expected (a pandas or polars frame|two dimensions)")


def test_types_with_a_hint():
    refuse("data.csv", r"got str\. To read a file, use .*read_table")
    refuse(pd.Series([1, 2]), r"got Series\. That is one column.*to_frame")
    refuse(pl.Series([1, 2]), r"got Series\. That is one column")
    refuse(pa.chunked_array([[1, 2]]), r"got ChunkedArray\. That is one column")
    refuse(pl.LazyFrame({"a": [1, 2]}), r"got LazyFrame.*call \.collect\(\)")
    refuse([Panel.from_any(GOOD)], "Series '0': Expected .* got Panel")


def test_labelled_arrays_are_not_stripped_of_their_labels(monkeypatch):
    module = types.ModuleType("xarray")
    module.DataArray = type("DataArray", (), {"__module__": "xarray", "__array__": lambda s: GOOD})
    monkeypatch.setitem(sys.modules, "xarray", module)
    refuse(module.DataArray(), r"Call \.to_pandas\(\) first")


@pytest.mark.parametrize("data", [[], (), {}])
def test_empty_collections(data):
    refuse(data, "list or dict of series is empty")


@pytest.mark.parametrize("brand", BRANDS)
def test_empty_frames(brand):
    refuse(brand({"a": []}), "empty: 0 rows, 1 column")
    refuse(brand({}), "empty: 0 rows, 0 columns")


def test_empty_arrays():
    refuse(np.empty((0, 3)), "empty: 0 rows, 3 columns")
    refuse(np.empty((3, 0)), "empty: 3 rows, 0 columns")
    refuse(pd.DataFrame(index=range(3)), "empty: 3 rows, 0 columns")
    refuse([GOOD, GOOD[:0]], "Series '1': The data is empty: 0 rows")


@pytest.mark.parametrize(
    ("array", "match"),
    [
        (np.arange(3.0), r"two dimensions.*shape \(3,\)\. For one variable give array\[:, None\]"),
        (np.zeros((2, 3, 4)), r"got 3 with shape \(2, 3, 4\).*give list\(array\)"),
        (np.array(3.0), "two dimensions"),
        (np.zeros((1, 2, 3, 4)), "one row per moment"),
        ([np.arange(3.0)], r"Series '0': Expected two dimensions.*column_stack"),
        ({"x": np.arange(3.0)}, "Series 'x': Expected two dimensions"),
    ],
)
def test_wrong_number_of_dimensions(array, match):
    refuse(array, match)


def test_three_dimensions_become_series_when_listed():
    cube = np.random.default_rng(0).normal(size=(4, 5, 2))
    assert Panel.from_any(list(cube)).lengths == (5, 5, 5, 5)


@pytest.mark.parametrize(
    "data", [[[1, 2], [3, 4]], [1, 2], [(1, 2)], {"x": [1, 2], "y": [3, 4]}, ["a"], [np.float64(1)]]
)
def test_plain_lists_of_numbers(data):
    refuse(data, r"one table per series.*numpy\.array\(data\).*pandas\.DataFrame\(data\)")


@pytest.mark.parametrize(
    ("dtype", "match"),
    [
        (complex, "complex128, not numbers: .*imaginary part"),
        (jnp.bfloat16, r"dtype bfloat16, not numbers: convert it with array\.astype\(float\)"),
        (object, r"dtype object, not numbers: .*astype\(float\)"),
        ("U3", "<U3, not numbers: encode the text"),
        ("S3", "not numbers: encode the bytes"),
        ("M8[s]", "datetime64.*time="),
        ("m8[s]", "convert the durations"),
    ],
)
def test_arrays_without_numbers(dtype, match):
    array = np.array([[1, 2], [3, 4]]).astype(dtype)
    refuse(array, match)
    refuse([GOOD, array], "Series '1': .*" + match)
    with pytest.raises(DataError, match=match):
        Panel(("a", "b"), (array,))


def test_structured_arrays():
    refuse(np.zeros((2, 2), dtype=[("a", float)]), r"pandas\.DataFrame\(array\)")


@pytest.mark.parametrize("brand", BRANDS)
def test_columns_without_numbers_are_listed_with_type_and_remedy(brand):
    days = [datetime.datetime(2020, 1, day) for day in (1, 2, 3)]
    frame = brand({"x": [1, 2, 3], "team": ["1", "red", "2"], "day": days})
    refuse(frame, r"not: 'team' \(String, 'red' in row 1\), 'day' \(Datetime.*say time=\"day\"")
    refuse(frame, r"encode 'team' as numbers.*say series=\"team\"")


def test_many_columns_without_numbers_keep_the_message_short():
    refuse(pd.DataFrame({f"c{n}": ["u", "v"] for n in range(11)}), "'c7' .* and 3 more")


def test_pandas_types_that_are_no_numbers():
    frame = pd.DataFrame({"x": [1, 2]})
    refuse(frame.assign(o=pd.Series([1, 2], dtype=object)), r"'o' \(Object\).*astype\(float\)")
    refuse(frame.assign(o=pd.Series([1, "a"], dtype=object)), r"'o' \((Object|String)")
    refuse(frame.assign(c=pd.Categorical(["u", "v"])), r"'c' \(Categorical\).*encode 'c'")
    refuse(frame.assign(z=[1j, 2j]), r"'z' \(complex128\)")
    refuse(frame.assign(p=pd.period_range("2020", periods=2, freq="M")), r"'p' \(period")
    refuse(frame.assign(d=pd.to_timedelta([1, 2], unit="s")), r"'d' \(Duration.*time=\"d\"")
    refuse(pl.DataFrame({"x": [1, 2], "l": [[1], [2]]}), r"'l' \(List\(Int64\)\)")
    refuse(pl.DataFrame({"x": [1, 2], "n": [None, None]}), r"'n' \(Null\)")


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": [1.0, np.nan, 3.0], "b": [1, 2, 3]}),
        pd.DataFrame({"a": pd.array([1, None, 3], dtype="Int64"), "b": [1, 2, 3]}),
        pd.DataFrame({"a": pd.array([True, None, False], dtype="boolean"), "b": [1, 2, 3]}),
        pd.DataFrame({"a": pd.array([1, None, 3], dtype="int64[pyarrow]"), "b": [1, 2, 3]}),
        pd.DataFrame({"a": pd.array([True, None, False], dtype="bool[pyarrow]"), "b": [1, 2, 3]}),
        pl.DataFrame({"a": [1, None, 3], "b": [1, 2, 3]}),
        pl.DataFrame({"a": [1.0, float("nan"), 3], "b": [1, 2, 3]}),
        pl.DataFrame({"a": [True, None, False], "b": [1, 2, 3]}),
        pa.table({"a": [1, None, 3], "b": [1, 2, 3]}),
        pa.table({"a": [True, None, False], "b": [1, 2, 3]}),
    ],
)
def test_missing_values_of_every_brand(frame):
    refuse(
        frame, r"infinite values in 'a' \(1 missing, first at row 1\)\. Rows count from 0\. Fill"
    )


def test_missing_and_infinite_values_are_counted_and_placed():
    first, second = np.ones((4, 3)), np.ones((9, 3))
    second[[2, 4, 5, 7], 1] = [np.nan, np.inf, np.nan, -np.inf]
    second[8, 2] = np.inf
    refuse(
        {"a": first, "b": second},
        r"'X2' \(2 missing and 2 infinite, first at rows 2, 4, 5, … of series 'b'\); "
        r"'X3' \(1 infinite, first at row 8 of series 'b'\)\. Rows",
    )
    first[3, 1] = np.nan
    refuse({"a": first, "b": second}, r"'X2' \(3 missing .* first at row 3 of series 'a'\)")
    with pytest.raises(DataError, match=r"'p' .*row 3"):
        Panel(("q", "p", "r"), (first,))


def test_many_columns_with_gaps_keep_the_message_short():
    refuse(np.full((3, 20), np.nan), r"'X8' \(3 missing, first at rows 0, 1, 2\); and 12 more")


def test_masked_entries_count_as_missing():
    masked = np.ma.MaskedArray([[1, 2], [3, 4]], mask=[[False, False], [True, False]])
    refuse(masked, r"'X1' \(1 missing, first at row 1\)")
    refuse([masked], r"'X1' \(1 missing, first at row 1\)")


def test_constant_columns():
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [3.5, 3.5], "c": [True, True]})
    refuse(frame, r"never change: 'b' \(always 3\.5\), 'c' \(always 1\)\. .*drop it")
    refuse([np.ones((2, 1)), np.ones((3, 1))], r"'X1' \(always 1\)")
    refuse(np.array([[0.3, 1.0], [0.1 + 0.2, 2.0]]), r"'X1' \(always 0\.3\)")
    refuse(np.zeros((5, 12)), "and 4 more")
    refuse(GOOD[:1], "1 row in all")
    assert Panel.from_any(np.array([[1e-300], [2e-300]])).length == 2
    assert Panel.from_any(np.array([[1e16], [1e16 + 200]])).length == 2
    assert Panel.from_any(np.array([[-1.7e308], [1.7e308]])).length == 2


def test_duplicate_names():
    refuse(pd.DataFrame(GOOD, columns=["a", "a"]), "same name: 'a'. Rename")
    refuse(pd.DataFrame(GOOD, columns=[1, "1"]), "same name: '1'")
    refuse(pa.table([[1, 2], [3, 4]], names=["a", "a"]), "same name: 'a'")
    refuse(GOOD, "same name: 'a'", names=["a", "a"])


def test_names_of_the_wrong_kind():
    refuse(GOOD, "1 name came for 2 columns: 'a'. Give one", names=["a"])
    refuse([GOOD, GOOD], "Series '0': 3 names came for 2 columns", names=["a", "b", "c"])
    refuse(GOOD, r"0 names came for 2 columns\. Give one", names=[])
    refuse(GOOD, "must be a list with one name per variable, got 'ab'", names="ab")
    refuse(GOOD, r"Column 1 \(counted from 0\) has no name", names=["a", " "])
    with pytest.raises(DataError, match="2 columns, but 1 name"):
        Panel(("a",), (GOOD,))


def test_series_of_different_columns():
    frames = [pd.DataFrame(GOOD, columns=["a", "b"]), pd.DataFrame(GOOD, columns=["a", "c"])]
    refuse(frames, "series '1' has 'a', 'c', but series '0' has 'a', 'b'")
    refuse({"u": GOOD, "v": GOOD[:, :1]}, "series 'v' has 'X1', but series 'u' has 'X1', 'X2'")
    refuse([frames[0], frames[0][["b", "a"]]], "same columns in the same order")
    refuse([frames[0], GOOD], "series '1' has 'X1', 'X2'")


def test_keys():
    refuse({1: GOOD, "1": GOOD}, "same key: '1'")
    with pytest.raises(DataError, match="1 keys came for 2 series"):
        Panel(("a", "b"), (GOOD, GOOD), ("x",))
    with pytest.raises(DataError, match="at least one series"):
        Panel(("a", "b"), ())


@pytest.mark.parametrize("brand", BRANDS)
def test_series_and_time_name_columns(brand):
    frame = brand({"a": [1, 2, 3], "b": [3, 1, 2]})
    refuse(frame, "series='c' names no column. The columns are 'a', 'b'", series="c")
    refuse(frame, "time='c' names no column", time="c")
    refuse(frame, "both name 'a'", series="a", time="a")
    refuse(frame, "No variables are left", series="a", time="b")
    refuse([frame], "is for one long table", series="a")
    refuse(GOOD, "name columns of a frame, but an array came", series="a")
    refuse([GOOD], "name columns of a frame, but an array came", time="a")
    refuse(Panel.from_any(GOOD), "but a Panel came", series="a")


@pytest.mark.parametrize("brand", BRANDS)
@pytest.mark.parametrize("ids", [["a", None, None], [1.0, None, float("nan")]])
def test_missing_series(brand, ids):
    frame = brand({"id": ids, "x": [1, 2, 3]})
    refuse(frame, r"'id' has no value in row 1 \(counted from 0\), and 2 such", series="id")


def test_odd_series_columns():
    frame = pd.DataFrame({"id": [1, "1", 2], "x": [1, 2, 3]})
    refuse(frame, "read the same as text", series="id")
    refuse(pl.DataFrame({"id": [[1], [2]], "x": [1, 2]}), "cannot name a series", series="id")
    frame = pd.DataFrame({"id": pd.array([1, None], dtype="Int64"), "x": [1, 2]})
    refuse(frame, "no value in row 1", series="id")


@pytest.mark.parametrize("brand", BRANDS)
def test_odd_time_columns(brand):
    day = datetime.datetime(2020, 1, 1)
    refuse(brand({"t": ["1", "2"], "x": [1, 2]}), "no order in time.*to_datetime", time="t")
    refuse(brand({"t": [day, None], "x": [1, 2]}), "'t' has no value in row 1", time="t")
    refuse(brand({"t": [0.5, float("nan")], "x": [1, 2]}), "'t' has no value in row 1", time="t")
    refuse(brand({"t": [None, 3], "x": [1, 2]}), "'t' has no value in row 0", time="t")


def test_the_most_basic_problem_comes_first():
    frame = pd.DataFrame({"a": ["u", "v"], "b": [np.nan, 1.0], "c": [1, 1]})
    refuse(frame, r"must be numeric.*'a' \(String, 'u' in row 0\)")
    refuse(frame[["b", "c"]], "missing .*'b'")
    refuse(frame[["c"]], "never change")
    refuse(frame[:0], "empty")
    refuse([frame[["b"]], frame[["c"]]], "same columns")
