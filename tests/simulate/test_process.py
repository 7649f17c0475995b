import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronodag.errors import SettingsError
from chronodag.graph import TemporalGraph
from chronodag.simulate import random_process, sample_many
from chronodag.simulate.mechanisms import arrivals, count_until, standard_noise
from chronodag.simulate.process import _task

MECHANISMS = ["ANM", "AIM", "GLM-Pois", "linear"]


def sigmoid(z):
    return 1 / (1 + np.exp(-z)) if z > 0 else np.exp(z) / (1 + np.exp(z))


def naive_value(process, j, values, weights, noise, alone):
    if len(values) == 0:
        return alone
    units = range(len(weights[0]))
    projections = [sum(x * w[u] for x, w in zip(values, weights, strict=True)) for u in units]
    if process.mechanism == "ANM":
        hidden = [sigmoid(z) for z in projections]
        return sum(a * b for a, b in zip(hidden, process.readout[j], strict=True)) + noise
    if process.mechanism == "AIM":
        return np.tanh(projections[0]) + np.cos(projections[1]) + np.sin(projections[2]) + noise
    if process.mechanism == "linear":
        return projections[0] + noise
    rate = np.tanh(projections[0]) + process.offset[j]
    return float(sum(time <= rate for time in noise))


def naive_sample(process, rows, seed):
    """Loops over rows, variables (causes first) and parents, with the noise of the real thing."""
    task = _task(process, rows, np.random.default_rng(seed), {})
    adjacency = process.graph.adjacency
    d = adjacency.shape[1]
    reaches = np.linalg.matrix_power(adjacency[0] + np.eye(d), d) > 0
    order = np.argsort(reaches.sum(axis=0))  # an effect has more ancestors than its causes
    data = np.zeros((rows, d))
    for t in range(rows):
        for j in order:
            values, weights = [], []
            for (target, lag, source), weight in zip(process.parents, process.weights, strict=True):
                if target == j:
                    values.append(data[t - lag, source] if t >= lag else 0.0)
                    weights.append(weight)
            alone = task.values[t, j]
            data[t, j] = naive_value(process, j, values, weights, task.noise[t, j], alone)
    return data


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("scheme", ["ER", "BA"])
@pytest.mark.parametrize("constants", ["released", "paper"])
def test_equals_the_slow_obvious_twin(mechanism, scheme, constants):
    process = random_process(
        6, 2, rng=3, mechanism=mechanism, scheme=scheme, constants=constants, lagged_per="total"
    )
    np.testing.assert_allclose(
        process.sample(15, 4, warm_up=0.0), naive_sample(process, 15, 4), rtol=1e-6, atol=1e-6
    )


@settings(max_examples=25, deadline=None)
@given(
    sizes=st.lists(
        st.tuples(st.integers(1, 8), st.integers(0, 3), st.sampled_from(MECHANISMS)),
        min_size=1,
        max_size=6,
    ),
    seed=st.integers(0, 2**32),
    T=st.integers(1, 60),
)
def test_together_or_one_by_one_is_the_same_to_the_last_bit(sizes, seed, T):
    rng = np.random.default_rng(seed)
    processes = [random_process(d, lags, mechanism=name, rng=rng) for d, lags, name in sizes]
    together = sample_many(processes, T, seed)
    one_rng = np.random.default_rng(seed)
    one_by_one = [process.sample(T, one_rng) for process in processes]
    seeds = list(range(len(processes)))
    seeded = sample_many(processes, T, seeds)
    for k, (many, one) in enumerate(zip(together, one_by_one, strict=True)):
        assert many.tobytes() == one.tobytes()
        assert seeded[k].tobytes() == processes[k].sample(T, seeds[k]).tobytes()


def test_same_seed_same_process_and_bytes():
    first, second = (random_process(7, rng=11) for _ in range(2))
    assert first.graph.lags == 3
    assert first.sample(100, 1).tobytes() == second.sample(100, 1).tobytes()
    assert first.sample(100, 1).tobytes() != first.sample(100, 2).tobytes()


def test_series_are_independent_continuations_of_one_generator():
    process = random_process(5, 2, rng=0, mechanism="linear")
    first, second, third = process.sample(40, 8, series=3)
    assert first.shape == (40, 5)
    assert first.tobytes() == process.sample(40, 8).tobytes()
    assert np.abs(np.corrcoef(second[:, 0], third[:, 0])[0, 1]) < 0.9
    assert len(process.sample(3, 0, series=70)) == 70  # more than run at once


