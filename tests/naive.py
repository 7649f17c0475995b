"""Slow, obvious twins of what the package computes quickly: loops over the paper's formulas."""

import math
from fractions import Fraction
from itertools import product

import numpy as np


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def lagged_row(values, time, lags):
    """All that a network may look at: X(t), X(t-1), ..., X(t-K) end to end."""
    return np.concatenate([values[time - lag] for lag in range(lags + 1)])


def predict(parameters, values):
    """One network per target and one moment at a time, on the lag-concatenated design."""
    lags, d = len(parameters.kernels) - 1, values.shape[1]
    answer = np.zeros((len(values) - lags, d))
    for row, target in product(range(len(answer)), range(d)):
        kernels = np.concatenate([parameters.kernels[lag][:, target] for lag in range(lags + 1)])
        signal = lagged_row(values, row + lags, lags) @ kernels + parameters.biases[target]
        for layer in parameters.layers:
            signal = sigmoid(signal) @ layer.weights[target] + layer.biases[target]
        answer[row, target] = signal[0]
    return answer


def losses(parameters, series):
    """1/(2n) of each target's squared errors over the n windows, none across a border of series."""
    lags = len(parameters.kernels) - 1
    total, windows = 0.0, 0
    for values in series:
        for row, guess in zip(values[lags:], predict(parameters, values), strict=True):
            total = total + (row - guess) ** 2
            windows += 1
    return total / (2 * windows)


def ridges(parameters, l2):
    """Half of l2 times every squared weight of each target's network; biases are free."""
    answer = []
    for target in range(parameters.kernels.shape[2]):
        weights = [parameters.kernels[:, :, target]]
        weights += [layer.weights[target] for layer in parameters.layers]
        squares = [weight**2 for array in weights for weight in np.ravel(array)]
        answer.append(0.5 * l2 * math.fsum(squares))
    return np.array(answer)


def objective(parameters, series, l1, l2):
    """F(θ), with l1 per edge, `[lag, source, target]`."""
    sparsity = np.sum(l1[..., None] * np.abs(parameters.kernels))
    return np.sum(losses(parameters, series)) + np.sum(ridges(parameters, l2)) + sparsity


def strengths(parameters):
    """Equation 1: the norm of the kernels of each edge."""
    shape = parameters.kernels.shape[:3]
    cells = np.zeros(shape)
    for lag, source, target in product(*map(range, shape)):
        cells[lag, source, target] = math.sqrt(
            math.fsum(weight**2 for weight in parameters.kernels[lag, source, target])
        )
    return cells


def reaches(adjacency, start, goal):
    """Whether a directed path leads from start to goal (a node reaches itself)."""
    seen, stack = set(), [start]
    while stack:
        node = stack.pop()
        if node == goal:
            return True
        if node not in seen:
            seen.add(node)
            stack += np.flatnonzero(adjacency[node]).tolist()
    return False


def is_acyclic(adjacency):
    """No edge leads to a node from which its source can be reached."""
    edges = np.argwhere(adjacency).tolist()
    return not any(reaches(adjacency, target, source) for source, target in edges)


def paper_matrix(adjacency):
    """The (K+1)d × (K+1)d matrix, cell by cell: block K−lag of the rows drives the last block."""
    lags, d = len(adjacency) - 1, adjacency.shape[1]
    matrix = np.zeros(((lags + 1) * d, (lags + 1) * d), dtype=adjacency.dtype)
    for lag, source, target in product(range(lags + 1), range(d), range(d)):
        matrix[(lags - lag) * d + source, lags * d + target] = adjacency[lag, source, target]
    return matrix


def clipped_soft_threshold(center, curvature, l1, lower, upper):
    """The least of ½ c (x − a)² + l1 |x| within bounds, coordinate by coordinate."""
    answer = np.zeros_like(center)
    for i in np.ndindex(*center.shape):
        shrunk = math.copysign(max(abs(center[i]) - l1[i] / curvature[i], 0.0), center[i])
        answer[i] = min(max(shrunk, lower[i]), upper[i])  # convex: clipping the free optimum is it
    return answer


def acyclicity(squares):
    """Return tr exp(A) − d in exact fractions: the Taylor sum until nothing is left to add."""
    exact = [[Fraction(float(entry)) for entry in row] for row in squares]
    d = range(len(exact))
    power, total, factorial = exact, Fraction(0), 1
    for order in range(1, 60):
        factorial *= order
        total += sum(power[i][i] for i in d) / factorial
        power = [[sum(power[i][k] * exact[k][j] for k in d) for j in d] for i in d]
    return float(total)


