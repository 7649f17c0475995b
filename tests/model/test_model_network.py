"""The networks and the loss against loops over the paper's formulas."""

from functools import partial

import jax
import numpy as np
import pytest

import naive
from chronodag.model import Architecture, SmoothLoss, Windows, network, objective, strengths

pytestmark = pytest.mark.usefixtures("double_precision")

predict = jax.jit(network.predict)
mean_squared_error = jax.jit(objective.mean_squared_error)
ridge = jax.jit(objective.ridge)


@partial(jax.jit, static_argnums=0)
def smooth_loss(architecture, vector, windows):
    return SmoothLoss(architecture)(vector, windows)


ARCHITECTURES = [
    Architecture(3, 0, (4,)),
    Architecture(3, 2, (4,)),
    Architecture(3, 2, (4, 2)),
    Architecture(2, 1, (3, 5, 2)),
    Architecture(1, 2, (1,)),
]


def drawn(architecture, rows=12):
    """Large weights, so that no sigmoid is nearly linear, and a series."""
    rng = np.random.default_rng(7)
    vector = rng.normal(size=architecture.size)
    parameters = architecture.unflatten(vector)
    return vector, parameters, rng.normal(size=(rows, architecture.dimension))


@pytest.mark.parametrize("architecture", ARCHITECTURES, ids=str)
def test_predictions_equal_the_naive_networks(architecture):
    _, parameters, values = drawn(architecture)
    expected = naive.predict(parameters, values)
    np.testing.assert_allclose(predict(parameters, values), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("architecture", ARCHITECTURES, ids=str)
def test_loss_ridge_and_strengths_equal_the_naive_ones(architecture):
    vector, parameters, values = drawn(architecture)
    windows = Windows(values, np.ones(len(values) - architecture.lags), np.float64(0.3))
    loss, shrinkage = naive.loss(parameters, [values]), naive.ridge(parameters, 0.3)
    assert float(mean_squared_error(parameters, windows)) == pytest.approx(loss, rel=1e-12)
    assert float(ridge(parameters, 0.3)) == pytest.approx(shrinkage, rel=1e-12)
    smooth = float(smooth_loss(architecture, vector, windows))
    assert smooth == pytest.approx(loss + shrinkage, rel=1e-12)
    cells = strengths(architecture, vector)
    np.testing.assert_allclose(cells, naive.strengths(parameters), rtol=1e-14)


@pytest.mark.parametrize("architecture", ARCHITECTURES, ids=str)
def test_the_flat_vector_and_the_arrays_hold_the_same(architecture):
    vector, parameters, _ = drawn(architecture)
    assert architecture.size == len(vector) == sum(x.size for x in jax.tree.leaves(parameters))
    assert architecture.flatten(parameters).tobytes() == vector.tobytes()
    assert parameters.kernels.shape == architecture.kernel_shape
    assert architecture.kernel_count == parameters.kernels.size
    assert (vector[: architecture.kernel_count] == parameters.kernels.ravel()).all()
    assert [layer.biases.shape[1] for layer in parameters.layers] == [*architecture.hidden[1:], 1]
    assert hash(Architecture(3, 2, (4,))) == hash(ARCHITECTURES[1])


@pytest.mark.parametrize("architecture", ARCHITECTURES[:3], ids=str)
def test_the_start_is_uniform_within_one_over_the_root_of_the_fan_in(architecture):
    start = architecture.initial(np.random.default_rng(3))
    assert start.tobytes() == architecture.initial(np.random.default_rng(3)).tobytes()
    assert start.shape == (architecture.size,)
    parameters = architecture.unflatten(start)
    limit = 1 / np.sqrt(architecture.dimension * (architecture.lags + 1))
    assert 0.8 * limit < np.abs(parameters.kernels).max() <= limit
    assert np.abs(parameters.layers[0].weights).max() <= 1 / np.sqrt(architecture.hidden[0])


@pytest.mark.parametrize("architecture", ARCHITECTURES[:3], ids=str)
def test_permuting_the_variables_permutes_the_predictions(architecture):
    _, parameters, values = drawn(architecture)
    order = np.array([2, 0, 1])
    moved = predict(naive.permuted(parameters, order), values[:, order])
    np.testing.assert_allclose(moved, predict(parameters, values)[:, order], rtol=1e-12)


@pytest.mark.parametrize("architecture", ARCHITECTURES, ids=str)
def test_windows_of_weight_zero_do_not_count(architecture):
    vector, parameters, first = drawn(architecture)
    second = 5 + drawn(architecture, rows=9)[2]
    weights = np.ones(len(first) + len(second) - architecture.lags)
    weights[len(first) - architecture.lags : len(first)] = 0
    windows = Windows(np.concatenate([first, second]), weights, np.float64(0.0))
    apart = naive.loss(parameters, [first, second])
    assert float(smooth_loss(architecture, vector, windows)) == pytest.approx(apart, rel=1e-12)


def test_without_lags_it_is_a_plain_network_per_variable():
    # K = 0: NOTEARS-MLP, one two-layer network of X(t) per target.
    architecture = ARCHITECTURES[0]
    _, parameters, values = drawn(architecture)
    kernels, biases, ((weights, offsets),) = parameters
    plain = [
        naive.sigmoid(values @ kernels[0, :, j] + biases[j]) @ weights[j, :, 0] + offsets[j, 0]
        for j in range(3)
    ]
    np.testing.assert_allclose(predict(parameters, values), np.transpose(plain), rtol=1e-12)


def test_with_lagged_kernels_at_zero_the_lags_do_not_matter():
    _, parameters, values = drawn(ARCHITECTURES[1])
    kernels = parameters.kernels.copy()
    kernels[1:] = 0
    blind = predict(parameters._replace(kernels=kernels), values)
    short = predict(parameters._replace(kernels=kernels[:1]), values)
    np.testing.assert_allclose(blind, short[2:], rtol=1e-12)


def test_a_prediction_looks_at_its_own_window_only():
    _, parameters, values = drawn(ARCHITECTURES[1])
    other = values.copy()
    other[:5], other[8:] = 99.0, -99.0
    np.testing.assert_allclose(
        predict(parameters, other)[5], predict(parameters, values)[5], rtol=1e-12
    )


def test_single_precision_is_close():
    architecture = ARCHITECTURES[2]
    _, parameters, values = drawn(architecture)
    single = jax.tree.map(np.float32, parameters)
    answer = predict(single, values.astype(np.float32))
    assert answer.dtype == np.float32
    np.testing.assert_allclose(answer, predict(parameters, values), atol=1e-5)
