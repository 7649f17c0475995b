"""The simulators against a slow twin of the released generator, by statistics."""

import numpy as np
import pytest

from chronodag.simulate import RELEASED_LAGGED_DEGREES, random_graph, random_process, sample_many
from naive import random_window_graph, released_series


def agrees(ours, theirs, sigmas=4.5):
    """Whether two samples have the same mean within the error of sampling, entry by entry."""
    ours, theirs = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    error = np.sqrt(ours.var(axis=0) / len(ours) + theirs.var(axis=0) / len(theirs))
    return (np.abs(ours.mean(axis=0) - theirs.mean(axis=0)) <= sigmas * error + 1e-12).all()


@pytest.mark.parametrize(("scheme", "degree"), [("ER", 1.5), ("BA", 2.0), ("bipartite", 1.0)])
def test_degrees_per_lag_agree_with_the_twin(scheme, degree):
    rng = np.random.default_rng(0)
    ours, theirs = (
        np.array([draw() for _ in range(400)])
        for draw in (
            lambda: random_graph(
                10, 2, rng, scheme=scheme, degree=degree, lagged_degree=RELEASED_LAGGED_DEGREES
            ),
            lambda: random_window_graph(10, degree, RELEASED_LAGGED_DEGREES, scheme, rng),
        )
    )
    for axis in (2, 3):  # in-degrees, out-degrees: [graph, lag, variable]
        degrees = [np.sort(graphs.sum(axis=axis), axis=2) for graphs in (ours, theirs)]
        assert agrees(*degrees)
    per_lag = ours.sum(axis=2).mean(axis=(0, 2))
    np.testing.assert_allclose(per_lag[1:], RELEASED_LAGGED_DEGREES, rtol=0.05)
    assert agrees(ours.sum(axis=2)[..., 0] ** 2, theirs.sum(axis=2)[..., 0] ** 2)


def moments(series):
    """Mean, variance, skewness and lag-1 autocorrelation over the variables of one series."""
    centred = series - series.mean(axis=0)
    variance = (centred**2).mean(axis=0)
    skewness = (centred**3).mean(axis=0) / (variance**1.5 + 1e-9)
    memory = (centred[1:] * centred[:-1]).mean(axis=0) / (variance + 1e-9)
    each = np.abs(series.mean(axis=0)), variance, np.abs(skewness), memory
    return [statistic.mean() for statistic in each]


@pytest.mark.parametrize("mechanism", ["ANM", "AIM", "GLM-Pois"])
def test_marginal_moments_agree_with_the_twin(mechanism):
    rng = np.random.default_rng(1)
    graphs = [random_window_graph(5, 1.0, (1.0, 0.5), "ER", rng) for _ in range(80)]
    theirs = [moments(released_series(graph, mechanism, 100, rng)) for graph in graphs]
    processes = [
        random_process(5, 2, rng=rng, mechanism=mechanism, degree=1.0, lagged_degree=(1.0, 0.5))
        for _ in range(800)
    ]
    ours = [moments(series) for series in sample_many(processes, 100, rng)]
    assert agrees(ours, theirs)


def test_the_noise_has_the_asked_scale():
    scale = np.array([0.1, 1.0, 3.0])
    for mechanism in ("ANM", "AIM", "linear"):
        process = random_process(
            3, 1, rng=0, mechanism=mechanism, degree=0, lagged_degree=0, noise_scale=scale
        )
        np.testing.assert_allclose(process.sample(20_000, 1).std(axis=0), scale, rtol=0.03)


def test_the_residuals_have_the_asked_scale():
    process = random_process(4, 1, rng=2, mechanism="linear", noise_scale=[0.5, 1, 2, 4])
    data = process.sample(20_000, 3)
    b0, b1 = process.coefficients
    residuals = data[1:] - data[1:] @ b0 - data[:-1] @ b1
    np.testing.assert_allclose(residuals.std(axis=0), [0.5, 1, 2, 4], rtol=0.03)
    measured = data.T @ data / len(data)
    exact = process.covariance()[0]
    spread = np.sqrt(np.diag(exact))
    np.testing.assert_allclose(
        measured / np.outer(spread, spread), exact / np.outer(spread, spread), atol=0.06
    )
