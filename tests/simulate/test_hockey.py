"""Ice hockey: types, ranges, restarts, and a truth that interventions on the equations bear out."""

from itertools import pairwise

import numpy as np
import pytest

from chronodag.errors import SettingsError
from chronodag.knowledge import PriorKnowledge
from chronodag.simulate import HOCKEY_KNOWLEDGE, hockey
from chronodag.simulate.plays import NAMES, next_plays, open_games

RANGES = {
    "time_remaining": (0, 3600),
    "x": (-100, 100),
    "y": (-42.5, 42.5),
    "score_differential": (-np.inf, np.inf),
    "manpower": (-1, 1),
    "x_velocity": (-np.inf, np.inf),
    "y_velocity": (-np.inf, np.inf),
    "duration": (0, np.inf),
    "angle": (-np.pi, np.pi),
    "home_possession": (0, 1),
    "shot": (0, 1),
    "goal": (0, 1),
}
WHOLE = ("score_differential", "manpower", "home_possession", "shot", "goal")


@pytest.fixture(scope="module")
def made():
    return hockey(6, rng=0)


def column(series, name):
    return series[:, NAMES.index(name)]


def test_the_twelve_variables_have_their_types_and_ranges(made):
    assert made.names == NAMES == tuple(RANGES)
    values = np.concatenate(made.series)
    for name, (low, high) in RANGES.items():
        found = column(values, name)
        assert ((found >= low) & (found <= high)).all(), name
        assert (np.unique(found).size < 20) == (name in WHOLE), name
        if name in WHOLE:
            np.testing.assert_array_equal(found, np.round(found))
    assert set(np.unique(column(values, "manpower"))) == {-1.0, 0.0, 1.0}


def test_a_stretch_runs_from_a_faceoff_to_a_goal(made):
    last_of_game = [*np.flatnonzero(np.diff(made.games)), len(made.games) - 1]
    for place, series in enumerate(made.series):
        assert len(series) > 1
        assert not series.flags.writeable
        for name in ("x", "y", "shot", "goal", "angle"):
            assert column(series, name)[0] == 0
        goals = column(series, "goal")
        assert goals[:-1].sum() == 0, "no play follows a goal"
        assert goals[-1] == 1 or place in last_of_game
        assert np.unique(column(series, "score_differential")).size == 1
        hits = np.flatnonzero(goals)
        assert (column(series, "shot")[hits - 1] == 1).all()


def test_games_are_whole_and_the_score_goes_on(made):
    assert sorted(set(made.games)) == list(range(6))
    for game in range(6):
        stretches = [s for s, owner in zip(made.series, made.games, strict=True) if owner == game]
        assert column(stretches[0], "time_remaining")[0] == 3600
        clock = np.concatenate([column(s, "time_remaining") for s in stretches])
        assert (np.diff(clock) < 0).all()
        assert clock[-1] < 60
        assert 500 < len(clock) < 1500
        for before, after in pairwise(stretches):
            score = [column(stretch, "score_differential")[0] for stretch in (before, after)]
            home = column(before, "home_possession")[-1]
            assert score[1] - score[0] == (1 if home else -1)


def test_goals_and_shots_are_as_rare_as_in_hockey():
    made = hockey(40, rng=1)
    values = np.concatenate(made.series)
    goals = column(values, "goal").sum() / 40
    assert 3 < goals < 9
    assert 20 < column(values, "shot").sum() / 40 < 70


def test_the_panel_holds_every_series(made):
    panel = made.panel
    assert panel.names == NAMES
    assert len(panel.series) == len(made.series)
    assert panel.keys[:2] == ("game 1, stretch 1", "game 1, stretch 2")
    np.testing.assert_array_equal(panel.series[-1], made.series[-1])


def test_the_rule_is_true_of_the_truth(made):
    bounds = PriorKnowledge().forbid(HOCKEY_KNOWLEDGE).compile(NAMES, 1, 0.0)
    assert not made.graph.adjacency[:, NAMES.index("goal")].any()
    assert (bounds.upper[made.graph.adjacency] > 0).all()
    parents = {str(edge).split(" ->")[0] for edge in made.graph.parents("goal")}
    assert parents == {
        *("shot(t-1)", "x(t-1)", "duration(t-1)", "x_velocity(t-1)"),
        "manpower(t)",
    }


BASE = {"time_remaining": 1800, "x": 60, "y": 5, "x_velocity": 10, "y_velocity": 3}
BASE |= {"duration": 3, "shot": 1}
NUDGES = {"x": 15, "x_velocity": 15, "duration": 2, "shot": -1, "y": 10, "y_velocity": 9}
NUDGES |= {"manpower": 1, "home_possession": 1, "score_differential": 2, "time_remaining": -300}


@pytest.mark.parametrize("source", [*NUDGES, "angle", "goal"])
def test_a_nudge_one_play_earlier_moves_all_true_effects_and_nothing_else(made, source):
    """The same luck in both worlds: what differs answers the nudge, through lag-0 edges too."""
    place = NAMES.index(source)
    before = np.array([BASE.get(name, 0.0) for name in NAMES])
    nudged = before.copy()
    nudged[place] += NUDGES.get(source, 1)
    rows = (np.tile(play, (20_000, 1)) for play in (before, nudged))
    one, other = (next_plays(play, np.random.default_rng(4)) for play in rows)
    differs = (one != other).any(axis=0)
    reached = made.graph.adjacency[1, place]
    for _ in range(len(NAMES)):  # what a lag-1 effect drives at lag 0
        reached = reached | made.graph.adjacency[0][reached].any(axis=0)
    np.testing.assert_array_equal(differs, reached)


def test_a_faceoff_carries_the_score_and_the_clock():
    score, left = np.array([1.0, -2.0]), np.array([30.0, 9.0])
    play, score = open_games(2, score, left, np.random.default_rng(0))
    np.testing.assert_array_equal(column(play, "score_differential"), score)
    np.testing.assert_array_equal(column(play, "time_remaining"), [30.0, 9.0])


def test_same_seed_same_bytes():
    one, other = hockey(2, rng=5), hockey(2, rng=np.random.default_rng(5))
    assert one.games == other.games
    assert [s.tobytes() for s in one.series] == [s.tobytes() for s in other.series]
    assert hockey(2, rng=6).series[0].tobytes() != one.series[0].tobytes()


def test_bad_settings_are_refused():
    with pytest.raises(SettingsError, match="games is 0; expected a whole number of 1 or more"):
        hockey(0, rng=0)
    with pytest.raises(SettingsError, match="rng is None"):
        hockey(1, rng=None)
