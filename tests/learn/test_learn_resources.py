"""Memory is estimated and bounded; devices are chosen, named and shared."""

import os
import subprocess
import sys

import numpy as np
import pytest

from chronodag.errors import SettingsError
from chronodag.learn import NTSNotears
from chronodag.learn.budget import GIB, estimate_memory
from chronodag.learn.devices import choose_devices, describe
from chronodag.model import Architecture
from chronodag.solve.placement import usable

SMALL = Architecture(dimension=20, lags=2, hidden=(10,))


def test_memory_is_flat_in_time_but_for_the_data():
    short, long = (estimate_memory(SMALL, rows, dtype="float64") for rows in (10**5, 10**6))
    assert long.activations == short.activations
    assert long.parameters == short.parameters
    assert long.data == 10 * short.data
    assert long.total < 4 * GIB


def test_a_limit_makes_chunks_smaller_and_then_refuses():
    free = estimate_memory(SMALL, 10**5, dtype="float64")
    bound = (free.total - free.activations / 2) / GIB
    tight = estimate_memory(SMALL, 10**5, dtype="float64", limit=bound)
    assert tight.chunk < free.chunk
    assert tight.total <= bound * GIB
    with pytest.raises(SettingsError, match=r"more than the limit of 0\.01 GiB.*float32"):
        estimate_memory(SMALL, 10**5, dtype="float64", limit=0.01)


def test_an_estimate_reads_as_a_sentence(chain):
    estimate = NTSNotears(lags=1).estimate_memory(chain)
    assert str(estimate).startswith("needs about ")
    assert str(estimate).endswith("chunks of 4,096 windows")


def test_a_plan_says_what_and_where(chain):
    plan = NTSNotears(lags=1, device="cpu", threshold=0.3).plan(chain)
    assert plan.startswith("needs about ")
    assert plan.endswith("; on cpu")


def test_the_limit_is_a_setting(chain):
    with pytest.raises(SettingsError, match=r"The fit needs about .* raise memory_limit"):
        NTSNotears(lags=1, memory_limit=1e-6).fit(chain)
    with pytest.raises(SettingsError, match="memory_limit is -1; expected a finite number"):
        NTSNotears(lags=1, memory_limit=-1).fit(chain)


def test_chunks_change_nothing(chain):
    whole = NTSNotears(lags=1, hidden=4, l1=0.02, random_state=0)
    need = whole.estimate_memory(chain)
    # leave room for a quarter of the activations: 64 windows at a time
    limit = (need.total - 0.73 * need.activations) / GIB
    chunked = NTSNotears(lags=1, hidden=4, l1=0.02, random_state=0, memory_limit=limit)
    assert chunked.estimate_memory(chain).chunk == 64
    np.testing.assert_allclose(
        chunked.fit(chain).strengths_, whole.fit(chain).strengths_, atol=5e-3
    )


def test_devices_are_chosen_by_name():
    (device,) = choose_devices("cpu", work=1e6)
    assert device.platform == "cpu"
    assert describe((device,)) == "cpu"
    assert describe((device, device)) == "2 × cpu"
    with pytest.raises(SettingsError, match="device is 'tpu'; expected one of 'auto', 'cpu'"):
        NTSNotears(device="tpu").fit(np.random.default_rng(0).normal(size=(50, 2)))


@pytest.mark.parametrize(
    ("devices", "fits", "rows", "shared"), [(1, 1, 5, 1), (2, 1, 4, 2), (4, 1, 10, 2), (3, 9, 5, 3)]
)
def test_the_work_is_shared_evenly(devices, fits, rows, shared):
    assert len(usable(list(range(devices)), fits, rows)) == shared


TWO_DEVICES = """
import jax, numpy as np, sys
from chronodag.learn import NTSNotears
from chronodag.solve import device_solver
seen, place = [], device_solver.place
def watch(tree, devices, fits, rows):
    placed = place(tree, devices, fits, rows)
    seen.append(max(len(leaf.sharding.device_set) for leaf in jax.tree.leaves(placed)))
    return placed
device_solver.place = watch
assert len(jax.devices()) == 2
data = np.load(sys.argv[1])
learner = NTSNotears(lags=1, hidden=4, l1=0.02, random_state=0).fit(data)
assert seen == [2] * len(seen) and seen, seen
np.save(sys.argv[2], learner.strengths_)
"""


def test_two_devices_find_what_one_finds(chain, tmp_path):
    data = np.column_stack([chain, np.random.default_rng(0).normal(size=len(chain))])
    np.save(tmp_path / "data.npy", data)
    flags = "--xla_force_host_platform_device_count=2"
    subprocess.run(
        [sys.executable, "-c", TWO_DEVICES, tmp_path / "data.npy", tmp_path / "strengths.npy"],
        env={**os.environ, "XLA_FLAGS": flags},
        check=True,
    )
    alone = NTSNotears(lags=1, hidden=4, l1=0.02, random_state=0).fit(data)
    np.testing.assert_allclose(np.load(tmp_path / "strengths.npy"), alone.strengths_, atol=5e-3)
