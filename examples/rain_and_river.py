"""Learn from a table twice: knowing nothing, and knowing that nothing in it makes rain."""

import numpy as np
import pandas as pd

import chronodag as cd


def weather(rows: int, seed: int) -> pd.DataFrame:
    """Rain fills a river one row later, the river a lake at once; the lake keeps part of it."""
    rng = np.random.default_rng(seed)
    rain, river, lake = rng.normal(size=(3, rows)) * [[1.0], [0.5], [0.5]]
    for t in range(1, rows):
        river[t] += 2 * np.tanh(rain[t - 1])
        lake[t] += np.tanh(river[t]) + 0.7 * lake[t - 1]
    return pd.DataFrame({"rain": rain, "river": river, "lake": lake})


def main() -> None:
    table = weather(rows=300, seed=2)

    learner = cd.NTSNotears(lags=2, random_state=0).fit(table)
    print("Knowing nothing:")
    print(learner.graph_.summary())

    known = cd.PriorKnowledge().exogenous("rain")
    learner = cd.NTSNotears(lags=2, knowledge=known, random_state=0).fit(table)
    print("\nKnowing that nothing in the table drives rain:")
    print(learner.graph_.summary())

    cd.view.save(cd.view.time_series_graph(learner.graph_), "rain_and_river.png")
    print("\nDrawn: rain_and_river.png")


if __name__ == "__main__":
    main()