def test_warm_up_is_extra_rows_dropped():
    process = random_process(5, 2, rng=0)
    whole = process.sample(60, 9, warm_up=0.0)
    assert process.sample(50, 9, warm_up=0.2).tobytes() == whole[10:].tobytes()


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_theta_lies_in_its_intervals(mechanism):
    process = random_process(10, 3, rng=1, mechanism=mechanism)
    units = {"ANM": 100, "AIM": 3}.get(mechanism, 1)
    assert process.weights.shape == (process.graph.adjacency.sum(), units)
    sizes = np.abs(process.weights)
    if mechanism != "linear":
        assert 0.5 <= sizes.min() < sizes.max() <= 2
    assert (process.weights > 0).any()
    assert (process.weights < 0).any()
    assert not process.weights.flags.writeable
    if mechanism == "ANM":
        assert process.readout.shape == (10, 100)
        assert 0.5 <= np.abs(process.readout).min() <= np.abs(process.readout).max() <= 2


def empty_graph(d):
    return TemporalGraph.from_adjacency(np.zeros((2, d, d), dtype=bool))


@pytest.mark.parametrize("mechanism", ["ANM", "AIM", "linear"])
def test_without_parents_a_variable_is_standard_gaussian(mechanism):
    data = random_process(graph=empty_graph(2), mechanism=mechanism, rng=0).sample(20_000, 1)
    np.testing.assert_allclose(data.mean(axis=0), 0, atol=0.03)
    np.testing.assert_allclose(data.std(axis=0), 1, atol=0.03)


def test_without_parents_a_count_is_uniform_or_poisson():
    graph = empty_graph(2)
    released = random_process(graph=graph, mechanism="GLM-Pois", rng=0).sample(20_000, 1)
    for value in (0, 1, 2):
        np.testing.assert_allclose((released == value).mean(axis=0), 1 / 3, atol=0.015)
    paper = random_process(graph=graph, mechanism="GLM-Pois", constants="paper", rng=0)
    assert ((paper.offset >= 1) & (paper.offset <= 3)).all()
    data = paper.sample(20_000, 1)
    np.testing.assert_allclose(data.mean(axis=0), paper.offset, atol=0.06)
    np.testing.assert_allclose(data.var(axis=0), paper.offset, atol=0.15)


def test_arrivals_counted_up_to_a_rate_are_poisson_with_that_rate():
    from scipy.stats import poisson

    rates = np.array([0.3, 1.0, 2.7])
    times = arrivals(np.full(3, 4.0), 40_000, np.random.default_rng(0))
    counts = count_until(times, rates)
    for value in range(8):
        np.testing.assert_allclose(
            (counts == value).mean(axis=0), poisson.pmf(value, rates), atol=0.01
        )


def test_glm_counts_follow_their_conditional_rate():
    adjacency = np.zeros((1, 2, 2), dtype=bool)
    adjacency[0, 0, 1] = True
    graph = TemporalGraph.from_adjacency(adjacency)
    process = random_process(graph=graph, mechanism="GLM-Pois", rng=2)
    data = process.sample(60_000, 3, do={"X1": 1.0})
    expected = np.tanh(process.weights[0, 0]) + 2.0
    assert data[:, 1].mean() == pytest.approx(expected, abs=0.03)
    assert data[:, 1].var() == pytest.approx(expected, abs=0.08)


def chain():
    """X1 -> X2 -> X3 at lag 0, X3 -> X4 at lag 1."""
    adjacency = np.zeros((2, 4, 4), dtype=bool)
    adjacency[0, 0, 1] = adjacency[0, 1, 2] = adjacency[1, 2, 3] = True
    return TemporalGraph.from_adjacency(adjacency)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_do_clamps_and_changes_only_what_follows(mechanism):
    process = random_process(graph=chain(), mechanism=mechanism, rng=5)
    free = process.sample(80, 6)
    held = process.sample(80, 6, do={"X2": 4.5})
    np.testing.assert_array_equal(held[:, 1], 4.5)
    np.testing.assert_array_equal(held[:, 0], free[:, 0])
    assert (held[:, 2] != free[:, 2]).any()
    assert (held[:, 3] != free[:, 3]).any()
    ramp = np.arange(80.0)
    ramped = process.sample(80, 6, do={"X3": ramp})
    np.testing.assert_array_equal(ramped[:, :3], np.column_stack([free[:, :2], ramp]))


def test_do_array_holds_its_first_value_through_the_warm_up():
    process = random_process(graph=chain(), mechanism="linear", rng=5)
    constant = process.sample(50, 6, do={"X3": 2.0})
    switch = np.where(np.arange(50) < 10, 2.0, -3.0)
    switched = process.sample(50, 6, do={"X3": switch})
    np.testing.assert_array_equal(switched[:11, 3], constant[:11, 3])  # lag 1: one row later
    assert (switched[11:, 3] != constant[11:, 3]).all()


def test_do_in_a_linear_process_moves_the_mean_by_the_coefficient():
    process = random_process(graph=chain(), mechanism="linear", rng=5)
    low, high = (process.sample(30, 6, do={"X3": value}) for value in (0.0, 1.0))
    np.testing.assert_allclose(high[:, 3] - low[:, 3], process.coefficients[1, 2, 3])


