"""From bounds on an edge's strength to bounds on its kernel weights (the paper's b̄)."""

import operator

import numpy as np

from chronodag.errors import SettingsError
from chronodag.knowledge.bounds import EdgeBounds, FloatArray

TRANSLATIONS = ("symmetric", "paper")


def kernel_bounds(
    bounds: EdgeBounds, kernels: int, translation: str = "symmetric"
) -> tuple[FloatArray, FloatArray]:
    """Return lower and upper bounds for each of the ``kernels`` (m) weights of every edge.

    A strength is the norm of m weights φ, so the paper scales each bound to b̄ = sqrt(b²/m). With
    a lower bound, l/√m <= φ <= u/√m pins the weights to be positive. With an upper bound alone,
    ``"symmetric"`` uses -u/√m <= φ <= u/√m, which keeps the norm within u and leaves the sign
    free; ``"paper"`` uses 0 <= φ <= u/√m. Where nothing is stated, weights are unbounded.

    The bounds lie a hair (about 1e-12, relatively) inside the exact ones, so that the norm as
    computed in float64 respects l and u themselves; where l and u are closer than that, both
    sides become the middle of the two.

    The arrays are ``[lag, source, target]``, to be broadcast over the kernels.
    """
    slack = _slack(_checked(kernels, translation))
    lower = bounds.lower / np.sqrt(kernels) * (1 + slack)
    upper = bounds.upper / np.sqrt(kernels) * (1 - slack)
    crossed = lower > upper
    middle = (bounds.lower[crossed] + bounds.upper[crossed]) / 2 / np.sqrt(kernels)
    lower[crossed] = upper[crossed] = middle
    unsigned = ~bounds.required & ~bounds.forbidden
    if translation == "paper":
        unsigned &= ~bounds.stated
    lower[unsigned] = -upper[unsigned]
    return lower, upper


def _slack(kernels: int) -> float:
    """Outgrow the rounding of the scaling and of a sum of m squares, added in any order."""
    return 1e-12 + kernels * float(np.finfo(np.float64).eps)


def _checked(kernels: int, translation: str) -> int:
    if translation not in TRANSLATIONS:
        raise SettingsError(
            f"translation={translation!r} is unknown; choose one of {', '.join(TRANSLATIONS)}."
        )
    try:
        count = 0 if isinstance(kernels, bool) else operator.index(kernels)
    except TypeError:
        count = 0
    if count < 1:
        raise SettingsError(f"kernels={kernels!r}; expected a whole number of kernels, 1 or more.")
    return count
