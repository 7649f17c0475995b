"""The networks and the loss against loops over the paper's formulas."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import naive
from chronodag.model import Architecture, SmoothLoss, Windows, network, strengths

pytestmark = pytest.mark.usefixtures("double_precision")

predict = jax.jit(network.predict)


@partial(jax.jit, static_argnums=0)
def smooth(loss, x, windows):
    return loss(x, windows)


ARCHITECTURES = [
    Architecture(3, 0, (4,)),
    Architecture(3, 2, (4,)),
    Architecture(3, 2, (4, 2)),
    Architecture(2, 1, (3, 5, 2)),
    Architecture(1, 2, (1,)),
]
every_architecture = pytest.mark.parametrize("architecture", ARCHITECTURES, ids=str)


def drawn(architecture, rows=12):
    """Large weights, so that no sigmoid is nearly linear, and a series."""
    rng = np.random.default_rng(7)
    x = rng.normal(size=architecture.shape)
    return x, architecture.unflatten(x), rng.normal(size=(rows, architecture.dimension))


def all_windows(architecture, values, l2=0.3):
    return Windows(values.T, np.ones(len(values) - architecture.lags), np.float64(l2))


@every_architecture
def test_predictions_equal_the_naive_networks(architecture):
    _, parameters, values = drawn(architecture)
    expected = naive.predict(parameters, values)
    np.testing.assert_allclose(predict(parameters, values), expected, rtol=1e-12, atol=1e-12)


@every_architecture
def test_the_loss_of_each_target_equals_the_naive_one(architecture):
    x, parameters, values = drawn(architecture)
    found, _ = smooth(SmoothLoss(architecture, 4), x, all_windows(architecture, values))
    expected = naive.losses(parameters, [values]) + naive.ridges(parameters, 0.3)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@every_architecture
@pytest.mark.parametrize("chunk", [4, 100])
def test_the_gradient_is_the_derivative_of_the_readable_form(architecture, chunk):
    # The fused form writes its gradient out by hand; here JAX derives that of the plain formula.
    x, _, values = drawn(architecture)
    rng = np.random.default_rng(1)
    windows = all_windows(architecture, values)
    windows = windows._replace(weights=rng.integers(0, 2, len(windows.weights)).astype(float))

    def readable(x):
        parameters = architecture.unflatten(x)
        errors = network.predict(parameters, values) - values[architecture.lags :]
        loss = 0.5 * jnp.sum(windows.weights[:, None] * errors**2) / jnp.sum(windows.weights)
        weights = [parameters.kernels, *(layer.weights for layer in parameters.layers)]
        return loss + 0.15 * sum(jnp.sum(array**2) for array in weights)

    expected_value, expected = jax.jit(jax.value_and_grad(readable))(x)
    value, gradient = smooth(SmoothLoss(architecture, chunk), x, windows)
    assert float(jnp.sum(value)) == pytest.approx(float(expected_value), rel=1e-12)
    np.testing.assert_allclose(gradient, expected, rtol=1e-10, atol=1e-13)


@every_architecture
def test_strengths_are_the_norms_of_the_kernels(architecture):
    _, parameters, _ = drawn(architecture)
    np.testing.assert_allclose(strengths(parameters), naive.strengths(parameters), rtol=1e-14)


@every_architecture
def test_x_and_its_named_pieces_hold_the_same_numbers(architecture):
    x, parameters, _ = drawn(architecture)
    d, lags, hidden = architecture.dimension, architecture.lags, architecture.hidden
    pieces = jax.tree.leaves(parameters)
    assert [piece.shape for piece in pieces] == architecture.parameter_shapes()
    assert sum(piece.size for piece in pieces) == x.size
    assert architecture.flatten(parameters).tobytes() == x.tobytes()
    assert sorted(number for piece in pieces for number in piece.ravel()) == sorted(x.ravel())
    assert parameters.kernels.shape == (lags + 1, d, d, hidden[0])
    assert [layer.biases.shape[1] for layer in parameters.layers] == [*hidden[1:], 1]
    assert hash(Architecture(d, lags, hidden)) == hash(architecture)


@every_architecture
def test_row_j_of_x_is_the_network_of_target_j(architecture):
    x, _, values = drawn(architecture)
    other = x.copy()
    other[0] += 0.5
    answers = [predict(architecture.unflatten(one), values) for one in (x, other)]
    assert not np.allclose(answers[0][:, 0], answers[1][:, 0])
    assert (answers[0][:, 1:] == answers[1][:, 1:]).all()


@every_architecture
def test_numbers_per_edge_reach_the_kernels_of_that_edge(architecture):
    d, lags = architecture.dimension, architecture.lags
    cells = np.random.default_rng(0).uniform(size=(lags + 1, d, d))
    spread = architecture.unflatten(architecture.per_kernel(cells, 7.0))
    expected = np.broadcast_to(cells[..., None], spread.kernels.shape)
    assert (spread.kernels == expected).all()
    elsewhere = [spread.biases, *(piece for layer in spread.layers for piece in layer)]
    assert all((piece == 7.0).all() for piece in elsewhere)


@pytest.mark.parametrize("architecture", ARCHITECTURES[:3], ids=str)
def test_the_start_is_uniform_within_one_over_the_root_of_the_fan_in(architecture):
    start = architecture.initial(np.random.default_rng(3))
    assert start.tobytes() == architecture.initial(np.random.default_rng(3)).tobytes()
    assert start.shape == architecture.shape
    parameters = architecture.unflatten(start)
    fan_in = architecture.dimension * (architecture.lags + 1)
    for layer in ((parameters.kernels, parameters.biases), *parameters.layers):
        limit = 1 / np.sqrt(fan_in)
        assert 0.6 * limit < np.abs(layer[0]).max() <= limit
        assert np.abs(layer[1]).max() <= limit
        fan_in = layer[0].shape[-1]


@pytest.mark.parametrize("architecture", ARCHITECTURES[:3], ids=str)
def test_permuting_the_variables_permutes_the_predictions(architecture):
    _, parameters, values = drawn(architecture)
    order = np.array([2, 0, 1])
    moved = predict(naive.permuted(parameters, order), values[:, order])
    np.testing.assert_allclose(moved, predict(parameters, values)[:, order], rtol=1e-12)


@every_architecture
def test_windows_of_weight_zero_do_not_count(architecture):
    x, parameters, first = drawn(architecture)
    second = 5 + drawn(architecture, rows=9)[2]
    windows = all_windows(architecture, np.concatenate([first, second]), l2=0.0)
    windows.weights[len(first) - architecture.lags : len(first)] = 0
    found, _ = smooth(SmoothLoss(architecture, 4), x, windows)
    np.testing.assert_allclose(found, naive.losses(parameters, [first, second]), rtol=1e-12)


@pytest.mark.parametrize("architecture", ARCHITECTURES[1:3], ids=str)
def test_chunks_of_any_size_give_the_same(architecture):
    x, _, values = drawn(architecture, rows=30)
    windows = all_windows(architecture, values)
    whole = smooth(SmoothLoss(architecture, 28), x, windows)
    for chunk in (1, 14, 27):
        value, gradient = smooth(SmoothLoss(architecture, chunk), x, windows)
        np.testing.assert_allclose(value, whole[0], rtol=1e-12)
        np.testing.assert_allclose(gradient, whole[1], rtol=1e-10, atol=1e-13)


def test_without_lags_it_is_a_plain_network_per_variable():
    # K = 0: NOTEARS-MLP, one two-layer network of X(t) per target.
    _, parameters, values = drawn(ARCHITECTURES[0])
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
    answers = [predict(parameters, one)[5] for one in (values, other)]
    np.testing.assert_allclose(answers[1], answers[0], rtol=1e-12)


@pytest.mark.parametrize("architecture", ARCHITECTURES[1:3], ids=str)
def test_single_precision_is_close(architecture):
    x, parameters, values = drawn(architecture)
    windows = all_windows(architecture, values)
    exact = smooth(SmoothLoss(architecture, 100), x, windows)
    value, gradient = smooth(SmoothLoss(architecture, 100), x.astype(np.float32), windows)
    assert (value.dtype, gradient.dtype) == (np.float64, np.float32)
    np.testing.assert_allclose(value, exact[0], rtol=1e-5)
    np.testing.assert_allclose(gradient, exact[1], rtol=1e-3, atol=1e-5)
    single = jax.tree.map(np.float32, parameters)
    answer = predict(single, values.astype(np.float32))
    np.testing.assert_allclose(answer, predict(parameters, values), atol=1e-5)
