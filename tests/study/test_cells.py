"""Cells: what is crossed, what is left out, and that a key names the content and nothing else."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronodag.errors import SettingsError
from chronodag.study import Facts, cells, parse_study
from chronodag.study.scaled import scaled
from chronodag.study.spec import canonical

TEXT = """
name: crossing
seeds: [3, 4]
data: [{source: lorenz96, label: "T={T}", d: 5, grid: {T: [200, 1000]}}]
methods:
  - method: nts-notears
    settings: {lags: 1, l2: 0.1}
    by: {T: {200: {l1: 0.01}, 1000: {l1: 0.001, l2: 0.2}}}
  - {method: empty, when: {T: [200]}}
"""


PAIRS = (("T=200", "nts-notears"), ("T=200", "empty"), ("T=1000", "nts-notears"))


def test_everything_is_crossed_seed_by_seed():
    found = cells(parse_study(TEXT))
    assert [(cell.seed, cell.data.label, cell.method.label) for cell in found] == [
        (seed, label, method)
        for seed in (3, 4)
        for label, method in PAIRS
    ]  # fmt: skip
    assert found[0].method.settings == {"lags": 1, "l2": 0.1, "l1": 0.01}
    assert found[2].method.settings == {"lags": 1, "l2": 0.2, "l1": 0.001}


def test_settings_for_other_data_are_missed():
    study = parse_study(TEXT.replace("[200, 1000]", "[200, 500]"))
    with pytest.raises(SettingsError, match=r"settings by T for 200, 1000, but .* T=500"):
        cells(study)


def test_the_key_forgets_labels_and_limits():
    first, again = (cells(parse_study(text)) for text in (TEXT, relabelled()))
    assert [cell.key for cell in first] == [cell.key for cell in again]


def relabelled():
    text = TEXT.replace('"T={T}"', '"rows: {T}"').replace("empty,", "empty, label: nothing,")
    return text + "limits: {seconds: 3}\n"


def test_the_key_knows_everything_else():
    cell = cells(parse_study(TEXT))[0]
    others = [
        replace(cell, seed=9),
        replace(cell, warm_up=True),
        replace(cell, data=replace(cell.data, standardize=False)),
        replace(cell, data=replace(cell.data, settings={"d": 5, "T": 201})),
        replace(cell, data=replace(cell.data, source="random-process")),
        replace(cell, method=replace(cell.method, method="empty")),
        replace(cell, method=replace(cell.method, settings={})),
        replace(cell, method=replace(cell.method, knowledge=Facts(forbid=0.1))),
    ]
    keys = {cell.key for cell in [cell, *others]}
    assert len(keys) == len(others) + 1
    assert all(len(key) == 64 for key in keys)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), values, max_size=4))
def test_canonical_text_does_not_depend_on_the_order_of_keys(content):
    turned = dict(reversed(list(content.items())))
    assert canonical(content) == canonical(turned)


def test_settings_grow_with_the_data():
    given_ = {
        "a": "d",
        "b": "2d",
        "c": "0.5*d",
        "e": [0.1, "2/T"],
        "f": "device",
        "g": 3,
        "h": "dd",
    }
    assert scaled(given_, d=10, T=400) == {
        "a": 10, "b": 20, "c": 5, "e": [0.1, 0.005], "f": "device", "g": 3, "h": "dd"
    }  # fmt: skip
