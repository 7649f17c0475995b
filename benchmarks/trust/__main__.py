"""`python -m benchmarks.trust`: weigh the cases, fit the curves, print them and how they do."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from benchmarks.trust.calibrate import Curve, Sample, cross_validate, directions, edges, fit
from benchmarks.trust.cases import noise_free, noisy
from benchmarks.trust.collect import collect

_CACHE = Path(".cache/trust")


def main() -> None:
    """Run all steps; what has been weighed is kept in .cache/trust."""
    quiet = collect(noise_free(), _CACHE / "noise-free")
    loud = collect(noisy(), _CACHE / "noisy")
    with_noise = [one for one in loud if not one.evidence.regime.noise_free]
    without = [one for one in quiet if one.evidence.regime.noise_free]
    print(f"taken for free of noise: {len(without)} of {len(quiet)} that are, ", end="")
    print(f"{len(loud) - len(with_noise)} of {len(loud)} that are not")
    noisy_samples, free_samples = (
        [edges(one) for one in with_noise],
        [edges(one) for one in without],
    )
    _tell("noisy", noisy_samples)
    _tell("noise-free", free_samples)
    curve = fit(noisy_samples)
    _print("NOISY", curve)
    _print("NOISE_FREE", fit(free_samples))
    _print("DIRECTION", fit([directions(one, curve) for one in with_noise]))


def _tell(name: str, samples: list[Sample]) -> None:
    chosen, best, error = cross_validate(samples)
    print(f"{name}: {len(samples)} cases, cross-validated calibration error {error:.4f}")
    groups: dict[str, list[int]] = {}
    for i, sample in enumerate(samples):
        groups.setdefault(_group(sample.name), []).append(i)
    for group, members in sorted(groups.items()):
        print(f"  {group}: F1 {chosen[members].mean():.3f}, best cut {best[members].mean():.3f}")
    print(f"  all: F1 {chosen.mean():.3f}, best cut {best.mean():.3f}")


def _group(name: str) -> str:
    """Put the sizes and graphs of the grid together, and what was drawn at random."""
    if name.startswith(("varied", "maps", "sparse")):
        return name.split("-")[0]
    return re.sub(r"-(ER|BA)-\d+", "", name)


def _print(name: str, curve: Curve) -> None:
    print(f"{name} = ({', '.join(f'{weight:.5g}' for weight in np.round(curve.weights, 5))})")
    print(f"{name}_INTERCEPT = {curve.intercept:.5g}")


if __name__ == "__main__":
    main()
