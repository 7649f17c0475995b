"""BOLD: the flow and the balloon against an adaptive solver, and the shape of the result."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from chronodag.errors import SettingsError
from chronodag.simulate import Haemodynamics, bold
from chronodag.simulate.bold import _balloon, _flow


def naive_signal(inputs, weights, lag, body, step, at):
    """All equations of the module's docstring at once, one region at a time, adaptively."""
    d = len(weights)

    def slope(time, state):
        z, s, f, v, q = state.reshape(5, d)
        u = inputs[min(int(time / step), len(inputs) - 1)]
        change = np.zeros((5, d))
        for j in range(d):
            drive = sum(weights[i, j] * z[i] for i in range(d))
            change[0, j] = (-z[j] + drive + u[j]) / lag
            change[1, j] = body.efficacy * z[j] - body.decay * s[j] - body.feedback * (f[j] - 1)
            change[2, j] = s[j]
            out = v[j] ** (1 / body.stiffness)
            oxygen = f[j] * (1 - (1 - body.extraction) ** (1 / f[j])) / body.extraction
            change[3, j] = (f[j] - out) / body.transit
            change[4, j] = (oxygen - q[j] * out / v[j]) / body.transit
        return change.ravel()

    start = np.concatenate([np.zeros(2 * d), np.ones(3 * d)])
    solved = solve_ivp(slope, (0, at[-1]), start, t_eval=at, rtol=1e-7, atol=1e-9, max_step=step)
    _, _, _, v, q = solved.y.reshape(5, d, -1)
    rho = body.extraction
    signal = 7 * rho * (1 - q) + 2 * (1 - q / v) + (2 * rho - 0.2) * (1 - v)
    return 100 * body.volume * signal.T


def test_the_quick_solution_follows_an_adaptive_one():
    body, step = Haemodynamics(), 0.1
    weights = np.array([[0, 0.5, 0], [0, 0, -0.3], [0.2, 0, 0]])
    inputs = np.zeros((300, 3))
    inputs[20:60, 0] = inputs[100:120, 1] = inputs[50:200, 2] = 1.0
    same = (np.full(3, value) for value in (body.decay, body.feedback))
    flow = _flow(inputs, weights, 0.3, body.efficacy, *same, step)
    quick = _balloon(flow, np.full(3, body.transit), body, step)
    at = step * np.arange(1, 301, 10)
    slow = naive_signal(inputs, weights, 0.3, body, step, at)
    # the quick flow of row r is that at the end of the step; so is the signal, to half a step
    np.testing.assert_allclose(quick[::10], slow, atol=0.05 * np.abs(slow).max())


def test_rest_is_a_fixed_point_and_a_pulse_peaks_after_seconds():
    body = Haemodynamics()
    rest = _balloon(np.ones((50, 2)), np.full(2, 0.98), body, 0.1)
    np.testing.assert_allclose(rest, 0.0, atol=1e-12)
    inputs = np.zeros((300, 1))
    inputs[:10] = 1.0
    one = np.ones(1)
    flow = _flow(inputs, np.zeros((1, 1)), 0.05, 0.5, 0.65 * one, 0.41 * one, 0.1)
    signal = _balloon(flow, 0.98 * one, body, 0.1)[:, 0]
    assert 2.0 < 0.1 * signal.argmax() < 6.0
    assert signal[60:].min() < 0  # the undershoot
    assert abs(signal[-1]) < 0.02 * signal.max()


def test_the_default_truth_is_the_chain_of_netsim_with_self_loops():
    simulated = bold(rng=0)
    assert simulated.data.shape == (200, 5)
    assert np.isfinite(simulated.data).all()
    lag_0, lag_1 = simulated.graph.adjacency
    assert not lag_0.any()
    edges = {(0, 1), (1, 2), (2, 3), (3, 4), (0, 4)} | {(i, i) for i in range(5)}
    assert set(map(tuple, np.argwhere(lag_1))) == edges


def test_joined_regions_correlate_and_the_series_are_slow():
    data = np.concatenate([bold(rng=seed, variability=0.0).data for seed in range(4)])
    joined = np.corrcoef(data.T)[[0, 1, 2, 3], [1, 2, 3, 4]]
    assert (joined > 0.2).all()
    alone = bold(3, 400, rng=1, connections=np.zeros((3, 3)))
    assert np.abs(np.corrcoef(alone.data.T)[np.triu_indices(3, 1)]).max() < 0.25
    assert alone.graph.adjacency[1].sum() == 3
    assert np.corrcoef(data[1:, 0], data[:-1, 0])[0, 1] > 0.2


def test_noise_is_a_share_of_each_regions_own():
    clean, noisy = (bold(rng=2, T=2000, noise=share).data for share in (0.0, 0.5))
    np.testing.assert_allclose((noisy - clean).std(axis=0) / clean.std(axis=0), 0.5, rtol=0.1)


def test_other_scan_times_give_as_many_rows():
    assert bold(2, 50, rng=0, repetition_time=0.72).data.shape == (50, 2)
    assert bold(1, 5, rng=0, repetition_time=0.01).data.shape == (5, 1)


def test_same_seed_same_bytes():
    assert (
        bold(rng=3, T=50).data.tobytes() == bold(rng=np.random.default_rng(3), T=50).data.tobytes()
    )
    seeds = (3, np.random.default_rng(3), 4)
    one, again, other = (bold(rng=seed, T=50).data.tobytes() for seed in seeds)
    assert one == again != other


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"d": 0}, "d is 0"),
        ({"T": 1}, "T is 1; expected a whole number of 2"),
        ({"repetition_time": 0.0}, "repetition_time is 0.0"),
        ({"neural_lag": -1.0}, "neural_lag is -1.0"),
        ({"noise": -0.1}, "noise is -0.1"),
        ({"variability": np.nan}, "variability is nan"),
        ({"connections": np.zeros((2, 2))}, r"connections has shape \(2, 2\); expected \(3, 3\)"),
        ({"connections": np.eye(3)}, "zeros on the diagonal"),
        ({"connections": 1.0 - np.eye(3)}, "feed back so strongly"),
        ({"rng": None}, "rng is None"),
    ],
)
def test_bad_settings_are_refused(arguments, match):
    with pytest.raises(SettingsError, match=match):
        bold(**{"d": 3, "T": 5, "rng": 0, **arguments})
