"""Tables of finished studies: F1 by setting and method, and whether confidences mean what they say.

`python -m benchmarks.trust.report FOLDER ...` prints Markdown.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chronodag.metrics import calibration, false_discovery
from chronodag.study import load

LABEL = "NTS-NOTEARS (defaults)"
LEVELS = (0.05, 0.1, 0.2)


@dataclass(frozen=True)
class Result:
    """One data set: confidences, the graph and the truth, `[lag, source, target]`."""

    label: str
    confidence: NDArray[np.float64]
    graph: NDArray[np.bool_]
    truth: NDArray[np.bool_]

    @property
    def possible(self) -> NDArray[np.bool_]:
        """All cells but the self-loops at lag 0."""
        cells = np.ones(self.truth.shape, dtype=bool)
        np.fill_diagonal(cells[0], False)
        return cells


def results(folder: str) -> Iterator[Result]:
    """Read the cells of the learner that chooses by itself, where lags agree with the truth."""
    for row in load(folder).to_pylist():
        if row["method_label"] != LABEL or row["status"] != "ok":
            continue
        shape = tuple(row["shape"])
        truth = np.array(row["truth_adjacency"])
        if truth.size != np.prod(shape):
            continue
        yield Result(
            row["data_label"],
            np.array(row["strengths"]).reshape(shape),
            np.array(row["adjacency"]).reshape(shape),
            truth.reshape(shape),
        )


def by_setting(folder: str) -> None:
    """Print mean F1, a row per setting and a column per method; the best of a row in bold."""
    scores: dict[str, dict[str, list[float]]] = {}
    for row in load(folder).to_pylist():
        setting = re.sub(r" d=\d+", "", row["data_label"])
        value = row["f1"] if row["status"] == "ok" else 0.0
        scores.setdefault(setting, {}).setdefault(row["method_label"], []).append(value)
    methods = sorted({name for found in scores.values() for name in found}, key=_own_first)
    print(f"\n{folder}: mean window F1 (a cell that failed counts as 0)\n")
    print("| setting | sets | " + " | ".join(methods) + " |")
    print("|---" * (len(methods) + 2) + "|")
    for setting, found in sorted(scores.items()):
        means = [float(np.mean(found.get(name, [np.nan]))) for name in methods]
        shown = [f"**{one:.3f}**" if one == np.nanmax(means) else f"{one:.3f}" for one in means]
        print(f"| {setting} | {max(map(len, found.values()))} | " + " | ".join(shown) + " |")


def _own_first(name: str) -> tuple[bool, str]:
    return (not name.startswith(LABEL), name)


def main(folders: list[str]) -> None:
    """Print the tables as Markdown."""
    for folder in folders:
        by_setting(folder)
        found = list(results(folder))
        if not found:
            continue
        chances = np.concatenate([one.confidence[one.possible] for one in found])
        true = np.concatenate([one.truth[one.possible] for one in found])
        measured = calibration(chances, true)
        print(f"\n{folder}: {len(found)} data sets, {len(true)} cells, ", end="")
        print(f"expected calibration error {measured.expected_calibration_error:.4f}\n")
        print("| confidence | cells | mean confidence | share true |\n|---|---|---|---|")
        for k, count in enumerate(measured.counts):
            low, high = measured.edges[k : k + 2]
            row = f"| {low:.1f} to {high:.1f} | {count} | {measured.mean_confidence[k]:.3f} "
            print(row + f"| {measured.share_true[k]:.3f} |")
        print("\n| rate asked for | rate found, all sets together | mean over sets | recall |")
        print("|---|---|---|---|")
        for level in LEVELS:
            _false_discoveries(found, level)
        gaps = [_best(one) - _f1(one.graph, one.truth) for one in found]
        print(f"\nF1 at the chosen cut is {np.mean(gaps):.3f} below that at the best cut per set.")


def _false_discoveries(found: list[Result], level: float) -> None:
    each = [
        false_discovery(one.confidence[one.possible], one.truth[one.possible], level)
        for one in found
    ]
    taken = np.array([one.discoveries for one in each])
    wrong = np.array([one.actual for one in each])
    pooled = (taken * wrong).sum() / max(1, taken.sum())
    recall = np.nanmean([one.recall for one in each])
    print(f"| {level:g} | {pooled:.3f} | {wrong.mean():.3f} | {recall:.3f} |")


def _f1(graph: NDArray[np.bool_], truth: NDArray[np.bool_]) -> float:
    return float(2 * (graph & truth).sum() / max(1, graph.sum() + truth.sum()))


def _best(one: Result) -> float:
    cuts = np.unique(one.confidence[one.confidence > 0])
    return max((_f1(one.confidence >= cut, one.truth) for cut in cuts), default=0.0)


if __name__ == "__main__":
    main(sys.argv[1:])
