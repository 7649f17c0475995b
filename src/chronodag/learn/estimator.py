"""`NTSNotears`: the learner, as a table of contents. Each step is a module of its own."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import partial
from typing import Any

import jax
import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from chronodag.data import Panel
from chronodag.data.frames import is_frame
from chronodag.errors import DataError, SettingsError
from chronodag.evidence import EFFORTS, estimate_seconds
from chronodag.knowledge import EdgeBounds, PriorKnowledge
from chronodag.learn.automatic import Choices, learn_automatically
from chronodag.learn.budget import MemoryEstimate
from chronodag.learn.devices import describe
from chronodag.learn.fitting import (
    Fitted,
    Setup,
    devices_of,
    learn,
    memory_of,
    prepare,
)
from chronodag.learn.prediction import predict_series, r_squared
from chronodag.learn.presets import preset
from chronodag.learn.settings import Settings, generator, resolve, without_lag_0
from chronodag.model import Architecture, Parameters
from chronodag.solve import Callback


class NTSNotears(BaseEstimator):  # type: ignore[misc]
    """Learn which variable, at which lag, drives which, with no functional form assumed.

    One 1-D CNN per variable predicts it from the past `lags` moments of all variables and from
    the same moment of the others; a smooth constraint keeps the same-moment edges free of cycles.

    Parameters
    ----------
    lags
        The largest lag K (0 = only same-moment edges). "auto": at most 5, as far back as edges
        can be expected, where the edges are chosen by their evidence.
    hidden
        Kernels per network, m; a tuple adds hidden layers; None = as many as variables.
    l1
        Sparsity λ1: one number, one per lag (lag 0 first), or `[lag, source, target]`.
    l2
        Shrinkage λ2 of all weights.
    threshold
        Edges weaker than this are cut: one number, or one per lag (lag 0 first). "auto": the
        edges are chosen by the evidence for them, and each has a confidence.
        With none of `l1`, `l2` and `threshold` given, the threshold is "auto". With one of them
        given, the others are 2/T, 0.015 and 0.3, and the fit is the paper's.
    knowledge
        A `PriorKnowledge`; None = nothing known.
    standardize
        Bring every variable to mean 0 and standard deviation 1 first. Strengths then compare.
    solver
        "device" (our own, compiled whole) or "scipy" (SciPy's L-BFGS-B, the paper's).
    dtype
        "float64", or "float32" arithmetic.
    h_tol, rho_max, max_iter
        When the augmented Lagrangian stops. "scipy" ends at h ≤ h_tol; "device" fixes the
        acyclic lag-0 pattern once h is below 0.01 (or h_tol) and ends with h = 0 exactly.
    random_state
        Seed, or a `numpy.random.Generator`, of the random start.
    device
        "auto" (a GPU when there is one and the problem is large enough to gain), "cpu" or "gpu".
    memory_limit
        GiB that a fit may need, by estimate; None = 60 % of the machine's. Smaller limits make
        smaller chunks of time; a fit that cannot stay within is refused before it starts.
    effort
        "low", "normal" or "high": the work that goes into weighing the evidence, where the edges
        are chosen by it.
    instantaneous
        Whether there may be edges at lag 0. "auto": yes, unless the edges are chosen by their
        evidence and the series turn out to be nearly free of noise.

    Attributes
    ----------
    graph_ : TemporalGraph
        Names, lags, strengths, adjacency, edges(); always acyclic at lag 0.
    strengths_ : ndarray [lag, source, target]
        Before any threshold, lag 0 first.
    confidence_ : ndarray [lag, source, target], or None
        How likely each edge is true, where the data chose; see docs/results/trust.md.
    choices_ : Choices, or None
        What was chosen from the data and why; `print(learner.choices_)`.
    status_ : Status
        Why the solver stopped.
    objective_ : float
        F(θ): loss + L1 + L2, without the acyclicity terms.
    acyclicity_ : float
        h at the solution.
    solution_, settings_, parameters_, initial_parameters_, names_, fitted_
        The solver's trace, the settings used, the networks and their start, the variable names;
        and all of it in one object.
    """

    def __init__(
        self,
        lags: int | str = 1,
        *,
        hidden: int | tuple[int, ...] | str | None = None,
        l1: float | ArrayLike | None = None,
        l2: float | None = None,
        threshold: float | ArrayLike | str | None = None,
        knowledge: PriorKnowledge | None = None,
        standardize: bool = True,
        solver: str = "device",
        dtype: str = "float64",
        h_tol: float = 1e-8,
        rho_max: float = 1e16,
        max_iter: int = 100,
        random_state: int | np.random.Generator | None = None,
        device: str = "auto",
        memory_limit: float | None = None,
        effort: str = "normal",
        instantaneous: bool | str = "auto",
    ) -> None:
        self.lags = lags
        self.hidden = hidden
        self.l1 = l1
        self.l2 = l2
        self.threshold = threshold
        self.knowledge = knowledge
        self.standardize = standardize
        self.solver = solver
        self.dtype = dtype
        self.h_tol = h_tol
        self.rho_max = rho_max
        self.max_iter = max_iter
        self.random_state = random_state
        self.device = device
        self.memory_limit = memory_limit
        self.effort = effort
        self.instantaneous = instantaneous

    @classmethod
    def from_preset(cls, name: str, **overrides: Any) -> NTSNotears:
        """Make a learner with named settings (see `chronodag.presets`), some of them replaced."""
        return cls(**preset(name).settings(overrides))

    def fit(
        self,
        data: Any,
        y: None = None,
        *,
        series: str | None = None,
        time: str | None = None,
        start: Parameters | None = None,
        callback: Callback | None = None,
    ) -> NTSNotears:
        """Learn from a frame, an array (T, d), a list or dict of those, or a `Panel`.

        `series` and `time` name the columns of a long frame that tell the series apart and hold
        the time. `start` replaces the random start (see `parameters_` for its form). `callback`
        sees the `Progress`; if it returns True the fit stops, marked as interrupted.
        """
        panel = Panel.from_any(data, series=series, time=time)
        setup = self.setup(panel, start)
        if setup.settings.automatic:
            again = partial(self.setup, panel, start)
            chosen = learn_automatically(panel, setup, again, callback)
            self.adopt(chosen.fitted, named=has_names(data), choices=chosen.choices)
        else:
            self.adopt(learn(setup, callback), named=has_names(data))
        if not self.status_.success:
            warnings.warn(str(self.status_), ConvergenceWarning, stacklevel=2)
        return self

    def setup(
        self, panel: Panel, start: Parameters | None = None, bounds: EdgeBounds | None = None
    ) -> Setup:
        """Return all that a fit to `panel` would start from: settings, bounds, problem, start.

        `bounds` replaces those of the knowledge.
        """
        settings = self._resolve(panel, None if bounds is None else bounds.lags)
        if bounds is None:
            bounds = self._bounds(panel, settings)
        vector = self._start(settings.architecture(panel.dimension), start)
        return prepare(panel, settings, bounds, vector)

    def estimate_memory(
        self, data: Any, *, series: str | None = None, time: str | None = None
    ) -> MemoryEstimate:
        """Tell what a fit to `data` would need: "needs about 0.1 GiB; chunks of 4,096 windows"."""
        panel = Panel.from_any(data, series=series, time=time)
        settings = self._resolve(panel)
        return memory_of(settings, panel)

    def plan(self, data: Any, *, series: str | None = None, time: str | None = None) -> str:
        """Say what a fit to `data` would need and where it would run, in one line."""
        setup = self.setup(Panel.from_any(data, series=series, time=time))
        where = "cpu" if self.solver == "scipy" else describe(devices_of(setup))
        text = f"{memory_of(setup.settings, setup.panel)}; on {where}"
        if not setup.settings.automatic:
            return text
        effort = EFFORTS[setup.settings.effort]
        seconds = estimate_seconds(setup.panel, setup.settings.lags, effort)
        return f"{text}; to weigh the evidence takes about {float(f'{seconds:.1g}'):g} s"

    def _resolve(self, panel: Panel, lags: int | None = None) -> Settings:
        return resolve(self.get_params(deep=False), panel, lags)

    def _bounds(self, panel: Panel, settings: Settings) -> EdgeBounds:
        bounds = self._knowledge().compile(panel.names, settings.lags, settings.threshold)
        return bounds if settings.instantaneous is not False else without_lag_0(bounds, panel.names)

    def _knowledge(self) -> PriorKnowledge:
        if self.knowledge is None:
            return PriorKnowledge()
        if not isinstance(self.knowledge, PriorKnowledge):
            raise SettingsError(
                f"knowledge is a {type(self.knowledge).__name__}; expected a PriorKnowledge or "
                "None. PriorKnowledge.from_file(path) reads one from YAML or JSON."
            )
        return self.knowledge

    def _start(self, architecture: Architecture, start: Parameters | None) -> NDArray[np.float64]:
        if start is None:
            return architecture.initial(generator(self.random_state))
        found = [np.shape(leaf) for leaf in jax.tree.leaves(start)]
        expected = architecture.parameter_shapes()
        if found != expected:
            raise SettingsError(
                f"start holds arrays of the shapes {found}; expected {expected} for "
                f"{architecture.dimension} variables, lags {architecture.lags} and hidden "
                f"{architecture.hidden}, in the form of parameters_."
            )
        vector = architecture.flatten(start)
        if not np.isfinite(vector).all():
            raise SettingsError("start holds NaN or infinite numbers; expected finite ones.")
        return vector

    def adopt(self, fitted: Fitted, *, named: bool, choices: Choices | None = None) -> None:
        """Take over what was learned (by `fit`, `fit_many` or `load`)."""
        self.fitted_ = fitted
        self.choices_ = choices
        self.confidence_ = fitted.graph.confidence
        self.names_ = fitted.names
        self.n_features_in_ = len(fitted.names)
        if named:
            self.feature_names_in_ = np.array(fitted.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.settings_ = fitted.settings
        self.solution_ = fitted.solution
        self.parameters_ = as_arrays(fitted.architecture, fitted.solution.x)
        self.initial_parameters_ = as_arrays(fitted.architecture, fitted.initial)
        self.strengths_ = fitted.graph.strengths
        self.graph_ = fitted.graph
        self.objective_ = fitted.solution.objective
        self.acyclicity_ = fitted.solution.h
        self.status_ = fitted.solution.status
        self.n_iter_ = fitted.solution.iterations

    def predict(self, data: Any, *, series: str | None = None, time: str | None = None) -> Any:
        """Predict every variable from its possible causes: its past and the others at time t.

        The answer has the rows of the data and its units; the first `lags` rows of each series,
        which have no past to look at, are NaN. One series gives an array (T, d); a list or dict
        of series, or a long frame with `series`, gives a dict of arrays by series.
        """
        panel = self._panel(data, series, time)
        predictions = predict_series(self.parameters_, self.fitted_.scaling, panel)
        many = series is not None or isinstance(data, Mapping | list | tuple)
        return predictions if many or len(predictions) > 1 else next(iter(predictions.values()))

    def score(
        self, data: Any, y: None = None, *, series: str | None = None, time: str | None = None
    ) -> float:
        """Return R² of the predictions, averaged over the variables (1 is perfect)."""
        panel = self._panel(data, series, time)
        predictions = predict_series(self.parameters_, self.fitted_.scaling, panel)
        return r_squared(panel, predictions, self.settings_.lags)

    def _panel(self, data: Any, series: str | None, time: str | None) -> Panel:
        check_is_fitted(self)
        # A few rows to predict from may well hold a variable that rests.
        panel = Panel.from_any(data, series=series, time=time, allow_constant=True)
        if panel.dimension != self.n_features_in_:
            raise DataError(
                f"X has {panel.dimension} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input: {', '.join(self.names_)}. "
                "Give the same columns in the same order."
            )
        if hasattr(self, "feature_names_in_") and has_names(data):
            self._check_names(panel)
        panel.require_longer_than(self.settings_.lags)
        return panel

    def _check_names(self, panel: Panel) -> None:
        if panel.names != self.names_:
            raise DataError(
                f"The data has the columns {', '.join(panel.names)}; the fit had "
                f"{', '.join(self.names_)}. Give the same columns in the same order."
            )

    def save(self, path: Any) -> None:
        """Write the fit to a file that `chronodag.load` reads back (open format, no pickle)."""
        from chronodag.learn.persistence import save

        check_is_fitted(self)
        save(self, path)


def has_names(data: Any) -> bool:
    """Say whether the names of the variables came with the data, not X1, X2, … from us."""
    if isinstance(data, Mapping):
        return any(map(has_names, data.values()))
    if isinstance(data, list | tuple):
        return any(map(has_names, data))
    return isinstance(data, Panel) or is_frame(data)


def as_arrays(architecture: Architecture, vector: NDArray[np.float64]) -> Parameters:
    """Return the flat vector as named, read-only NumPy arrays."""

    def read_only(leaf: Any) -> NDArray[np.float64]:
        array = np.array(leaf, dtype=np.float64)
        array.flags.writeable = False
        return array

    arrays: Parameters = jax.tree.map(read_only, architecture.unflatten(vector))
    return arrays
