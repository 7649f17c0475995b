"""Settings with a name: those of the paper's experiments, and the fixed ones of this library."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from chronodag.errors import SettingsError
from chronodag.learn.settings import DEFAULT_L2, DEFAULT_THRESHOLD


@dataclass(frozen=True)
class Preset:
    """Settings for `NTSNotears.from_preset`, with what they are for."""

    name: str
    about: str
    l1: float | None
    """λ1 of every lag, or of lag 0 where `l1_lagged` is given; None = 2/T."""
    l2: float
    threshold: float
    hidden: str | None = "d"
    l1_lagged: float | None = None
    """λ1 of every lag ≥ 1, where it differs from lag 0's."""
    lags: int | None = None

    def settings(self, overrides: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments of `NTSNotears`; λ1 per lag follows the number of lags."""
        given: dict[str, Any] = {
            "l2": self.l2,
            "threshold": self.threshold,
            "hidden": self.hidden,
            **({} if self.lags is None else {"lags": self.lags}),
            **overrides,
        }
        if "l1" not in given:
            given["l1"] = self._l1(given.get("lags", 1))
        return given

    def _l1(self, lags: Any) -> float | list[float] | None:
        if self.l1 is None or self.l1_lagged is None:
            return self.l1
        # What is no number of lags is refused where all lags are checked.
        further = lags if isinstance(lags, int) else 0
        return [self.l1, *[self.l1_lagged] * further]

    def __str__(self) -> str:
        l1 = "2/T" if self.l1 is None else f"{self.l1:g}"
        l1 += "" if self.l1_lagged is None else f" at lag 0, {self.l1_lagged:g} at the others"
        return (
            f"{self.name}: l1 {l1}; l2 {self.l2:g}; threshold {self.threshold:g}; "
            f"hidden {self.hidden}"
            + ("" if self.lags is None else f"; lags {self.lags}")
            + f" ({self.about})"
        )


_PRESETS = (
    Preset(
        "paper-lorenz96",
        "the paper's for Lorenz-96 and fMRI",
        l1=0.1,
        l1_lagged=0.001,
        l2=0.01,
        threshold=0.5,
        hidden="2d",
    ),
    Preset("paper-simulated-200", "the paper's for 200 simulated rows", 0.01, 0.05, 0.3),
    Preset("paper-simulated-1000", "the paper's for 1000 simulated rows", 0.001, 0.05, 0.3),
    Preset("paper-hockey", "the paper's for ice hockey", 0.001, 0.005, 0.5, lags=1),
    Preset(
        "fixed",
        "what this library takes for what is not given, where something is",
        None,
        DEFAULT_L2,
        DEFAULT_THRESHOLD,
        hidden=None,
    ),
)


def presets() -> tuple[Preset, ...]:
    """Return all presets; `print(*chronodag.presets(), sep="\\n")` lists them."""
    return _PRESETS


def preset(name: str) -> Preset:
    """Return one preset by its name."""
    for one in _PRESETS:
        if one.name == name:
            return one
    known = ", ".join(repr(one.name) for one in _PRESETS)
    raise SettingsError(f"preset is {name!r}; expected one of {known}.")
