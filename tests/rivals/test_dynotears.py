"""DYNOTEARS against a slow twin that follows the paper step by step, on split variables."""

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.optimize import minimize
from threadpoolctl import threadpool_limits

from chronodag import rivals
from chronodag.data import Panel
from chronodag.errors import SettingsError
from chronodag.knowledge import PriorKnowledge

EXACT = {"ftol": 1e-14, "gtol": 1e-9, "maxiter": 100_000, "maxfun": 1_000_000}


@threadpool_limits.wrap(limits=1)  # arrays this small only lose by threads
def twin(values, lags, lambda_w=0.1, lambda_a=0.1, **tolerances):
    """Weights [lag, source, target] by SciPy's L-BFGS-B, weights = positive − negative part."""
    moments, d = len(values) - lags, values.shape[1]
    now = values[lags:]
    past = np.hstack([values[lags - k : len(values) - k] for k in range(1, lags + 1)])
    cells = (lags + 1) * d * d

    def objective(split, rho, alpha):
        joined = (split[:cells] - split[cells:]).reshape(-1, d)
        w, a = joined[:d], joined[d:]
        residual = now - now @ w - past @ a
        power = expm(w * w)
        h = np.trace(power) - d
        slope_w = -now.T @ residual / moments + (rho * h + alpha) * power.T * w * 2
        slope = np.vstack([slope_w, -past.T @ residual / moments]).ravel()
        value = 0.5 / moments * (residual**2).sum() + 0.5 * rho * h * h + alpha * h
        return value + penalty @ split, np.concatenate([slope, -slope]) + penalty

    one_half = np.concatenate([np.full(d * d, lambda_w), np.full(cells - d * d, lambda_a)])
    penalty = np.concatenate([one_half, one_half])
    top = np.full((cells // d, d), np.inf)
    np.fill_diagonal(top[:d], 0.0)
    bounds = [(0, one) for one in top.ravel()] * 2
    split, rho, alpha, before = np.zeros(2 * cells), 1.0, 0.0, np.inf
    for _ in range(100):
        now_h = np.inf
        while rho < 1e20 and (now_h > 0.25 * before or np.isinf(now_h)):
            found = minimize(
                objective,
                split,
                args=(rho, alpha),
                jac=True,
                method="L-BFGS-B",
                bounds=bounds,
                options=tolerances,
            )
            split = found.x
            w = (split[: d * d] - split[cells : cells + d * d]).reshape(d, d)
            now_h = np.trace(expm(w * w)) - d
            if now_h > 0.25 * before:
                rho *= 10
        alpha += rho * now_h
        before = now_h
        if now_h <= 1e-8:
            break
    return (split[:cells] - split[cells:]).reshape(lags + 1, d, d)


def linear_system(seed, d=4, rows=150):
    """Rows of a linear system with lag-0 edges from later to earlier names."""
    rng = np.random.default_rng(seed)
    lag0 = np.tril(rng.choice([-0.8, 0.0, 0.7], (d, d)), -1)
    lag1 = rng.choice([0.0, 0.0, 0.35, -0.3], (d, d))
    mixing = np.linalg.inv(np.eye(d) - lag0)
    values = np.zeros((rows + 50, d))
    for t in range(1, len(values)):
        values[t] = (np.tanh(values[t - 1]) @ lag1 + rng.standard_normal(d)) @ mixing
    return values[50:]


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("lags", [1, 2])
def test_the_weights_are_those_of_the_twin(seed, lags):
    values = linear_system(seed)
    expected = np.abs(twin(values, lags, **EXACT))
    learned = rivals.method("dynotears", lags=lags).fit(Panel.from_any(values))
    np.testing.assert_allclose(learned.strengths, expected, atol=1e-3)


def test_scipy_stops_where_the_published_program_does():
    values = linear_system(2)
    learned = rivals.method("dynotears", lags=1, solver="scipy").fit(Panel.from_any(values))
    np.testing.assert_allclose(learned.strengths, np.abs(twin(values, 1)), atol=5e-3)


def test_the_penalties_belong_to_their_lags():
    values = linear_system(3)
    learned = rivals.method("dynotears", lambda_w=0.3, lambda_a=0.02).fit(Panel.from_any(values))
    expected = np.abs(twin(values, 1, 0.3, 0.02, **EXACT))
    np.testing.assert_allclose(learned.strengths, expected, atol=1e-3)


def test_two_series_count_only_their_own_windows():
    values = linear_system(4, rows=200)
    both = Panel.from_any([values[:100], values[100:]])
    table = values[1:], values[:-1]
    inside = np.delete(np.arange(199), 99)  # the window that would reach across
    now, past = table[0][inside], table[1][inside]
    learned = rivals.method("dynotears", lambda_w=0.0, lambda_a=0.0).fit(
        both, PriorKnowledge().forbid("*", "*", lag=0)
    )
    expected = np.linalg.lstsq(past, now, rcond=None)[0]
    np.testing.assert_allclose(learned.strengths[1], np.abs(expected), atol=1e-5)


def test_bounds_on_strengths_hold_whatever_the_sign():
    values = linear_system(5)
    panel = Panel.from_any(values, names=["a", "b", "c", "d"])
    free = rivals.method("dynotears").fit(panel)
    weights = twin(values, 1, **EXACT)
    negative = np.argwhere(weights < -0.2)[0]
    lag, source, target = negative.tolist()
    wanted = float(free.strengths[lag, source, target]) + 0.1
    names = panel.names
    rules = PriorKnowledge().bound(names[source], names[target], lag=lag, lower=wanted)
    kept = rivals.method("dynotears").fit(panel, rules)
    assert kept.strengths[lag, source, target] == pytest.approx(wanted, abs=1e-6)
    capped = PriorKnowledge().bound(names[source], names[target], lag=lag, upper=0.1)
    held = rivals.method("dynotears").fit(panel, capped)
    assert held.strengths[lag, source, target] <= 0.1


def test_an_unknown_solver_is_refused():
    panel = Panel.from_any(linear_system(0))
    with pytest.raises(SettingsError, match="expected one of"):
        rivals.method("dynotears", solver="adam").fit(panel)
