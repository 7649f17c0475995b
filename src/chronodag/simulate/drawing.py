"""Random dynamic Bayesian networks: a graph and the parameters of a mechanism on it."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from chronodag.errors import SettingsError
from chronodag.graph import TemporalGraph
from chronodag.simulate.common import (
    FloatArray,
    Randomness,
    as_generator,
    check_choice,
    check_count,
)
from chronodag.simulate.graphs import random_graph
from chronodag.simulate.linear import stable_weights
from chronodag.simulate.mechanisms import NOISES, UNITS, signed_uniform
from chronodag.simulate.process import Process

CONSTANTS = ("released", "paper")


def random_process(
    d: int | None = None,
    lags: int | None = None,
    *,
    rng: Randomness,
    mechanism: str = "ANM",
    graph: TemporalGraph | None = None,
    scheme: str = "ER",
    degree: float = 2.0,
    lagged_degree: float | Sequence[float] = 1.0,
    lagged_per: str = "lag",
    constants: str = "released",
    noise_scale: ArrayLike = 1.0,
    noise: str = "normal",
) -> Process:
    """Draw a graph and the parameters of a mechanism on it.

    Args:
        d: Number of variables; may be left out if `graph` is given.
        lags: K; 3 if neither it nor `graph` is given.
        rng: Generator or seed.
        mechanism: "ANM", "AIM" or "GLM-Pois" (the paper's three, see `mechanisms`) or "linear"
            (linear with Gaussian noise, stable, with an exact `Process.covariance`).
        graph: Use this graph instead of a random one; the next four are then not used.
        scheme: See `random_graph`, here and for the next three.
        degree: Mean out-degree at lag 0.
        lagged_degree: Mean out-degree over the lags.
        lagged_per: Whether `lagged_degree` counts each lag anew ("lag") or all together ("total").
        constants: For GLM-Pois, "released" has φ = 2 and variables without parents uniform on
            {0, 1, 2}, as in the released program; "paper" has φ uniform on [1, 3] and variables
            without parents Poisson(φ). For the others the two agree: the paper doesn't give the
            number of hidden units of ANM, so it is 100 as in the released program.
        noise_scale: Standard deviation of the Gaussian noise: one number, or one per variable.
            Must stay 1 for GLM-Pois, whose noise is that of the counts.
        noise: Its shape, of variance 1 before the scale: "normal", "student" (t with 3 degrees of
            freedom, so heavy tails), "laplace" or "uniform". Must stay "normal" for GLM-Pois.
    """
    generator = as_generator(rng)
    check_choice("mechanism", mechanism, UNITS)
    check_choice("constants", constants, CONSTANTS)
    if graph is None:
        shape = check_count("d", d, 1), 3 if lags is None else lags
        adjacency = random_graph(
            *shape,
            generator,
            scheme=scheme,
            degree=degree,
            lagged_degree=lagged_degree,
            lagged_per=lagged_per,
        )
        graph = TemporalGraph.from_adjacency(adjacency)
    _check_agrees(graph, d, lags)
    scale = _checked_scale(noise_scale, len(graph.names), mechanism)
    check_choice("noise", noise, NOISES)
    if mechanism == "GLM-Pois" and noise != "normal":
        raise SettingsError(
            f"noise is {noise!r} with mechanism='GLM-Pois'; counts have no noise of their own. "
            "Leave it out."
        )
    process = _draw_parameters(graph, mechanism, constants, scale, generator)
    return replace(process, noise=noise)


def _check_agrees(graph: TemporalGraph, d: int | None, lags: int | None) -> None:
    own_lags, own_d = graph.adjacency.shape[0] - 1, graph.adjacency.shape[1]
    if d not in (None, own_d) or lags not in (None, own_lags):
        raise SettingsError(
            f"d={d} and lags={lags} were given with a graph of {own_d} variables and {own_lags} "
            "lags; expected the same numbers. Leave out d and lags when you give a graph."
        )


def _checked_scale(noise_scale: ArrayLike, d: int, mechanism: str) -> FloatArray:
    scale = np.asarray(noise_scale, dtype=np.float64)
    if scale.shape not in ((), (d,)) or not np.isfinite(scale).all() or (scale <= 0).any():
        raise SettingsError(
            f"noise_scale is {noise_scale!r}; expected one finite number above 0, or {d} of them. "
            "Pass one per variable."
        )
    if mechanism == "GLM-Pois" and (scale != 1).any():
        raise SettingsError(
            f"noise_scale is {noise_scale!r} with mechanism='GLM-Pois'; expected 1, since counts "
            "have no noise of their own. Leave it out."
        )
    return np.array(np.broadcast_to(scale, (d,)))


def _draw_parameters(
    graph: TemporalGraph,
    mechanism: str,
    constants: str,
    scale: FloatArray,
    rng: np.random.Generator,
) -> Process:
    parents = np.argwhere(graph.adjacency.transpose(2, 0, 1))  # rows: target, lag, source
    shape = (len(parents), UNITS[mechanism])
    d = len(graph.names)
    readout, offset = np.zeros((d, 0)), np.zeros(d)
    if mechanism == "linear":
        draws = signed_uniform(0.2, 0.5, shape, rng)
        weights = stable_weights(draws, parents, graph.adjacency.shape)
    else:
        weights = signed_uniform(0.5, 2.0, shape, rng)
    if mechanism == "ANM":
        readout = signed_uniform(0.5, 2.0, (d, UNITS["ANM"]), rng)
    if mechanism == "GLM-Pois":
        offset = np.full(d, 2.0) if constants == "released" else rng.uniform(1.0, 3.0, d)
    return Process(graph, mechanism, constants, parents, weights, readout, offset, scale)
