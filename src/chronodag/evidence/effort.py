"""How much work goes into weighing the evidence."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Effort:
    """Sizes and limits, none of them a time: the same data give the same answer on any machine.

    docs/results/trust.md has what each effort gains.
    """

    windows: int  # weighed at most
    first_block: int  # windows per Gaussian process while all targets are solved together
    search_block: int  # … while orders are compared
    last_block: int  # … for the evidence of the edges
    sweeps: int  # rounds of turning edges
    fits: int | None  # models per variable that the search for a better order may fit
    inputs: int = 120  # per target, before screening sets in


EFFORTS = {
    "low": Effort(500, 250, 250, 500, 0, None),
    "normal": Effort(1000, 250, 500, 1000, 6, 14),
    "high": Effort(2000, 500, 1000, 2000, 20, None),
}
