"""One cell in this process: what a record holds."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

from chronodag.rivals import Learned
from chronodag.study import Cell, DataSpec, Facts, MethodSpec
from chronodag.study.measuring import measure
from study_parts import CAN

SEEN = []


@dataclass(frozen=True)
class Watching:
    """Keeps what it was given."""

    name: ClassVar[str] = "watching"
    capabilities: ClassVar = replace(CAN, knowledge=True)
    lags: int = 1
    hidden: object = None
    seed: int = -1

    def fit(self, panel, knowledge=None):
        SEEN.append((self, panel, knowledge))
        return Learned(panel.names, np.ones((2, 3, 3)), np.zeros((2, 3, 3), bool))


@pytest.fixture
def cell(monkeypatch):
    import study_parts

    monkeypatch.setattr(study_parts, "Watching", Watching, raising=False)
    SEEN.clear()
    data = DataSpec("study_parts:walk", {"T": 60}, "walk")
    return Cell(data, 5, MethodSpec("study_parts:Watching", {"hidden": "2d"}, "watching"))


def test_settings_seed_and_scale(cell):
    record = measure(cell)
    assert record["status"] == "ok", record["error"]
    method, panel, known = SEEN[0]
    assert (method.hidden, method.seed, known) == (6, 5, None)
    np.testing.assert_allclose(panel.values.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(panel.values.std(axis=0), 1)
    assert record["shape"] == [2, 3, 3]
    assert len(record["strengths"]) == 18
    assert record["machine"]["versions"]["numpy"] == np.__version__


def test_raw_data(cell):
    measure(replace(cell, data=replace(cell.data, standardize=False)))
    assert SEEN[0][1].values.std() > 5


def test_a_seed_of_the_study_wins(cell):
    measure(replace(cell, method=replace(cell.method, settings={"seed": 1})))
    assert SEEN[0][0].seed == 1


def test_warming_up_fits_twice(cell):
    record = measure(replace(cell, warm_up=True))
    assert len(SEEN) == 2
    assert record["seconds"] != record["first_seconds"]


def test_knowledge_is_drawn_from_the_truth(cell):
    facts = Facts(forbid=1.0, require=1.0)
    measure(replace(cell, method=replace(cell.method, knowledge=facts)))
    assert len(SEEN[0][2]) == 15


def test_one_fact_is_told_after_a_first_fit(cell):
    facts = Facts(one="required")
    record = measure(replace(cell, method=replace(cell.method, knowledge=facts)))
    assert [known and len(known) for _, _, known in SEEN] == [None, 1]
    assert record["message"].startswith("told: require ")


def test_the_truth_is_kept_in_the_order_of_what_was_learned(cell):
    record = measure(cell)
    true = np.reshape(record["truths"]["truth"], record["shape"])
    np.testing.assert_array_equal(true[1], np.eye(3))
    assert not true[0].any()


def test_running_out_of_memory(cell, monkeypatch):
    def fail(self, panel, knowledge=None):
        raise MemoryError("no room")

    monkeypatch.setattr(Watching, "fit", fail)
    assert measure(cell)["status"] == "out-of-memory"
