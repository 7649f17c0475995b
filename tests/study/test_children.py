"""Cells in their own process: kept, limited, and what happens when it dies."""

import sys
import time

import pytest

from chronodag.study import Cell, DataSpec, Limits, MethodSpec
from chronodag.study.children import allow_children, close_children, run_in_child, stop_children

DATA = DataSpec("study_parts:walk", {"T": 60}, "walk")


@pytest.fixture(scope="module")
def run():
    allow_children()
    path = tuple(entry for entry in sys.path if entry.endswith("tests"))

    def run(limits=None, seed=0, warm_up=False, **settings):
        method = MethodSpec("study_parts:Slow", settings, "slow")
        return run_in_child(Cell(DATA, seed, method, warm_up), limits or Limits(), 1, path)

    yield run
    close_children()


def pid(record):
    return record["message"].split()[0]


def test_a_child_is_kept_and_limited_in_threads(run):
    one, two = run(), run(seed=1)
    assert one["status"] == two["status"] == "ok"
    assert pid(one) == pid(two)
    assert "threads=1" in one["message"]
    assert one["d"] == 3
    assert one["T"] == 60
    assert one["peak_mib"] > 1


def test_cells_that_are_timed_share_no_child(run):
    one, two = run(warm_up=True), run(warm_up=True)
    assert one["status"] == two["status"] == "ok"
    assert pid(one) != pid(two)


def test_the_method_starts_from_the_seed_of_the_cell(run):
    assert run(seed=7)["message"].endswith("seed=7")
    assert run(seed=8)["message"].endswith("seed=8")


def test_too_long_and_then_on_with_a_new_child(run):
    before = pid(run())
    clock = time.perf_counter()
    record = run(Limits(seconds=0.3), seconds=60.0)
    assert time.perf_counter() - clock < 30
    assert (record["status"], record["error"]) == ("timeout", "took more than 0.3 s")
    after = run()
    assert after["status"] == "ok"
    assert pid(after) != before


def test_too_much_memory(run):
    record = run(Limits(memory_gib=0.6), mib=900, seconds=20.0)
    assert record["status"] == "out-of-memory"
    assert "more than 0.6 GiB" in record["error"]
    assert run(Limits(memory_gib=2.0), mib=100)["status"] == "ok"


def test_the_peak_is_that_of_the_cell_not_of_the_process(run):
    large, small = run(mib=300), run(mib=1)
    assert large["peak_mib"] > small["peak_mib"] + 200


def test_a_process_that_ends(run):
    record = run(end=3)
    assert record["status"] == "failed"
    assert record["error"] == "the working process ended with exit code 3"
    assert run()["status"] == "ok"


def test_errors_are_results(run):
    record = run(error="no good")
    assert record["status"] == "failed"
    assert record["error"].startswith("ValueError: no good (fit, line ")


def test_stopping(run):
    stop_children()
    assert run() == {"status": "interrupted"}
    allow_children()
    assert run()["status"] == "ok"
