"""Estimates come from what was measured, and nothing is invented."""

import pytest

from chronodag.cli.bench_progress import TimeLeft
from chronodag.study import cells, parse_study
from chronodag.study.estimate import Estimator, total
from chronodag.study.foresight import duration, foresee, probes
from chronodag.study.running import Plan

STUDY = parse_study("""
name: sizes
seeds: [0, 1]
data: [{source: lorenz96, label: "d={d}", T: 100, grid: {d: [5, 10]}}]
methods: [{method: nts-notears}, {method: empty}]
limits: {seconds: 30}
""")
CELLS = {(cell.data.label, cell.method.label, cell.seed): cell for cell in cells(STUDY)}
SMALL, OTHER_SEED = CELLS["d=5", "nts-notears", 0], CELLS["d=5", "nts-notears", 1]
LARGE = CELLS["d=10", "nts-notears", 0]


def took(seconds, status="ok", d=5):
    return {"status": status, "elapsed": seconds, "d": d, "T": 100}


def test_the_median_of_the_same_kind():
    estimator = Estimator()
    for seconds in (1.0, 9.0, 2.0):
        estimator.add(SMALL, took(seconds))
    found = estimator.seconds(OTHER_SEED)
    assert (found.seconds, found.exact) == (2.0, True)


def test_other_sizes_are_scaled():
    estimator = Estimator()
    estimator.add(SMALL, took(2.0))
    found = estimator.seconds(LARGE)
    assert (found.seconds, found.exact) == (8.0, False)


def test_what_nobody_ran_has_none():
    estimator = Estimator()
    estimator.add(SMALL, took(2.0))
    estimator.add(CELLS["d=5", "empty", 0], took(0.1, status="failed"))
    assert estimator.seconds(CELLS["d=5", "empty", 1]) is None
    seconds, unknown = total(estimator, CELLS.values())
    assert seconds == pytest.approx(2 * 2.0 + 2 * 8.0)
    assert {cell.method.label for cell in unknown} == {"empty"}


def test_foresight_tells_what_is_not_known():
    estimator = Estimator()
    estimator.add(SMALL, took(60.0))
    missing = tuple(cell for cell in CELLS.values() if cell is not SMALL)
    state = Plan(tuple(CELLS.values()), missing, done=1, failed=0, estimator=estimator)
    text = "\n".join(foresee(STUDY, state, jobs=2))
    assert "8 cells" in text
    assert "done 1, failed 0, to run 7" in text
    assert "about 4 min for 3 of them, 2 at once" in text
    assert "no estimate for 4 cells" in text
    assert text.count("empty") == 1
    assert "at most 105 s" in text or "at most 2 min" in text
    assert [(cell.data.label, cell.method.label) for cell in probes(state)] == [
        ("d=5", "empty"), ("d=10", "nts-notears"), ("d=10", "empty")
    ]  # fmt: skip


def test_time_left():
    rest = TimeLeft((SMALL, OTHER_SEED, LARGE), Estimator(), jobs=2)
    assert rest.seconds() is None
    rest.note(SMALL, took(4.0))
    assert rest.seconds() == pytest.approx((4.0 + 16.0) / 2)
    rest.note(OTHER_SEED, took(4.0))
    rest.note(LARGE, took(20.0, d=10))
    assert rest.seconds() == 0.0


@pytest.mark.parametrize(
    ("seconds", "text"), [(3.2, "3 s"), (89, "89 s"), (600, "10 min"), (9000, "2.5 h")]
)
def test_durations(seconds, text):
    assert duration(seconds) == text


GRID = parse_study("""
name: grid
seeds: [0]
data: [{source: lorenz96, d: 5, T: 100}]
methods: [{method: dynotears, grid: {threshold: [0.1, 0.2, 0.3]}}]
""")


def test_one_setting_of_a_grid_stands_for_all():
    wanted = cells(GRID)
    estimator = Estimator()
    state = Plan(wanted, wanted, done=0, failed=0, estimator=estimator)
    assert probes(state) == wanted[:1]
    assert "nothing like them has run: dynotears." in "\n".join(foresee(GRID, state, jobs=1))
    estimator.add(wanted[0], took(2.0))
    found = estimator.seconds(wanted[1])
    assert (found.seconds, found.exact) == (2.0, False)
