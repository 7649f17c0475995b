import numpy as np
import pytest

from chronodag.errors import DataError, SettingsError
from chronodag.simulate import lorenz96
from chronodag.simulate.lorenz import derivative


def naive_derivative(state, forcing):
    d = len(state)
    return [
        (state[(i + 1) % d] - state[(i - 2) % d]) * state[(i - 1) % d] - state[i] + forcing
        for i in range(d)
    ]


def test_truth_is_four_causes_each_at_lag_1():
    adjacency = lorenz96(20, 3, rng=0, lags=2).graph.adjacency
    assert adjacency.shape == (3, 20, 20)
    assert not adjacency[0].any()
    assert not adjacency[2].any()
    for i in range(20):
        causes = {(i - 2) % 20, (i - 1) % 20, i, (i + 1) % 20}
        assert set(np.flatnonzero(adjacency[1, :, i])) == causes
    assert adjacency.sum() == 80


def test_derivative_equals_its_slow_twin_and_its_own_jacobian_pattern():
    state = np.random.default_rng(0).standard_normal(7)
    np.testing.assert_allclose(derivative(state, 8.0), naive_derivative(state, 8.0))
    adjacency = lorenz96(7, 2, rng=0).graph.adjacency[1]
    for source in range(7):
        nudged = state + 1e-6 * (np.arange(7) == source)
        moved = np.abs(derivative(nudged, 8.0) - derivative(state, 8.0)) > 1e-9
        np.testing.assert_array_equal(moved, adjacency[source])


@pytest.mark.parametrize("forcing", [10.0, 40.0])
def test_fine_trajectory_follows_the_equation(forcing):
    step = 1e-4
    data = lorenz96(8, 2000, rng=1, forcing=forcing, step=step).data
    slopes = (data[2:] - data[:-2]) / (2 * step)
    expected = derivative(data[1:-1], forcing)
    np.testing.assert_allclose(slopes, expected, atol=1e-3 * np.abs(expected).max())


def test_coarse_rows_are_rows_of_the_fine_trajectory():
    fine = lorenz96(6, 101, rng=2, step=0.01).data
    coarse = lorenz96(6, 11, rng=2, step=0.1).data
    np.testing.assert_allclose(coarse, fine[::10], atol=1e-5)


def test_rest_point_stays():
    data = lorenz96(5, 20, rng=0, forcing=0.5, start=np.full(5, 0.5)).data
    np.testing.assert_allclose(data, 0.5)


def test_paper_starts_uniformly_without_noise():
    simulated = lorenz96(rng=3)
    assert simulated.data.shape == (500, 20)
    assert ((simulated.data[0] > 0) & (simulated.data[0] < 1)).all()
    assert simulated.names[0] == "X1"
    assert not simulated.data.flags.writeable


def test_variants_differ_as_their_sources_do():
    granger = lorenz96(6, 50, rng=4, variant="neural-granger", noise=0.0, burn_in=200).data
    recurrent = lorenz96(6, 100, rng=4, variant="recurrent", noise=0.0, burn_in=0).data
    explicit = lorenz96(6, 100, rng=4, step=0.05, start="normal").data
    np.testing.assert_array_equal(recurrent, explicit)
    assert np.abs(recurrent[0]).max() < 0.1
    assert np.abs(granger[0]).max() > 0.1  # the burn-in left the start behind


def test_noise_is_added_to_the_same_trajectory():
    clean, noisy = (lorenz96(20, 300, rng=5, noise=sd).data for sd in (0.0, 0.1))
    assert (noisy - clean).std() == pytest.approx(0.1, rel=0.05)


def test_same_seed_same_bytes():
    one, other = (lorenz96(8, 50, rng=6, variant="recurrent", burn_in=5) for _ in range(2))
    assert one.data.tobytes() == other.data.tobytes()
    from_generator = lorenz96(8, 50, rng=np.random.default_rng(6), variant="recurrent", burn_in=5)
    assert from_generator.data.tobytes() == one.data.tobytes()
    assert lorenz96(8, 50, rng=7).data.tobytes() != lorenz96(8, 50, rng=8).data.tobytes()


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"d": 3}, "d is 3; expected a whole number of 4 or more"),
        ({"T": 0}, "T is 0"),
        ({"T": 2.5}, r"T is 2\.5"),
        ({"lags": 0}, "lags is 0"),
        ({"step": 0.0}, "step is 0.0; expected a finite number greater than 0"),
        ({"noise": -1.0}, "noise is -1.0"),
        ({"noise": "loud"}, "noise is 'loud'"),
        ({"burn_in": -1}, "burn_in is -1"),
        ({"forcing": np.inf}, "forcing is inf"),
        ({"variant": "Paper"}, "variant is 'Paper'; expected one of 'paper'"),
        ({"start": "zero"}, "start is 'zero'"),
        ({"start": [1.0, 2.0]}, r"start has shape \(2,\)"),
        ({"rng": None}, "rng is None"),
        ({"rng": -1}, "rng is -1"),
    ],
)
def test_bad_settings_are_refused(arguments, match):
    with pytest.raises(SettingsError, match=match):
        lorenz96(**{"d": 5, "T": 5, "rng": 0, **arguments})


@pytest.mark.filterwarnings("ignore")
def test_explosion_is_reported():
    with pytest.raises(DataError, match="could not be integrated"):
        lorenz96(5, 3, rng=0, start=np.array([1e200, -1e200, 1e200, 1e200, 1.0]))
