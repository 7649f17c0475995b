"""TCDF: causes by attention in dilated convolutions (Nauta, Bucur & Seifert, 2019).

Written from the paper. One network per target looks at all series; each input passes through a
convolution of its own, weighted by an attention that all inputs of a target share out. Inputs
with much attention are candidates; a candidate stays if shuffling it in time spoils the forecast.
The delay is where its kernels weigh most.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from chronodag.data import Panel, Scaling
from chronodag.errors import SettingsError
from chronodag.knowledge import PriorKnowledge
from chronodag.rivals.attention_network import Trained, train
from chronodag.rivals.base import Capabilities, Learned, check

FloatArray = NDArray[np.float64]
_FEW = 5
"""With so few inputs or fewer, gaps say nothing: all attention above its start counts."""


@dataclass(frozen=True)
class Tcdf:
    """TCDF on standardised series.

    Each pair of variables has one edge at most, at the delay found for it among 0..`lags`; the
    networks look back 1 + (kernel_size − 1) · Σ dilation^level rows. Strengths are the shares
    of attention.
    """

    name: ClassVar[str] = "tcdf"
    capabilities: ClassVar[Capabilities] = Capabilities(
        nonlinear=True,
        lagged=True,
        lag0=True,
        acyclic=False,
        knowledge=False,
        many_series=False,
        discrete=False,
    )
    lags: int = 1
    kernel_size: int = 4
    dilation: int = 4
    levels: int = 1
    learning_rate: float = 0.01
    epochs: int = 1000
    significance: float = 0.8
    """A candidate goes if, shuffled, it leaves more than this share of the gain of training."""
    seed: int = 0

    def fit(self, panel: Panel, knowledge: PriorKnowledge | None = None) -> Learned:
        """Train all networks at once, then choose and validate the causes."""
        check(self, panel, knowledge)
        self._check_settings()
        values = Scaling.standard(panel).apply(panel).values
        found = train(
            values,
            kernel_size=self.kernel_size,
            dilation=self.dilation,
            levels=self.levels,
            learning_rate=self.learning_rate,
            epochs=self.epochs,
            rng=np.random.default_rng(self.seed),
        )
        delays, beyond = delays_within(found.kernels, self.dilation, self.lags)
        causes = candidates(found.scores) & self._spoiling(found)
        d = panel.dimension
        sources, targets = np.indices((d, d))
        possible = (delays > 0) | (sources != targets)  # no row of its own past, no self-loop
        strengths = np.zeros((self.lags + 1, d, d))
        strengths[delays, sources, targets] = np.where(possible, found.attention, 0.0)
        adjacency = np.zeros(strengths.shape, dtype=bool)
        adjacency[delays, sources, targets] = causes & possible
        return Learned(panel.names, strengths, adjacency, message=_message(beyond, self.lags))

    def _check_settings(self) -> None:
        for name in ("kernel_size", "dilation", "levels", "epochs"):
            value = getattr(self, name)
            if type(value) is not int or value < 1:
                raise SettingsError(f"{name} is {value!r}; expected a whole number ≥ 1.")
        if not self.learning_rate > 0:
            raise SettingsError(f"learning_rate is {self.learning_rate!r}; expected a number > 0.")

    def _spoiling(self, found: Trained) -> NDArray[np.bool_]:
        """Tell which sources, shuffled, take away enough of what training had gained."""
        gain = found.first_loss - found.last_loss
        kept: NDArray[np.bool_] = found.first_loss - found.shuffled_loss <= self.significance * gain
        return kept


def _message(beyond: int, lags: int) -> str:
    if not beyond:
        return "all epochs done"
    return (
        f"all epochs done; {beyond} pairs weighed most beyond lag {lags} and were placed at "
        f"their largest weight within it"
    )


def candidates(scores: FloatArray) -> NDArray[np.bool_]:
    """Choose candidate causes by raw attention, `[source, target]`; it begins at 1 everywhere.

    With many inputs: those above the largest gap, among the gaps of the upper half and of scores
    above 1, but not the gap right below the highest score.
    """
    chosen = np.zeros(scores.shape, dtype=bool)
    for target, column in enumerate(scores.T):
        chosen[:, target] = column >= _cut(column) if len(column) > _FEW else column > 1
    return chosen & (scores > 1)


def _cut(column: FloatArray) -> float:
    falling = np.sort(column)[::-1]
    falling = falling[falling > 1]
    gaps = falling[:-1] - falling[1:]
    usable = gaps[1 : max(2, len(column) // 2)]
    if not usable.size:
        return 1.0
    return float(falling[1 + int(usable.argmax())])


def delays_within(kernels: FloatArray, dilation: int, lags: int) -> tuple[NDArray[np.intp], int]:
    """Return the delay of each `[source, target]`, at most `lags`, and how many had another.

    `kernels` is `[level, target, source, tap]`, tap k looking back k · dilation^level rows. A
    delay weighs as much as the largest product of kernel weights on a way through the levels.
    """
    weights = delay_weights(np.abs(kernels), dilation)  # [target, source, delay]
    d = len(weights)
    own = np.arange(d)
    # A series sees itself one row late, so its delays count from 1.
    weights[own, own, 1:] = weights[own, own, :-1].copy()
    weights[own, own, 0] = -1.0
    anywhere = weights.argmax(axis=-1)
    within = weights[:, :, : lags + 1].argmax(axis=-1)
    return within.T, int((anywhere != within).sum())


def delay_weights(sizes: FloatArray, dilation: int) -> FloatArray:
    """Return the largest product over the levels for every total delay; one free place after."""
    levels, d, _, taps = sizes.shape
    reach = sum((taps - 1) * dilation**level for level in range(levels))
    weights = np.zeros((d, d, reach + 2))
    weights[:, :, 0] = 1.0
    for level in range(levels):
        before, weights = weights, np.zeros_like(weights)
        for tap in range(taps):
            back = tap * dilation**level
            through = before[:, :, : reach + 2 - back] * sizes[level, :, :, tap, None]
            weights[:, :, back:] = np.maximum(weights[:, :, back:], through)
    return weights
