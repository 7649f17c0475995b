"""From the constructor's loose arguments to validated settings for one panel."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chronodag.data import Panel
from chronodag.errors import SettingsError
from chronodag.evidence import EFFORTS
from chronodag.graph import threshold_per_lag
from chronodag.knowledge import EdgeBounds
from chronodag.learn.devices import DEVICES
from chronodag.model import Architecture

# What stands in for penalties and thresholds that are not given; see docs/sharp-bits.md.
DEFAULT_L2 = 0.015
DEFAULT_THRESHOLD = 0.3
DEFAULT_L1_TIMES_LENGTH = 2.0  # l1 = 2/T
AUTO = "auto"
MOST_LAGS = 5
"""How far back lags="auto" looks."""

SOLVERS = ("device", "scipy")
DTYPES = ("float64", "float32")


@dataclass(frozen=True)
class Settings:
    """Everything a fit needs besides the data, checked and filled in."""

    lags: int
    hidden: tuple[int, ...]
    l1: NDArray[np.float64]  # [lag, source, target]
    l2: float
    threshold: NDArray[np.float64]  # per lag, lag 0 first; not used if automatic
    automatic: bool  # the edges are chosen by their evidence, not by a threshold on strengths
    effort: str  # of weighing the evidence
    choose_lags: bool  # `lags` is the most that may be chosen
    instantaneous: bool | None  # whether lag 0 may have edges; None: the data say
    standardize: bool
    solver: str
    dtype: str
    device: str
    memory_limit: float | None  # GiB
    h_tol: float
    rho_max: float
    max_iter: int

    def architecture(self, dimension: int) -> Architecture:
        """Return the sizes of the networks for d variables."""
        return Architecture(dimension, self.lags, self.hidden)


def resolve(parameters: dict[str, Any], panel: Panel, lags: int | None = None) -> Settings:
    """Check the estimator's parameters against a panel; `lags` replaces those among them."""
    dimension, length = panel.dimension, panel.length
    l1, l2, threshold = (parameters[name] for name in ("l1", "l2", "threshold"))
    automatic = is_automatic(parameters)
    asked = lags_asked(parameters["lags"], panel, automatic)
    lags = asked if lags is None else lags
    fixed = DEFAULT_THRESHOLD if automatic or threshold is None else threshold
    solver = one_of("solver", parameters["solver"], SOLVERS)
    dtype = one_of("dtype", _dtype_name(parameters["dtype"]), DTYPES)
    _refuse_single_precision_scipy(solver, dtype)
    return Settings(
        lags=lags,
        hidden=hidden_widths(parameters["hidden"], dimension),
        l1=l1_per_edge(DEFAULT_L1_TIMES_LENGTH / length if l1 is None else l1, lags, dimension),
        l2=real_number("l2", DEFAULT_L2 if l2 is None else l2, at_least=0.0),
        threshold=threshold_per_lag(_fixed_threshold(fixed), lags),
        automatic=automatic,
        effort=one_of("effort", parameters["effort"], tuple(EFFORTS)),
        choose_lags=isinstance(parameters["lags"], str),
        instantaneous=_instantaneous(parameters["instantaneous"]),
        standardize=true_or_false("standardize", parameters["standardize"]),
        solver=solver,
        dtype=dtype,
        device=one_of("device", parameters["device"], DEVICES),
        memory_limit=_memory_limit(parameters["memory_limit"]),
        h_tol=real_number("h_tol", parameters["h_tol"], at_least=0.0),
        rho_max=real_number("rho_max", parameters["rho_max"], at_least=1.0),
        max_iter=whole_number("max_iter", parameters["max_iter"], at_least=1),
    )


def is_automatic(parameters: dict[str, Any]) -> bool:
    """Say whether the data choose: nothing is given that would, or the threshold is "auto"."""
    threshold = parameters["threshold"]
    if isinstance(threshold, str) and threshold == AUTO:
        return True
    return all(parameters[name] is None for name in ("l1", "l2", "threshold"))


