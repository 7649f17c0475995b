"""Random temporal graphs: a random DAG at lag 0, coin flips at the lags.

The schemes and their parameters are those of the simulators of NOTEARS (Zheng et al., 2018 and
2020) and of its extension to time by Sun et al. (2023).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from chronodag.errors import SettingsError
from chronodag.simulate.common import (
    Randomness,
    as_generator,
    check_choice,
    check_count,
    check_number,
)

SCHEMES = ("ER", "BA", "bipartite")

RELEASED_LAGGED_DEGREES = (2.0, 1.0)
"""Mean out-degree at lag 1 and lag 2 where the released generator is left at its defaults."""


def random_graph(
    d: int,
    lags: int,
    rng: Randomness,
    *,
    scheme: str = "ER",
    degree: float = 2.0,
    lagged_degree: float | Sequence[float] = 1.0,
    lagged_per: str = "lag",
) -> NDArray[np.bool_]:
    """Draw the adjacency of a random temporal graph, acyclic at lag 0.

    Args:
        d: Number of variables.
        lags: K, the largest lag.
        rng: Generator or seed.
        scheme: "ER" spreads `round(degree * d)` lag-0 edges evenly over all pairs, along a random
            order of the variables. There are only d(d-1)/2 pairs, so at most that many edges: with
            `degree=2` and `d=5` every pair is joined. "BA" adds the variables one by one, each
            with edges to `round(degree)` earlier ones, favouring those that already have many
            causes; the variables are then shuffled. "bipartite" lets a random fifth of the
            variables (rounded down) cause the others: `round(degree * d)` edges, or as many as
            there are pairs of one of each kind.
        degree: Mean out-degree at lag 0 (the paper's first number).
        lagged_degree: Mean out-degree over the lags (the paper's second number). Every (source,
            target) at every lag is an independent coin flip; a variable may drive itself. One
            number for all lags, or one per lag, lag 1 first (`RELEASED_LAGGED_DEGREES` with
            `lags=2` is what the released generator does by default).
        lagged_per: "lag" counts `lagged_degree` at each lag anew; "total" shares it among them.

    Returns:
        bool array [lag, source, target], lag 0 first, shape (lags + 1, d, d).
    """
    generator = as_generator(rng)
    d, lags = check_count("d", d, 1), check_count("lags", lags, 0)
    degree = check_number("degree", degree)
    check_choice("scheme", scheme, SCHEMES)
    chances = _lagged_chances(d, lags, lagged_degree, lagged_per)
    draw_lag_0 = _DRAWS[scheme]
    adjacency = np.zeros((lags + 1, d, d), dtype=np.bool_)
    order = generator.permutation(d)
    adjacency[0][np.ix_(order, order)] = draw_lag_0(d, degree, generator)
    adjacency[1:] = generator.random((lags, d, d)) < chances[:, None, None]
    return adjacency


def _lagged_chances(
    d: int, lags: int, lagged_degree: float | Sequence[float], lagged_per: str
) -> NDArray[np.float64]:
    """Return for each lag the chance of one edge that gives the asked mean out-degree."""
    check_choice("lagged_per", lagged_per, ("lag", "total"))
    if isinstance(lagged_degree, Sequence | np.ndarray):
        if len(lagged_degree) != lags or lagged_per == "total":
            raise SettingsError(
                f"lagged_degree is {lagged_degree!r} with lags={lags} and "
                f"lagged_per={lagged_per!r}; expected one number per lag, lag 1 first, with "
                "lagged_per='lag'. Pass as many numbers as there are lags, or a single one."
            )
        return np.array([_chance(d, one) for one in lagged_degree])
    share = max(lags, 1) if lagged_per == "total" else 1
    return np.full(lags, _chance(d * share, lagged_degree))


def _chance(places: int, lagged_degree: float) -> float:
    lagged_degree = check_number("lagged_degree", lagged_degree)
    if lagged_degree > places:
        raise SettingsError(
            f"lagged_degree is {lagged_degree:g}, but a variable has only {places} lagged places "
            "to point at (d at each lag). Lower lagged_degree."
        )
    return lagged_degree / places


def _erdos_renyi(d: int, degree: float, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Join a fixed number of pairs, all sets of pairs equally likely; earlier causes later."""
    sources, targets = np.triu_indices(d, k=1)
    edges = min(round(degree * d), sources.size)
    chosen = rng.choice(sources.size, size=edges, replace=False)
    adjacency = np.zeros((d, d), dtype=np.bool_)
    adjacency[sources[chosen], targets[chosen]] = True
    return adjacency


def _barabasi_albert(d: int, degree: float, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Grow the graph: a new variable causes earlier ones, chosen in proportion to in-degree + 1."""
    adjacency = np.zeros((d, d), dtype=np.bool_)
    for new in range(1, d):
        attraction = 1.0 + adjacency[:, :new].sum(axis=0)
        count = min(new, round(degree))
        chosen = rng.choice(new, size=count, replace=False, p=attraction / attraction.sum())
        adjacency[new, chosen] = True
    return adjacency


def _bipartite(d: int, degree: float, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Let the first fifth cause the rest: a fixed number of edges, all sets equally likely."""
    causes = d // 5
    places = causes * (d - causes)
    edges = min(round(degree * d), places)
    sources, targets = np.divmod(rng.choice(places, size=edges, replace=False), d - causes)
    adjacency = np.zeros((d, d), dtype=np.bool_)
    adjacency[sources, causes + targets] = True
    return adjacency


_DRAWS = {"ER": _erdos_renyi, "BA": _barabasi_albert, "bipartite": _bipartite}
