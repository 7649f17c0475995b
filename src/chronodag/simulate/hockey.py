"""Event logs in the shape of the ice-hockey data of Sun et al. (2023, appendix), with known truth.

A game is a row of plays. Each play has the paper's 12 variables, with their types and ranges; what
drives what is made up here, after the drivers of a goal that the paper reports.

**Restarts.** After a goal play starts anew with a faceoff at the centre, so that what follows does
not answer what came before. A series is therefore one stretch of play: from a faceoff to the next
goal, or to the end of the game. A game is as many series as it has goals, and one more. So no play
ever follows a goal within a series, nothing leaves goal(t) or goal(t-1), and the rule
`HOCKEY_KNOWLEDGE` is true of the data. The score goes over to the next series of the game.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from chronodag.graph import TemporalGraph
from chronodag.simulate.common import FloatArray, Randomness, as_generator, check_count
from chronodag.simulate.plays import GAME_SECONDS, NAMES, next_plays, open_games

if TYPE_CHECKING:
    from chronodag.data import Panel

HOCKEY_KNOWLEDGE = "goal@0,1 -> *"
"""What is known of these data, as the text of a rule: `PriorKnowledge().forbid(...)` takes it."""

HOCKEY_CAUSES = (
    ("time_remaining", 1, ("time_remaining", "duration")),
    ("x", 1, ("x", "x_velocity", "duration")),
    ("y", 1, ("y", "y_velocity", "duration")),
    ("score_differential", 1, ("score_differential",)),
    ("manpower", 1, ("manpower",)),
    ("x_velocity", 1, ("x_velocity", "x")),
    ("x_velocity", 0, ("manpower", "home_possession")),
    ("y_velocity", 1, ("y_velocity", "y")),
    ("duration", 1, ("shot",)),
    ("angle", 0, ("x", "y")),
    ("home_possession", 1, ("home_possession", "shot")),
    ("shot", 0, ("x", "angle", "manpower")),
    ("goal", 1, ("shot", "x", "duration", "x_velocity")),
    ("goal", 0, ("manpower",)),
)
"""The truth: rows of effect, lag and the causes at that lag."""


@dataclass(frozen=True, eq=False)
class Hockey:
    """Simulated games, cut into stretches of play.

    Attributes:
        series: One read-only array (plays, 12) per stretch, 2 plays at least.
        games: For each series the number of its game, from 0; the series stand in order of time.
        graph: The true graph, K = 1.
    """

    series: tuple[FloatArray, ...]
    games: tuple[int, ...]
    graph: TemporalGraph

    @property
    def names(self) -> tuple[str, ...]:
        """The 12 variables, in the order of the columns."""
        return self.graph.names

    @property
    def panel(self) -> Panel:
        """All series as a panel, "game 1, stretch 1" and so on."""
        # Not at the top: the simulators are also used where no library of tables is installed.
        from chronodag.data import Panel

        seen: dict[int, int] = {}
        keys = []
        for game in self.games:
            seen[game] = seen.get(game, 0) + 1
            keys.append(f"game {game + 1}, stretch {seen[game]}")
        return Panel.from_any(dict(zip(keys, self.series, strict=True)), names=self.names)


def hockey(games: int = 10, *, rng: Randomness) -> Hockey:
    """Simulate ice-hockey games of about 900 plays and a few goals each.

    Continuous: time_remaining in [0, 3600], x in [-100, 100] and y in [-42.5, 42.5] (the puck, the
    net attacked at x = 89), x_velocity, y_velocity, duration ≥ 0, angle in [-π, π]. Whole numbers:
    score_differential (home less away) and manpower (-1 short handed, 0 even, 1 power play).
    Binary: home_possession, shot, goal. A goal needs a shot one play before; how likely that shot
    goes in depends on where it was, how long it took, how fast the puck came, and the manpower.

    Args:
        games: Number of games; all are simulated side by side.
        rng: Generator or seed.
    """
    count, generator = check_count("games", games, 1), as_generator(rng)
    state, score = open_games(count, np.zeros(count), np.full(count, GAME_SECONDS), generator)
    rows, running = [state], np.ones(count, dtype=np.bool_)
    starts, played = [running.copy()], [running.copy()]
    while running.any():
        after_goal = state[:, NAMES.index("goal")] == 1
        fresh, score = open_games(*_after_goals(state, score, after_goal), generator)
        moved = next_plays(state, generator)
        state = np.where(after_goal[:, None], fresh, moved)
        running &= state[:, NAMES.index("time_remaining")] >= 0
        rows.append(state)
        starts.append(after_goal)
        played.append(running.copy())
    table = np.stack(rows, axis=1), np.stack(starts, axis=1), np.stack(played, axis=1)
    series, owners = _cut(*table)
    return Hockey(series, owners, hockey_graph())


def hockey_graph() -> TemporalGraph:
    """Return the true graph of `hockey`."""
    adjacency = np.zeros((2, len(NAMES), len(NAMES)), dtype=np.bool_)
    for effect, lag, causes in HOCKEY_CAUSES:
        for cause in causes:
            adjacency[lag, NAMES.index(cause), NAMES.index(effect)] = True
    return TemporalGraph.from_adjacency(adjacency, NAMES)


def _after_goals(
    state: FloatArray, score: FloatArray, goal: NDArray[np.bool_]
) -> tuple[int, FloatArray, FloatArray]:
    """Return what a faceoff after these plays needs: games, the score then and the time left."""
    for_home = np.where(state[:, NAMES.index("home_possession")] == 1, 1.0, -1.0)
    left = state[:, NAMES.index("time_remaining")] - state[:, NAMES.index("duration")]
    return len(state), score + goal * for_home, left


def _cut(
    table: FloatArray, starts: NDArray[np.bool_], played: NDArray[np.bool_]
) -> tuple[tuple[FloatArray, ...], tuple[int, ...]]:
    """Cut (games, plays, 12) at the faceoffs; a last stretch of one play alone is left out."""
    series: list[FloatArray] = []
    owners: list[int] = []
    for game, plays in enumerate(table):
        whole = plays[played[game]]
        cuts = np.flatnonzero(starts[game][: len(whole)])[1:]
        for stretch in np.split(whole, cuts):
            if len(stretch) > 1:
                frozen = stretch.copy()
                frozen.setflags(write=False)
                series.append(frozen)
                owners.append(game)
    return tuple(series), tuple(owners)
