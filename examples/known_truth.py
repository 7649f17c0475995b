"""Simulate a process whose graph is known, learn it, and compare the two."""

import numpy as np

import chronodag as cd


def main() -> None:
    rng = np.random.default_rng(0)
    process = cd.simulate.random_process(
        3, lags=2, rng=rng, mechanism="ANM", degree=0.7, lagged_degree=0.5
    )
    data = process.sample(300, rng)

    learner = cd.NTSNotears(lags=2, random_state=0).fit(data)
    print("True edges:   ", *process.graph.edges(), sep="\n  ")
    print("Learned edges:", *learner.graph_.edges(), sep="\n  ")
    print()
    print(cd.metrics.compare(process.graph, learner.graph_).table())


if __name__ == "__main__":
    main()