def lags_asked(lags: Any, panel: Panel, automatic: bool) -> int:
    """Return K, or the most that "auto" may choose for series of these lengths."""
    if not isinstance(lags, str):
        return whole_number("lags", lags, at_least=0)
    if lags != AUTO:
        raise SettingsError(f"lags is {lags!r}; expected a whole number ≥ 0, or 'auto'.")
    if not automatic:
        raise SettingsError(
            "lags is 'auto', but l1, l2 or threshold is given; the lags are chosen together with "
            "the edges, by the evidence. Give lags as a number, or leave l1, l2 and threshold out "
            "(or threshold='auto')."
        )
    return max(1, min(MOST_LAGS, min(panel.lengths) // 4))


def _instantaneous(value: Any) -> bool | None:
    if isinstance(value, str) and value == AUTO:
        return None
    if not isinstance(value, bool | np.bool_):
        raise SettingsError(f"instantaneous is {value!r}; expected True, False or 'auto'.")
    return bool(value)


def _memory_limit(limit: Any) -> float | None:
    if limit is None:
        return None
    return real_number("memory_limit", limit, at_least=0.0)


def _refuse_single_precision_scipy(solver: str, dtype: str) -> None:
    if solver == "scipy" and dtype == "float32":
        raise SettingsError(
            "solver is 'scipy' and dtype 'float32'; SciPy's optimiser computes in float64. "
            "Take solver='device' for float32, or dtype='float64'."
        )


def hidden_widths(hidden: Any, dimension: int) -> tuple[int, ...]:
    """Return (m, further widths …); None stands for m = d."""
    if hidden is None:
        return (dimension,)
    if isinstance(hidden, str) and hidden in ("d", "2d"):
        return (dimension if hidden == "d" else 2 * dimension,)
    if isinstance(hidden, Sequence) and not isinstance(hidden, str):
        if not hidden:
            raise SettingsError("hidden is empty; expected at least one width, such as 10.")
        return tuple(whole_number("hidden", width, at_least=1) for width in hidden)
    return (whole_number("hidden", hidden, at_least=1),)


def l1_per_edge(l1: Any, lags: int, dimension: int) -> NDArray[np.float64]:
    """Spread λ1 (a number, one per lag, or one per edge) over `[lag, source, target]`."""
    try:
        values = np.asarray(l1, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise SettingsError(f"l1 is {l1!r}; expected a number or an array of numbers.") from error
    shape = (lags + 1, dimension, dimension)
    if values.shape == (lags + 1,):
        values = values[:, None, None]
    elif values.shape not in ((), shape):
        raise SettingsError(
            f"l1 has shape {values.shape}; expected one number, one per lag ({lags + 1}, lag 0 "
            f"first), or one per edge, [lag, source, target] = {shape}."
        )
    if not (np.isfinite(values).all() and (values >= 0).all()):
        raise SettingsError(f"l1 is {l1!r}; expected finite numbers ≥ 0.")
    return np.broadcast_to(values, shape).copy()


def whole_number(name: str, value: Any, *, at_least: int) -> int:
    """Return `value` as an int, or say what is wrong with it."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < at_least:
        raise SettingsError(f"{name} is {value!r}; expected a whole number ≥ {at_least}.")
    return int(value)


def real_number(name: str, value: Any, *, at_least: float) -> float:
    """Return `value` as a finite float, or say what is wrong with it."""
    valid = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not valid or not np.isfinite(float(value)) or float(value) < at_least:
        raise SettingsError(f"{name} is {value!r}; expected a finite number ≥ {at_least:g}.")
    return float(value)


def true_or_false(name: str, value: Any) -> bool:
    """Return `value` as a bool; a text such as "no" would silently count as true."""
    if not isinstance(value, bool | np.bool_):
        raise SettingsError(f"{name} is {value!r}; expected True or False.")
    return bool(value)


def one_of(name: str, value: Any, known: tuple[str, ...]) -> str:
    """Return `value` if it is one of the known words."""
    if not isinstance(value, str) or value not in known:
        raise SettingsError(f"{name} is {value!r}; expected one of {', '.join(map(repr, known))}.")
    return value


def generator(random_state: Any) -> np.random.Generator:
    """Return the generator that a seed stands for; a generator stands for itself."""
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        raise SettingsError(
            f"random_state is {random_state!r} ({error}); expected a whole number ≥ 0, a "
            "numpy.random.Generator, or None."
        ) from error


def _dtype_name(dtype: Any) -> Any:
    if dtype is None or isinstance(dtype, str):  # NumPy reads None as float64
        return dtype
    try:
        return np.dtype(dtype).name
    except TypeError:
        return dtype


def _fixed_threshold(threshold: Any) -> Any:
    if isinstance(threshold, str):
        raise SettingsError(
            f"threshold is {threshold!r}; expected a number, one number per lag, or 'auto' (the "
            "edges are then chosen by the evidence for them)."
        )
    return threshold


def without_lag_0(bounds: EdgeBounds, names: tuple[str, ...]) -> EdgeBounds:
    """Close all edges at lag 0; refuse rules that require one."""
    asked = np.argwhere(bounds.required[0])
    if len(asked):
        source, target = asked[0]
        raise SettingsError(
            f"instantaneous is False, but a rule requires {names[source]}@0 -> {names[target]}, "
            "an edge at lag 0. Take one of them back."
        )
    upper = bounds.upper.copy()
    upper[0] = 0.0
    return EdgeBounds(bounds.lower, upper)