def permuted(parameters, order):
    """The networks of the same process with its variables listed in another order."""
    order = np.asarray(order)
    layers = [
        layer._replace(weights=layer.weights[order], biases=layer.biases[order])
        for layer in parameters.layers
    ]
    return parameters._replace(
        kernels=parameters.kernels[:, order][:, :, order],
        biases=parameters.biases[order],
        layers=tuple(layers),
    )


def kkt_residual(gradient, x, l1, lower, upper, at=1e-12):
    """How far x is from a least point of smooth + l1·|x| within bounds; 0 at one.

    `gradient` is that of the smooth part. The whole slope at x is an interval [left, right]
    (its two ends differ at a kink). Where x can fall, left must not be positive; where it can
    rise, right must not be negative.
    """
    worst, arrays = 0.0, (np.ravel(array) for array in (gradient, x, l1, lower, upper))
    for g, value, penalty, low, high in zip(*arrays, strict=True):
        left = g + (penalty if value > at else -penalty)
        right = g + (-penalty if value < -at else penalty)
        can_fall, can_rise = value > low + at, value < high - at
        worst = max(worst, left if can_fall else 0.0, -right if can_rise else 0.0)
    return worst


def random_window_graph(d, degree, lagged_degrees, scheme, rng):
    """The released generator's graph (Sun et al., 2023), from its description, pair by pair."""
    graph = np.zeros((len(lagged_degrees) + 1, d, d), dtype=bool)
    order = rng.permutation(d)
    pairs = [(i, j) for i in range(d) for j in range(i)]
    if scheme == "bipartite":
        causes = int(d / 5)
        pairs = [(i, j) for i in range(causes) for j in range(causes, d)]
    if scheme == "BA":
        for new in range(1, d):
            votes = [old for old in range(new) for _ in range(1 + graph[0, :, order[old]].sum())]
            chosen = set()
            while len(chosen) < min(new, round(degree)):
                chosen.add(int(rng.choice(votes)))
            for old in chosen:
                graph[0, order[new], order[old]] = True
    else:
        wanted = min(round(degree * d), len(pairs))
        for pick in rng.permutation(len(pairs))[:wanted]:
            graph[0, order[pairs[pick][0]], order[pairs[pick][1]]] = True
    for lag, source, target in product(range(1, len(graph)), range(d), range(d)):
        graph[lag, source, target] = rng.random() < lagged_degrees[lag - 1] / d
    return graph


def signed(shape, rng):
    """Uniform on [-2, -0.5] or [0.5, 2], either with even chances."""
    return rng.choice([-1.0, 1.0], shape) * rng.uniform(0.5, 2.0, shape)


def released_series(graph, mechanism, rows, rng, scale=1.0):
    """One series of the released generator: parameters drawn anew, a loop over rows and variables.

    A fifth more rows are made first and dropped; the first K rows are noise alone.
    """
    lags, d = len(graph) - 1, graph.shape[1]
    parents = [np.argwhere(graph[:, :, j]).tolist() for j in range(d)]
    if mechanism == "ANM":
        inner = [signed((len(own), 100), rng) for own in parents]
        outer = [signed(100, rng) for _ in range(d)]
    else:
        inner = [signed((len(own), 3), rng) for own in parents]
    depth = [sum(reaches(graph[0], i, j) for i in range(d)) for j in range(d)]
    warm_up = int(0.2 * rows)
    values = np.zeros((rows + warm_up, d))
    for t, j in product(range(len(values)), sorted(range(d), key=depth.__getitem__)):
        noise = rng.integers(3) if mechanism == "GLM-Pois" else scale * rng.standard_normal()
        values[t, j] = noise
        if t < lags or not parents[j]:
            continue
        seen = np.array([values[t - lag, source] for lag, source in parents[j]]) @ inner[j]
        if mechanism == "ANM":
            values[t, j] = sigmoid(seen) @ outer[j] + noise
        elif mechanism == "AIM":
            values[t, j] = math.tanh(seen[0]) + math.cos(seen[1]) + math.sin(seen[2]) + noise
        else:
            values[t, j] = rng.poisson(math.tanh(seen[0]) + 2)
    return values[warm_up:]
