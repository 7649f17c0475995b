"""One play of ice hockey after another, for many games at once: the equations behind `hockey`.

Positions are in feet, times in seconds, velocities in feet per second.
"""

import numpy as np
from numpy.typing import NDArray

from chronodag.simulate.common import FloatArray

NAMES = (
    "time_remaining",
    "x",
    "y",
    "score_differential",
    "manpower",
    "x_velocity",
    "y_velocity",
    "duration",
    "angle",
    "home_possession",
    "shot",
    "goal",
)
"""The paper's 12 variables, in the order of its table."""

GAME_SECONDS = 3600.0
HALF_LENGTH, HALF_WIDTH, NET = 100.0, 42.5, 89.0
_MEAN_DURATION = 4.0


def open_games(
    games: int, score: FloatArray, time_remaining: FloatArray, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Return a faceoff at the centre for each game, (games, 12), and the score."""
    play = dict.fromkeys(NAMES, np.zeros(games))
    play["time_remaining"] = time_remaining
    play["score_differential"] = score
    play["x_velocity"] = rng.normal(0.0, 12.0, games)
    play["y_velocity"] = rng.normal(0.0, 6.0, games)
    play["duration"] = rng.gamma(2.0, _MEAN_DURATION / 2.0, games)
    play["home_possession"] = _coin(0.5, games, rng)
    return np.column_stack([play[name] for name in NAMES]), score


def next_plays(before: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Return the play after `before`, (games, 12), of each game; `HOCKEY_CAUSES` lists who drives.

    Time left may come out below 0: then the game was over before the play.
    """
    games = len(before)
    was = dict(zip(NAMES, before.T, strict=True))
    now = {"score_differential": was["score_differential"]}
    now["time_remaining"] = was["time_remaining"] - was["duration"]
    moves = np.minimum(was["duration"], _MEAN_DURATION)  # the puck seldom runs free for longer
    now["x"] = _bounced(
        was["x"] + was["x_velocity"] * moves + rng.normal(0.0, 4.0, games), HALF_LENGTH
    )
    now["y"] = _bounced(
        was["y"] + was["y_velocity"] * moves + rng.normal(0.0, 3.0, games), HALF_WIDTH
    )
    now["angle"] = np.arctan2(now["y"], NET - now["x"])
    now["duration"] = rng.gamma(2.0, _MEAN_DURATION / 2.0, games) * np.where(was["shot"], 0.4, 1.0)
    now["manpower"] = _manpower(was["manpower"], rng)
    keeps = np.where(was["shot"], 0.4, 0.8)  # a shot often gives the puck away
    chance = np.where(was["home_possession"] == 1, keeps, 1.0 - keeps)
    now["home_possession"] = _coin(chance, games, rng)
    now |= _velocities(was, now, rng)
    now["shot"] = _coin(_shot_chance(now["x"], now["angle"], now["manpower"]), games, rng)
    now["goal"] = _coin(goal_chance(was, now["manpower"]), games, rng)
    return np.column_stack([now[name] for name in NAMES])


def goal_chance(was: dict[str, FloatArray], manpower: FloatArray) -> FloatArray:
    """Return the chance that the play before was a shot that now proves to be a goal."""
    logit = (
        -3.2
        + (was["x"] - 50.0) / 25.0
        + was["x_velocity"] / 15.0
        - 0.35 * (was["duration"] - _MEAN_DURATION)
        + 0.9 * manpower
    )
    return np.where(was["shot"] == 1, _sigmoid(logit), 0.0)


def _shot_chance(x: FloatArray, angle: FloatArray, manpower: FloatArray) -> FloatArray:
    return _sigmoid(-5.0 + x / 20.0 - 0.8 * np.abs(angle) + 0.6 * manpower)


def _velocities(
    was: dict[str, FloatArray], now: dict[str, FloatArray], rng: np.random.Generator
) -> dict[str, FloatArray]:
    """Return both velocities: they last a little, and the far ends of the rink turn them round."""
    games = len(was["x"])
    along = 0.3 * was["x_velocity"] - 0.15 * was["x"]
    along += 4.0 * now["manpower"] + 3.0 * (2.0 * now["home_possession"] - 1.0)
    across = 0.3 * was["y_velocity"] - 0.2 * was["y"]
    return {
        "x_velocity": along + rng.laplace(0.0, 8.0, games),
        "y_velocity": across + rng.laplace(0.0, 5.0, games),
    }


def _manpower(was: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Penalties begin in 1 of 40 even plays, either way, and last for 20 plays in the mean."""
    games = len(was)
    draw, sign = rng.random(games), np.where(rng.random(games) < 0.5, -1.0, 1.0)
    return np.where(was == 0, np.where(draw < 0.025, sign, 0.0), np.where(draw < 0.05, 0.0, was))


def _bounced(position: FloatArray, limit: float) -> FloatArray:
    """Reflect a position at the boards, at -limit and limit, as often as it takes."""
    along = np.mod(position + limit, 4.0 * limit)
    return np.minimum(along, 4.0 * limit - along) - limit


def _coin(chance: float | FloatArray, games: int, rng: np.random.Generator) -> FloatArray:
    heads: NDArray[np.bool_] = rng.random(games) < chance
    return heads.astype(np.float64)


def _sigmoid(logit: FloatArray) -> FloatArray:
    return 1.0 / (1.0 + np.exp(-logit))
