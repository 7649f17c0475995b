"""The learning of the curves: small cases, all steps."""

import numpy as np
import pytest
from benchmarks.trust import calibrate, cases
from benchmarks.trust.collect import collect

from chronodag.evidence import belief, coefficients
from chronodag.simulate import random_process


def case(number):
    process = random_process(3, 1, rng=number, mechanism="ANM", degree=1)
    return cases.Case(f"small-{number}", process.sample(80, number), process.graph.adjacency)


@pytest.fixture(scope="module")
def weighed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trust")
    first = collect([case(number) for number in range(6)], folder)
    again = collect([case(number) for number in range(6)], folder)  # reads what is there
    for one, other in zip(first, again, strict=True):
        np.testing.assert_array_equal(one.evidence.nats, other.evidence.nats)
    return first


def test_a_curve_is_fitted_to_the_possible_edges(weighed):
    samples = [calibrate.edges(one) for one in weighed]
    assert all(sample.features.shape[1] == len(belief.NOISY_FEATURES) for sample in samples)
    curve = calibrate.fit(samples)
    chances = np.concatenate([curve(sample.features) for sample in samples])
    true = np.concatenate([sample.true for sample in samples])
    assert chances[true].mean() > chances[~true].mean() + 0.2
    assert chances.mean() == pytest.approx(true.mean(), abs=0.02)


def test_left_out_cases_are_scored(weighed):
    chosen, best, error = calibrate.cross_validate([calibrate.edges(one) for one in weighed])
    assert (chosen <= best + 1e-12).all()
    assert 0 <= error <= 1


def test_missed_edges_count():
    sample = calibrate.Sample("x", np.zeros((2, 1)), np.array([True, False]), missed=2)
    score = calibrate.scorer(sample, np.array([0.9, 0.1]))
    assert score(0.5) == pytest.approx(2 / (1 + 3))


def test_the_curves_in_use_have_a_weight_per_feature():
    assert len(coefficients.NOISY) == len(belief.NOISY_FEATURES)
    assert len(coefficients.NOISE_FREE) == len(belief.NOISE_FREE_FEATURES)
    assert len(coefficients.DIRECTION) == len(belief.DIRECTION_FEATURES)


def test_cases_differ_and_are_the_same_again():
    first, second = (next(iter(cases.noise_free())) for _ in range(2))
    np.testing.assert_array_equal(first.data, second.data)
    maps = [one for one in cases.noise_free() if one.name.startswith("maps")]
    assert len(maps) == cases.MAPS
    assert {one.truth.sum(axis=(0, 1)).max() for one in maps} - {1, 2, 3}
    names = [one.name for one in cases.noise_free()]
    assert len(names) == len(set(names))
