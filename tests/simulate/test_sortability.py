import subprocess
import sys

import numpy as np
import pytest

from chronodag.errors import DataError
from chronodag.graph import TemporalGraph
from chronodag.simulate import random_process, sortability


def graph_of(*edges, d=3, lags=1):
    adjacency = np.zeros((lags + 1, d, d), dtype=bool)
    for lag, source, target in edges:
        adjacency[lag, source, target] = True
    return TemporalGraph.from_adjacency(adjacency)


def naive_r2(data):
    shares = []
    for j in range(data.shape[1]):
        design = np.column_stack([np.ones(len(data)), np.delete(data, j, axis=1)])
        fitted = design @ np.linalg.lstsq(design, data[:, j], rcond=None)[0]
        shares.append(1 - ((data[:, j] - fitted) ** 2).mean() / data[:, j].var())
    return np.array(shares)


def test_variance_counts_edges_by_hand():
    data = np.random.default_rng(0).standard_normal((500, 3)) * [1.0, 2.0, 3.0]
    graph = graph_of((0, 0, 1), (0, 2, 1), (1, 0, 2), (1, 1, 1), (1, 1, 2))
    result = sortability(data, graph)
    assert result.variance == 0.5  # X1 -> X2 rises, X3 -> X2 falls
    assert result.variance_window == 0.75  # the self-loop does not count


def test_r2_agrees_with_plain_regressions():
    rng = np.random.default_rng(1)
    data = rng.standard_normal((300, 4)) @ rng.standard_normal((4, 4)) + 5.0
    r2 = naive_r2(data)
    for source in range(4):
        for target in range(4):
            if source != target:
                result = sortability(data, graph_of((0, source, target), d=4))
                assert result.r2 == float(r2[target] > r2[source])
                assert result.r2_window == result.r2


def test_standardised_columns_tie_by_variance():
    data = random_process(6, 1, rng=0).sample(300, 1)
    graph = random_process(6, 1, rng=0).graph
    scaled = (data - data.mean(axis=0)) / data.std(axis=0)
    assert sortability(scaled, graph).variance == 0.5
    assert sortability(scaled, graph).r2 == sortability(data, graph).r2


def test_no_edges_give_nan_and_constant_or_repeated_columns_do_no_harm():
    data = np.random.default_rng(2).standard_normal((50, 3))
    assert np.isnan(sortability(data, graph_of()).variance)
    data[:, 1] = data[:, 0]
    data[:, 2] = 1.0
    result = sortability(data, graph_of((0, 0, 1), (1, 2, 1)))
    assert result.variance == 0.5
    assert result.r2 == 0.5
    assert result.r2_window == 0.75
    assert np.isnan(sortability(data[:, :1], graph_of(d=1)).r2)


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (np.zeros((5, 2)), r"data has shape \(5, 2\); expected \(T, 3\)"),
        (np.zeros(5), r"data has shape \(5,\)"),
        (np.full((5, 3), np.nan), "nan or infinite"),
    ],
)
def test_bad_data_is_refused(data, match):
    with pytest.raises(DataError, match=match):
        sortability(data, graph_of())


def test_importing_stays_light():
    script = (
        "import sys, chronodag.simulate; "
        "heavy = {'jax', 'scipy', 'networkx', 'sklearn'} & set(sys.modules); "
        "sys.exit(f'imported {heavy}' if heavy else 0)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
