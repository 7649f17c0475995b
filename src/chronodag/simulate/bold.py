"""Series like those of functional MRI: a network of regions seen through slow, noisy blood flow.

Three steps, as in NetSim (Smith et al., NeuroImage 2011), which this can stand in for:

1. **Neural activity** z, linear as in dynamic causal models (Friston et al., 2003):
   dz/dt = (-z + Wᵀz + u) / neural_lag, where u switches each region on and off at random.
2. **Blood flow**, per region (Friston et al., 2000): ds/dt = εz - κs - γ(f - 1), df/dt = s.
3. **The balloon** (Buxton et al., 1998): τ dv/dt = f - v^(1/α) for the volume,
   τ dq/dt = f (1 - (1-ρ)^(1/f)) / ρ - q v^(1/α - 1) for deoxyhaemoglobin, and the signal
   V0 [k1 (1 - q) + k2 (1 - q/v) + k3 (1 - v)], k1 = 7ρ, k2 = 2, k3 = 2ρ - 0.2.

Steps 1 and 2 are linear and solved exactly between inputs; step 3 runs in small steps.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chronodag.errors import SettingsError
from chronodag.graph import TemporalGraph
from chronodag.simulate.common import (
    FloatArray,
    Randomness,
    Simulated,
    as_generator,
    check_count,
    check_number,
)


@dataclass(frozen=True, kw_only=True)
class Haemodynamics:
    """The constants of blood flow and balloon, with the usual values (Friston et al., 2000)."""

    efficacy: float = 0.5
    """ε, how much activity raises the flow."""
    decay: float = 0.65
    """κ, per second."""
    feedback: float = 0.41
    """γ, per second squared."""
    transit: float = 0.98
    """τ, seconds that blood takes to pass."""
    stiffness: float = 0.32
    """α (Grubb's exponent)."""
    extraction: float = 0.34
    """ρ, the share of oxygen taken at rest."""
    volume: float = 0.02
    """V0, the share of the brain that is venous blood at rest."""


MEAN_SECONDS_ON, MEAN_SECONDS_OFF = 2.5, 10.0
_WARM_UP = 40.0  # seconds; the balloon forgets its start in a fraction of it
_STEP = 0.1
_LEAST_FLOW = 0.05  # flow can't reverse; reached only under very strong inhibition


def bold(
    d: int = 5,
    T: int = 200,
    *,
    rng: Randomness,
    connections: ArrayLike | None = None,
    repetition_time: float = 3.0,
    neural_lag: float = 0.05,
    noise: float = 0.1,
    variability: float = 0.1,
    haemodynamics: Haemodynamics | None = None,
) -> Simulated:
    """Simulate d regions over T scans; the values are signal change in percent.

    The truth is the network with its edges at lag 1 and every region driving itself there, as the
    paper scores fMRI. That is a convention: at the usual settings the regions answer each other
    within 0.05 s, and the scans are 3 s apart, so that most of an influence falls within one scan.

    Args:
        d: Number of regions.
        T: Number of scans.
        rng: Generator or seed.
        connections: W, (d, d) as [source, target], 0 where there is none. None gives the network
            of NetSim: a chain 1, 2, ..., d with an edge from 1 to d, weights normal with mean 0.4
            and sd 0.1, within 0.2 to 0.6.
        repetition_time: TR, seconds between scans.
        neural_lag: Seconds that a region takes to answer.
        noise: Standard deviation of the scanner's noise, as a share of each region's own.
        variability: How much the regions' κ, γ and τ differ: the sd of their logarithms.
        haemodynamics: The constants common to all regions.
    """
    generator = as_generator(rng)
    d, T = check_count("d", d, 1), check_count("T", T, 2)
    repetition_time = check_number("repetition_time", repetition_time, above=0.0)
    noise, spread = check_number("noise", noise), check_number("variability", variability)
    weights = _checked(connections, d, generator)
    body = haemodynamics or Haemodynamics()
    decay, feedback, transit = (
        mean * np.exp(spread * generator.standard_normal(d))
        for mean in (body.decay, body.feedback, body.transit)
    )
    per_scan = max(1, round(repetition_time / _STEP))
    step = repetition_time / per_scan
    before = round(_WARM_UP / step)
    inputs = _switching(before + T * per_scan, d, step, generator)
    lag = check_number("neural_lag", neural_lag, above=0.0)
    flow = _flow(inputs, weights, lag, body.efficacy, decay, feedback, step)
    scans = _balloon(flow, transit, body, step)[before + per_scan - 1 :: per_scan]
    scans = scans + noise * scans.std(axis=0) * generator.standard_normal(scans.shape)
    return Simulated(data=scans, graph=_graph(weights))


def _graph(weights: FloatArray) -> TemporalGraph:
    at_lag_1: NDArray[np.bool_] = (weights != 0) | np.eye(len(weights), dtype=np.bool_)
    return TemporalGraph.from_adjacency(np.stack([np.zeros_like(at_lag_1), at_lag_1]))


def _checked(connections: ArrayLike | None, d: int, rng: np.random.Generator) -> FloatArray:
    """Return W, [source, target], drawn if none is given."""
    if connections is None:
        joined = np.eye(d, k=1)
        joined[0, -1] = d > 1
        return joined * np.clip(rng.normal(0.4, 0.1, (d, d)), 0.2, 0.6)
    weights = np.array(connections, dtype=np.float64)
    if weights.shape != (d, d) or not np.isfinite(weights).all() or weights.diagonal().any():
        raise SettingsError(
            f"connections has shape {weights.shape}; expected ({d}, {d}) finite numbers [source, "
            "target] with zeros on the diagonal. A region's own decay is always there."
        )
    growth = float(np.linalg.eigvals(weights).real.max(initial=0.0))
    if growth >= 0.95:
        raise SettingsError(
            f"connections feed back so strongly (growth {growth:.2f}) that activity would not die "
            "out; expected less than 0.95. Lower the weights on cycles."
        )
    return weights


def _switching(steps: int, d: int, step: float, rng: np.random.Generator) -> FloatArray:
    """Return u: each region on (1) or off (0), for exponential times, with a little noise."""
    state = rng.random(d) < MEAN_SECONDS_ON / (MEAN_SECONDS_ON + MEAN_SECONDS_OFF)
    turns_off, turns_on = step / MEAN_SECONDS_ON, step / MEAN_SECONDS_OFF
    draws = rng.random((steps, d))
    on = np.empty((steps, d), dtype=np.bool_)
    for row in range(steps):
        state = np.where(state, draws[row] >= turns_off, draws[row] < turns_on)
        on[row] = state
    return on + 0.05 * rng.standard_normal((steps, d))


def _flow(
    inputs: FloatArray,
    weights: FloatArray,
    lag: float,
    efficacy: float,
    decay: FloatArray,
    feedback: FloatArray,
    step: float,
) -> FloatArray:
    """Return f at every step: z, s and f - 1 in one linear system, exact for stepwise inputs."""
    from scipy.linalg import expm

    d = len(weights)
    own, none = np.eye(d), np.zeros((d, d))
    system = np.block(
        [
            [(weights.T - own) / lag, none, none, own / lag],
            [efficacy * own, -np.diag(decay), -np.diag(feedback), none],
            [none, own, none, none],
            [none, none, none, none],
        ]
    )
    moves = expm(step * system)  # its last columns are what an input adds over one step
    transition, gain = moves[: 3 * d, : 3 * d], moves[: 3 * d, 3 * d :]
    pushes = inputs @ gain.T
    state, flow = np.zeros(3 * d), np.empty_like(inputs)
    for row, push in enumerate(pushes):
        state = transition @ state + push
        flow[row] = state[2 * d :]
    return np.maximum(1.0 + flow, _LEAST_FLOW)


def _balloon(flow: FloatArray, transit: FloatArray, body: Haemodynamics, step: float) -> FloatArray:
    """Return the signal in percent at every step of `flow`, by Heun's rule."""
    rho, power = body.extraction, 1.0 / body.stiffness
    intake = flow * (1.0 - (1.0 - rho) ** (1.0 / flow)) / rho
    volumes, contents = np.empty_like(flow), np.empty_like(flow)
    volume, content = np.ones_like(flow[0]), np.ones_like(flow[0])
    rate = step / transit
    for row, (inflow, oxygen) in enumerate(zip(flow, intake, strict=True)):
        outflow = volume**power
        grown = volume + rate * (inflow - outflow)
        drift = oxygen - content * outflow / volume
        ahead = grown**power
        drift_ahead = oxygen - (content + rate * drift) * ahead / grown
        volume = volume + 0.5 * rate * (2.0 * inflow - outflow - ahead)
        content = content + 0.5 * rate * (drift + drift_ahead)
        volumes[row], contents[row] = volume, content
    k1, k2, k3 = 7.0 * rho, 2.0, 2.0 * rho - 0.2
    signal = k1 * (1.0 - contents) + k2 * (1.0 - contents / volumes) + k3 * (1.0 - volumes)
    return np.asarray(100.0 * body.volume * signal)