@pytest.mark.parametrize("lags", [0, 1, 3])
def test_linear_covariance_agrees_with_a_long_sample(lags):
    process = random_process(4, lags, mechanism="linear", rng=7, degree=1.0)
    exact = process.covariance(2)
    assert exact.shape == (3, 4, 4)
    data = np.concatenate(process.sample(4000, 8, series=20, warm_up=0.05))
    for lag in range(3):
        measured = data[: len(data) - lag].T @ data[lag:] / len(data)
        scale = np.sqrt(np.outer(np.diag(exact[0]), np.diag(exact[0])))
        np.testing.assert_allclose(measured / scale, exact[lag] / scale, atol=0.05)


@settings(max_examples=25, deadline=None)
@given(d=st.integers(1, 8), lags=st.integers(0, 3), seed=st.integers(0, 2**32))
def test_linear_covariance_solves_its_own_recursion(d, lags, seed):
    process = random_process(d, lags, mechanism="linear", lagged_degree=1, rng=seed)
    coefficients, exact = process.coefficients, process.covariance(lags + 2)
    np.testing.assert_array_equal(coefficients != 0, process.graph.adjacency)
    for h in range(1, lags + 3):  # Cov(x(t-h), .) of x_t = sum_k B_k' x(t-k) + z, noise drops out
        predicted = sum(
            (exact[h - k] if h >= k else exact[k - h].T) @ coefficients[k] for k in range(lags + 1)
        )
        np.testing.assert_allclose(exact[h], predicted, atol=1e-8 * np.abs(exact).max())


def test_linear_is_stable_even_when_dense():
    process = random_process(15, 3, mechanism="linear", rng=9, lagged_degree=6.0)
    data = process.sample(2000, 1)
    assert np.isfinite(process.covariance()).all()
    assert np.abs(data).max() < 20 * np.sqrt(process.covariance()[0].diagonal().max())


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"d": None}, "d is None; expected a whole number"),
        ({"mechanism": "GP"}, "mechanism is 'GP'; expected one of 'ANM'"),
        ({"constants": "mine"}, "constants is 'mine'"),
        ({"graph": chain(), "d": 5}, "graph of 4 variables and 1 lags"),
        ({"rng": True}, "rng is True"),
        ({"noise_scale": 0.0}, "noise_scale is 0.0; expected one finite number above 0, or 3"),
        ({"noise_scale": [1.0, 2.0]}, "noise_scale is"),
        ({"noise_scale": 2.0, "mechanism": "GLM-Pois"}, "counts have no noise"),
    ],
)
def test_bad_process_settings_are_refused(arguments, match):
    with pytest.raises(SettingsError, match=match):
        random_process(**{"d": 3, "rng": 0, **arguments})


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"T": 0}, "T is 0"),
        ({"series": 0}, "series is 0"),
        ({"warm_up": -0.1}, "warm_up is -0.1"),
        ({"do": {"Y": 1.0}}, "do names 'Y'.*X1, X2, X3, X4"),
        ({"do": {"X1": [1.0, 2.0]}}, r"do\['X1'\] has shape \(2,\)"),
        ({"do": {"X1": np.nan}}, "not finite"),
        ({"rng": None}, "rng is None"),
    ],
)
def test_bad_sample_settings_are_refused(arguments, match):
    process = random_process(graph=chain(), rng=0)
    with pytest.raises(SettingsError, match=match):
        process.sample(**{"T": 10, "rng": 0, **arguments})


def test_exact_answers_are_only_for_the_linear_process():
    process = random_process(graph=chain(), rng=0)
    with pytest.raises(SettingsError, match=r"covariance was asked.*'ANM'"):
        process.covariance()
    with pytest.raises(SettingsError, match="coefficients was asked"):
        _ = process.coefficients


def test_sample_many_wants_one_seed_each():
    process = random_process(graph=chain(), rng=0)
    with pytest.raises(SettingsError, match="3 generators or seeds for 2 processes"):
        sample_many([process, process], 5, [1, 2, 3])
    assert sample_many([], 5, 0) == []


@pytest.mark.parametrize("noise", ["normal", "student", "laplace", "uniform"])
def test_noise_of_every_shape_has_mean_0_and_variance_1(noise):
    draws = standard_noise(noise, (200_000,), np.random.default_rng(0))
    assert draws.mean() == pytest.approx(0.0, abs=0.02)
    assert draws.var() == pytest.approx(1.0, abs=0.2 if noise == "student" else 0.02)


def test_noise_is_refused_where_it_has_no_meaning():
    with pytest.raises(SettingsError, match="noise is 'cauchy'; expected one of"):
        random_process(3, 1, rng=0, noise="cauchy")
    with pytest.raises(SettingsError, match="counts have no noise of their own"):
        random_process(3, 1, rng=0, mechanism="GLM-Pois", noise="student")


def test_a_process_without_causes_is_its_noise():
    empty = TemporalGraph.from_adjacency(np.zeros((2, 2, 2)))
    process = random_process(graph=empty, rng=0, noise="uniform")
    assert process.noise == "uniform"
    assert np.abs(process.sample(500, 1)).max() <= np.sqrt(3)
