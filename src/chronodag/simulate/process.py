"""A dynamic Bayesian network with its parameters: sampled as often as needed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chronodag.errors import SettingsError
from chronodag.graph import TemporalGraph
from chronodag.simulate.common import (
    FloatArray,
    Randomness,
    as_generator,
    check_choice,
    check_count,
    check_number,
)
from chronodag.simulate.engine import Task, lag_0_layers
from chronodag.simulate.engine import run as run_with_numpy
from chronodag.simulate.linear import autocovariances
from chronodag.simulate.mechanisms import arrivals, count_until, standard_noise

# Enough series side by side to make a step's overhead small, few enough to fit in memory.
_AT_ONCE = 64


@dataclass(frozen=True, eq=False)
class Process:
    """A graph with the parameters of its mechanism: everything but the noise.

    Attributes:
        graph: The true graph.
        mechanism: "ANM", "AIM", "GLM-Pois" or "linear".
        constants: "released" or "paper"; see `random_process`.
        parents: int (edges, 3): target, lag and source of every edge, sorted in this order.
        weights: θ of every edge, (edges, units).
        readout: θ2 of every variable, (d, 100) for ANM, otherwise (d, 0).
        offset: φ of every variable, (d,), for GLM-Pois; otherwise zeros.
        noise_scale: Standard deviation of every variable's noise, (d,); ones for GLM-Pois.
        noise: The shape of the noise: "normal", "student", "laplace" or "uniform".
    """

    graph: TemporalGraph
    mechanism: str
    constants: str
    parents: NDArray[np.int64]
    weights: FloatArray
    readout: FloatArray
    offset: FloatArray
    noise_scale: FloatArray
    noise: str = "normal"

    def __post_init__(self) -> None:
        for field in ("parents", "weights", "readout", "offset", "noise_scale"):
            frozen = getattr(self, field).copy()
            frozen.setflags(write=False)
            object.__setattr__(self, field, frozen)

    @property
    def coefficients(self) -> FloatArray:
        """The coefficients of a linear process, [lag, source, target]."""
        self._check_linear("coefficients")
        target, lag, source = self.parents.T
        coefficients = np.zeros(self.graph.adjacency.shape)
        coefficients[lag, source, target] = self.weights[:, 0]
        return coefficients

    def covariance(self, max_lag: int = 0) -> FloatArray:
        """Return the exact stationary covariances of a linear process.

        Entry [lag, source, target] is Cov(source(t - lag), target(t)), for lags 0 to `max_lag`.
        """
        self._check_linear("covariance")
        return autocovariances(
            self.coefficients, self.noise_scale, check_count("max_lag", max_lag, 0)
        )

    def _check_linear(self, what: str) -> None:
        if self.mechanism != "linear":
            raise SettingsError(
                f"{what} was asked of a process with mechanism {self.mechanism!r}; expected "
                "'linear', the only one with an exact answer. Sample from the process instead."
            )

    @overload
    def sample(
        self,
        T: int,
        rng: Randomness,
        *,
        series: None = None,
        warm_up: float = ...,
        do: Mapping[str, ArrayLike] | None = ...,
        engine: str = ...,
    ) -> FloatArray: ...
    @overload
    def sample(
        self,
        T: int,
        rng: Randomness,
        *,
        series: int,
        warm_up: float = ...,
        do: Mapping[str, ArrayLike] | None = ...,
        engine: str = ...,
    ) -> list[FloatArray]: ...

    def sample(
        self,
        T: int,
        rng: Randomness,
        *,
        series: int | None = None,
        warm_up: float = 0.2,
        do: Mapping[str, ArrayLike] | None = None,
        engine: str = "numpy",
    ) -> FloatArray | list[FloatArray]:
        """Sample raw values (not standardised) from the process.

        Args:
            T: Rows per series.
            rng: Generator or seed. The noise doesn't depend on `do`: the same seed with and
                without an intervention gives the two worlds of one experiment.
            series: None for one array (T, d); a number for a list of so many independent ones.
            warm_up: Share of T that is simulated before the first row and dropped.
            do: Variables to hold at a value, whatever their causes say: `{"X3": 1.5}`, or T values
                for T rows, the first of which also holds during the warm-up.
            engine: "numpy", or "compiled" for speed (see `sample_many`).
        """
        count = 1 if series is None else check_count("series", series, 1)
        generators = [as_generator(rng)] * count
        samples = _sample([self] * count, T, generators, warm_up, do or {}, engine)
        return samples[0] if series is None else samples


def sample_many(
    processes: Sequence[Process],
    T: int,
    rng: Randomness | Sequence[Randomness],
    *,
    warm_up: float = 0.2,
    engine: str = "numpy",
) -> list[FloatArray]:
    """Sample one series of T rows from each process, all together and so much faster.

    The result is the same as that of `process.sample(T, rng)` one by one, in their order: with one
    generator for all, or with a sequence of generators or seeds, one per process.

    `engine="compiled"` runs the loop over time as machine code, in several threads, and needs the
    extra `chronodag[fast]`. It computes the same equations from the same noise, but rounds in
    another order: of a chaotic process it gives, in time, another series than "numpy". So name the
    engine where the bytes matter; either gives the same bytes again for the same seed.
    """
    if isinstance(rng, Sequence):
        if len(rng) != len(processes):
            raise SettingsError(
                f"rng holds {len(rng)} generators or seeds for {len(processes)} processes; "
                "expected one each. Pass as many, or a single one for all."
            )
        generators = [as_generator(one) for one in rng]
    else:
        generators = [as_generator(rng)] * len(processes)
    return _sample(processes, T, generators, warm_up, {}, engine)


def _sample(
    processes: Sequence[Process],
    T: int,
    generators: Sequence[np.random.Generator],
    warm_up: float,
    do: Mapping[str, ArrayLike],
    engine: str,
) -> list[FloatArray]:
    T = check_count("T", T, 1)
    run = _runner(engine)
    extra = round(check_number("warm_up", warm_up) * T)
    # Drawn one by one, as the engine asks for them.
    tasks = (
        _task(process, T + extra, generator, dict(_held_values(process.graph, do, T, extra)))
        for process, generator in zip(processes, generators, strict=True)
    )
    samples: list[FloatArray] = []
    while len(samples) < len(processes):
        count = min(_AT_ONCE, len(processes) - len(samples))
        samples += [values[extra:].copy() for values in run(islice(tasks, count), count)]
    return samples


def _runner(engine: str) -> Callable[[Iterator[Task], int], list[FloatArray]]:
    """Return what runs so many tasks of an iterator."""
    if check_choice("engine", engine, ("numpy", "compiled")) == "numpy":
        return lambda tasks, _count: run_with_numpy(list(tasks))
    try:
        from chronodag.simulate.compiled import run
    except ImportError as error:
        raise SettingsError(
            f"engine is 'compiled', but Numba cannot be imported: {error}. Install chronodag[fast] "
            "or take engine='numpy'."
        ) from error
    return run


def _held_values(
    graph: TemporalGraph, do: Mapping[str, ArrayLike], T: int, extra: int
) -> Iterator[tuple[int, FloatArray]]:
    """Yield the column and the values, warm-up included, of every variable held by `do`."""
    for name, value in do.items():
        if name not in graph.names:
            raise SettingsError(
                f"do names {name!r}, which is not a variable of the graph; expected one of "
                f"{', '.join(graph.names)}. Check the spelling."
            )
        values = np.asarray(value, dtype=np.float64)
        if values.shape not in ((), (T,)) or not np.isfinite(values).all():
            raise SettingsError(
                f"do[{name!r}] has shape {values.shape} or values that are not finite; expected "
                f"one finite number or T={T} of them. Pass one value per row to keep."
            )
        rows = np.broadcast_to(values, (T,))
        yield graph.names.index(name), np.concatenate([np.full(extra, rows[0]), rows])


def _task(
    process: Process, rows: int, rng: np.random.Generator, held: Mapping[int, FloatArray]
) -> Task:
    """Draw the noise and settle the variables that no parent decides."""
    d = len(process.graph.names)
    if process.mechanism == "GLM-Pois":
        noise = arrivals(process.offset + 1.0, rows, rng)  # tanh adds 1 at most
        if process.constants == "released":
            alone = rng.integers(0, 3, (rows, d)).astype(np.float64)
        else:
            alone = count_until(noise, process.offset).astype(np.float64)
    else:
        noise = standard_noise(process.noise, (rows, d), rng) * process.noise_scale
        alone = noise.copy()
    computed = np.array(process.graph.adjacency.any(axis=(0, 1)))
    for column, values in held.items():
        alone[:, column] = values
        computed[column] = False
    return Task(
        mechanism=process.mechanism,
        parents=process.parents,
        weights=process.weights,
        readout=process.readout,
        offset=process.offset,
        noise=noise,
        values=alone,
        computed=computed,
        layers=lag_0_layers(process.graph.adjacency[0]),
        lags=process.graph.adjacency.shape[0] - 1,
    )
