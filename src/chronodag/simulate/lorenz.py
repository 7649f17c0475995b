"""Lorenz-96: a chaotic ring of variables whose causes are known (Lorenz, 1996)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chronodag.errors import DataError, SettingsError
from chronodag.graph import TemporalGraph
from chronodag.simulate.common import (
    FloatArray,
    Randomness,
    Simulated,
    as_generator,
    check_choice,
    check_count,
    check_number,
)

# The right-hand side multiplies neighbours two apart: a smaller ring has no such neighbours.
_SMALLEST_RING = 4
_TOLERANCE = 1e-9


class _Preset(NamedTuple):
    step: float
    noise: float
    burn_in: int
    start: str


# The sources differ in all of these; each set of data in circulation is one of these rows.
PRESETS = {
    "paper": _Preset(step=0.1, noise=0.0, burn_in=0, start="uniform"),
    "neural-granger": _Preset(step=0.1, noise=0.1, burn_in=1000, start="normal"),
    "recurrent": _Preset(step=0.05, noise=0.1, burn_in=1000, start="normal"),
}


def lorenz96(
    d: int = 20,
    T: int = 500,
    *,
    rng: Randomness,
    forcing: float = 10.0,
    variant: str = "paper",
    step: float | None = None,
    noise: float | None = None,
    burn_in: int | None = None,
    start: str | ArrayLike | None = None,
    lags: int = 1,
) -> Simulated:
    """Simulate Lorenz-96: dx_i/dt = (x_{i+1} - x_{i-2}) x_{i-1} - x_i + F.

    The equations are integrated with an adaptive stiff solver at a tolerance of 1e-9, so the rows
    do not hang on an inner step. The values are raw, not standardised.

    Args:
        d: Number of variables on the ring (4 or more).
        T: Number of rows.
        rng: Generator or seed, for the start and the noise.
        forcing: F; 10 and 40 are the usual benchmarks.
        variant: Where the settings left open come from: "paper" (step 0.1, no noise, no burn-in,
            start uniform on (0, 1)), "neural-granger" (step 0.1, noise 0.1, burn-in 1000, start
            normal with sd 0.01) or "recurrent" (the same with step 0.05).
        step: Time between rows.
        noise: Standard deviation of the noise of observation.
        burn_in: Rows dropped at the beginning.
        start: "uniform", "normal", or d numbers. With no burn-in it is the first row.
        lags: K of the true graph. Its edges are those of the equation, all at lag 1: i is driven
            by i, i+1, i-1 and i-2. The step is finite, so weaker real effects over two and more
            places exist; the customary truth leaves them out.
    """
    generator = as_generator(rng)
    d, T = check_count("d", d, _SMALLEST_RING), check_count("T", T, 1)
    preset = PRESETS[check_choice("variant", variant, PRESETS)]
    step = check_number("step", preset.step if step is None else step, above=0.0)
    noise = check_number("noise", preset.noise if noise is None else noise)
    burn_in = check_count("burn_in", preset.burn_in if burn_in is None else burn_in, 0)
    graph = TemporalGraph.from_adjacency(true_adjacency(d, check_count("lags", lags, 1)))
    first = _first_state(d, preset.start if start is None else start, generator)
    data = _trajectory(first, burn_in + T, step, forcing)[burn_in:]
    return Simulated(data=data + noise * generator.standard_normal(data.shape), graph=graph)


def true_adjacency(d: int, lags: int) -> NDArray[np.bool_]:
    """Return [lag, source, target]: i-2, i-1, i and i+1 drive i at lag 1, and nothing else."""
    adjacency = np.zeros((lags + 1, d, d), dtype=np.bool_)
    targets = np.arange(d)
    for offset in (-2, -1, 0, 1):
        adjacency[1, (targets + offset) % d, targets] = True
    return adjacency


def derivative(state: FloatArray, forcing: float) -> FloatArray:
    """Return dx/dt of the last axis."""
    ahead = np.roll(state, -1, axis=-1)
    behind = np.roll(state, 1, axis=-1)
    two_behind = np.roll(state, 2, axis=-1)
    return (ahead - two_behind) * behind - state + forcing


def _first_state(d: int, start: str | ArrayLike, rng: np.random.Generator) -> FloatArray:
    if isinstance(start, str):
        check_choice("start", start, ("uniform", "normal"))
        return rng.random(d) if start == "uniform" else 0.01 * rng.standard_normal(d)
    state = np.asarray(start, dtype=np.float64)
    if state.shape != (d,) or not np.isfinite(state).all():
        raise SettingsError(
            f"start has shape {state.shape} and values {state}; expected {d} finite numbers, one "
            "per variable, or 'uniform' or 'normal'. Pass one number per variable."
        )
    return state


def _trajectory(start: FloatArray, rows: int, step: float, forcing: float) -> FloatArray:
    from scipy.integrate import odeint

    forcing = check_number("forcing", forcing, above=-np.inf)
    d = start.size
    ring = np.arange(d)
    ahead, behind, two_behind = (ring + 1) % d, (ring - 1) % d, (ring - 2) % d

    def slope(state: FloatArray, _time: float) -> FloatArray:  # `derivative`, without the rolls
        return (state[ahead] - state[two_behind]) * state[behind] - state + forcing

    times = step * np.arange(rows)
    solved, info = odeint(
        slope, start, times, rtol=_TOLERANCE, atol=_TOLERANCE, mxstep=100_000, full_output=True
    )
    if info["message"] != "Integration successful." or not np.isfinite(solved).all():
        raise DataError(
            f"Lorenz-96 with forcing={forcing:g} and step={step:g} could not be integrated: "
            f"{info['message']} Expected finite values throughout. Lower forcing or step."
        )
    return np.asarray(solved, dtype=np.float64)
