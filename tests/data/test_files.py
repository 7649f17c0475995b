"""Tables from files."""

import gzip

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chronodag.data import Panel, read_table
from chronodag.errors import DataError

TEXT = "wind,rain\n1.5,2\n3,4\n2,7\n"
VALUES = [[1.5, 2], [3, 4], [2, 7]]


def _write(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", TEXT),
        ("a.CSV", TEXT),
        ("a.tsv", TEXT.replace(",", "\t")),
        ("a.csv.gz", gzip.compress(TEXT.encode(), mtime=0)),
        ("a.tsv.gz", gzip.compress(TEXT.replace(",", "\t").encode(), mtime=0)),
        ("spaced.csv", TEXT.replace(",", ", ")),
        ("windows.csv", TEXT.replace("\n", "\r\n")),
        ("marked.csv", b"\xef\xbb\xbf" + TEXT.encode()),
    ],
)
def test_text_files(tmp_path, name, content):
    path = _write(tmp_path, name, content)
    for given_path in (path, str(path)):
        panel = Panel.from_any(read_table(given_path))
        assert panel.names == ("wind", "rain")
        assert panel.values.tolist() == VALUES


def test_columns_keep_their_types(tmp_path):
    text = "game,day,x,on\nred,2020-01-01,1,true\nred,2020-01-02,2,false\nblue,2020-01-01,5,true\n"
    table = read_table(_write(tmp_path, "a.csv", text))
    assert [str(kind) for kind in table.schema.types] == ["string", "date32[day]", "int64", "bool"]
    panel = Panel.from_any(table, series="game", time="day")
    assert (panel.keys, panel.names, panel.lengths) == (("red", "blue"), ("x", "on"), (2, 1))
    with pytest.raises(DataError, match=r"'game' \(String, 'red' in row 0\), 'day' \(Date\)"):
        Panel.from_any(table)


def test_a_late_fraction_does_not_break_a_long_column(tmp_path):
    text = "a,b\n" + "1,2\n" * 300_000 + "1.5,3\n"
    assert Panel.from_any(read_table(_write(tmp_path, "a.csv", text))).values[-1].tolist() == [
        1.5,
        3,
    ]


def test_gaps_reach_the_check_of_the_panel(tmp_path):
    table = read_table(_write(tmp_path, "a.csv", "a,b\n1,NA\n2,3\n,4\n"))
    with pytest.raises(DataError, match=r"'a' \(1 missing.*row 2\); 'b' \(1 missing.*row 0\)"):
        Panel.from_any(table)


@pytest.mark.parametrize("index", [None, pd.Index([4, 5, 9])])
def test_parquet(tmp_path, index):
    frame = pd.DataFrame(VALUES, columns=["wind", "rain"], index=index)
    frame.to_parquet(tmp_path / "a.parquet")
    panel = Panel.from_any(read_table(tmp_path / "a.parquet"))
    assert panel.names == ("wind", "rain")
    assert panel.values.tolist() == VALUES
    pl.from_pandas(frame).write_parquet(tmp_path / "b.parquet")
    assert Panel.from_any(read_table(tmp_path / "b.parquet")).values.tolist() == VALUES


def test_parquet_with_a_named_index_of_times(tmp_path):
    index = pd.date_range("2020", periods=3, name="day")
    pd.DataFrame(VALUES, columns=["wind", "rain"], index=index).to_parquet(tmp_path / "a.parquet")
    panel = Panel.from_any(read_table(tmp_path / "a.parquet"), time="day")
    assert panel.names == ("wind", "rain")


def test_numbers_that_count_up_are_names(tmp_path):
    path = tmp_path / "a.csv"
    pd.DataFrame(VALUES).to_csv(path, index=False)
    assert Panel.from_any(read_table(path)).names == ("0", "1")


@pytest.mark.parametrize(
    ("name", "content", "match"),
    [
        ("a.xlsx", TEXT, r"a\.xlsx' is of an unknown kind\. Give one of \.csv, .*\.parquet"),
        ("a", TEXT, "unknown kind"),
        ("a.csv", "", "cannot be read as a table: Empty CSV file"),
        ("a.csv", "a,b\n1\n", "cannot be read as a table: .*Expected 2 columns, got 1"),
        ("a.csv", b"\xff\xfe,b\n1,2\n", "cannot be read as a table"),
        ("a.csv.gz", TEXT, "cannot be read as a table"),
        ("a.parquet", TEXT, "cannot be read as a table"),
        ("a.csv", "a,b,a\n1,2,3\n", r"a\.csv': Two columns have the same name: 'a'"),
        ("a.csv", "a, a\n1,2\n", "Two columns have the same name: 'a'"),
        ("a.csv", ",a\n0,1\n1,2\n", r"Column 0 .* has no name.*index=False"),
        ("a.csv", "1.5,2\n3,4\n", "holds numbers only, so it looks like data"),
        ("a.csv", "7,2\n3,4\n", "holds numbers only, so it looks like data"),
        ("a.csv", "a;b\n1;2\n", "seems to be separated by ';'"),
        ("a.csv", "a\tb\n1\t2\n", "seems to be separated by"),
        ("a.tsv", TEXT, "seems to be separated by ','"),
    ],
)
def test_refusals(tmp_path, name, content, match):
    with pytest.raises(DataError, match=match):
        read_table(_write(tmp_path, name, content))


def test_missing_files_and_folders(tmp_path):
    (tmp_path / "folder.csv").mkdir()
    for name in ("none.csv", "folder.csv"):
        with pytest.raises(DataError, match="There is no file"):
            read_table(tmp_path / name)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(allow_nan=False, allow_infinity=False), st.integers(-(2**50), 2**50)),
        min_size=1,
        max_size=6,
    )
)
def test_numbers_survive_the_way_through_text(tmp_path, rows):
    path = tmp_path / "a.csv"
    path.write_text("a,b\n" + "".join(f"{a!r},{b!r}\n" for a, b in rows))
    panel = Panel.from_any(read_table(path), allow_constant=True)
    np.testing.assert_array_equal(panel.values, np.array(rows, dtype=float))
