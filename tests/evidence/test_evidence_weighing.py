"""From a panel to the evidence: orders, rules, regimes, and what is told of cuts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronodag.data import Panel, Scaling
from chronodag.evidence import EFFORTS, Effort, belief, estimate_seconds, weigh
from chronodag.evidence.experts import Experts
from chronodag.evidence.joint import in_order
from chronodag.evidence.regime import Regime, own_past
from chronodag.evidence.screening import screened
from chronodag.knowledge import EdgeBounds, PriorKnowledge
from chronodag.simulate import lorenz96

QUICK = Effort(200, 200, 200, 200, 3, None)


def scaled(rows):
    panel = Panel.from_any(rows)
    return Scaling.standard(panel).apply(panel)


def weighed(rows, lags=1, knowledge=None, effort=QUICK, **options):
    panel = scaled(rows)
    bounds = (knowledge or PriorKnowledge()).compile(panel.names, lags, 0.3)
    return weigh(panel, bounds, effort, **options)


@pytest.fixture(scope="module")
def curved():
    """X1(t) -> X2(t) -> X3(t), X1(t-1) -> X1(t); bent, so that directions show."""
    rng = np.random.default_rng(5)
    noise = rng.standard_normal((260, 3))
    rows = noise.copy()
    for t in range(1, len(rows)):
        rows[t, 0] = 0.8 * np.tanh(2 * rows[t - 1, 0]) + 0.7 * noise[t, 0]
        rows[t, 1] = 2 * np.sin(1.5 * rows[t, 0]) + 0.4 * noise[t, 1]
        rows[t, 2] = rows[t, 1] ** 2 + 0.4 * noise[t, 2]
    return rows


@pytest.fixture(scope="module")
def found(curved):
    return weighed(curved)


def test_true_edges_weigh_most(found):
    true = np.zeros((2, 3, 3), dtype=bool)
    true[0, 0, 1] = true[0, 1, 2] = true[1, 0, 0] = True
    assert found.nats[true].min() > 10
    assert found.nats[~true].max() < 5
    assert (found.nats >= 0).all()
    assert found.order == (0, 1, 2)
    assert found.turning[0, 1] > 5
    assert (found.noise < 0.6).all()


def test_what_is_possible_follows_the_order(found):
    assert found.possible[0].astype(int).tolist() == [[0, 1, 1], [0, 0, 1], [0, 0, 0]]
    assert found.possible[1].all()
    assert found.up_to(0).nats.shape == (1, 3, 3)
    assert not found.regime.noise_free


def test_rules_are_kept(curved):
    known = PriorKnowledge().forbid("X1@0 -> X2").require("X3@0 -> X2")
    evidence = weighed(curved, knowledge=known)
    assert evidence.nats[0, 0, 1] == 0
    place = np.argsort(evidence.order)
    assert place[2] < place[1]
    assert not evidence.possible[0, 0, 1]
    assert evidence.possible[0, 2, 1]


def test_a_wish_to_stop_is_heard(curved):
    evidence = weighed(curved, callback=lambda progress: progress.evaluations >= 3)
    assert evidence.interrupted
    assert evidence.nats.shape == (2, 3, 3)


def test_series_without_noise_leave_lag_0_out_unless_told():
    rows = lorenz96(5, 200, rng=1).data
    evidence = weighed(rows)
    assert evidence.regime.noise_free
    assert not evidence.possible[0].any()
    assert any("lag 0 was left out" in note for note in evidence.notes)
    kept = weighed(rows, keep_lag_0=True)
    assert kept.regime.noise_free
    assert kept.possible[0].any()


def test_own_past_is_a_straight_line_fit():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((400, 2))
    for t in range(1, 400):
        rows[t, 0] += 0.9 * rows[t - 1, 0]
    panel = scaled(rows)
    from chronodag.data import lagged_view

    left = own_past(Experts.of(lagged_view(panel, 1), 100, 400))
    assert left[0] == pytest.approx(0.19, abs=0.05)
    assert left[1] == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize(
    ("regime", "noise_free"),
    [
        (Regime(0.05, 0.01, 0.1), True),
        (Regime(0.9, np.nan, 0.2), False),
        (Regime(0.3, 0.2, 0.2), False),
        (Regime(0.02, 0.01, 0.95), False),  # slow, but its noise is its own
    ],
)
def test_what_counts_as_free_of_noise(regime, noise_free):
    assert regime.noise_free is noise_free


def test_without_lags_there_is_no_past_to_compare():
    rng = np.random.default_rng(0)
    evidence = weighed(rng.standard_normal((80, 2)), lags=0)
    assert np.isinf(evidence.regime.past)
    assert not evidence.regime.noise_free
    assert evidence.nats.shape == (1, 2, 2)


def test_long_series_are_thinned_and_the_note_says_so():
    rng = np.random.default_rng(0)
    evidence = weighed(rng.standard_normal((900, 2)))
    assert evidence.windows == 200
    assert "200 of 899 windows, evenly spread, were weighed" in evidence.notes


def test_screening_keeps_the_closest_and_the_required():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((300, 6))
    rows[1:, 5] += 3 * rows[:-1, 2]
    panel = scaled(rows)
    from chronodag.data import lagged_view

    experts = Experts.of(lagged_view(panel, 1), 300, 300)
    allowed = ~EdgeBounds.unrestricted(6, 1).forbidden.reshape(-1, 6).T
    required = np.zeros_like(allowed)
    required[5, 6] = True
    kept = screened(experts, allowed, required, 3)
    assert (kept.sum(axis=1) == 3).all()
    assert kept[5, 6 + 2]
    assert kept[5, 6]
    assert not (kept & ~allowed).any()
    assert screened(experts, allowed, required, 50) is allowed


def test_the_best_cut_is_that_of_an_enumeration():
    rng = np.random.default_rng(3)
    for _ in range(20):
        chances = rng.beta(0.5, 1.0, size=8)
        cut, expected = belief.best_cut(chances)
        total = chances.sum()
        by_hand = max(
            2 * chances[chances >= c].sum() / ((chances >= c).sum() + total) for c in chances
        )
        if np.prod(1 - chances) > by_hand:
            assert (cut, expected) == (np.inf, pytest.approx(np.prod(1 - chances)))
            continue
        assert expected == pytest.approx(by_hand)
        taken = chances >= cut
        assert 2 * chances[taken].sum() / (taken.sum() + total) == pytest.approx(by_hand)
    assert belief.best_cut(np.zeros(4)) == (np.inf, 1.0)
    assert belief.best_cut(np.full(4, 0.01)) == (np.inf, pytest.approx(0.99**4))


def test_probabilities_are_such_and_grow_with_the_evidence(found):
    strengths = np.full(found.nats.shape, 0.2)
    chances = belief.probabilities(found, strengths)
    assert ((chances >= 0) & (chances <= 1)).all()
    assert (chances[~found.possible] == 0).all()
    assert chances[0, 0, 1] > chances[0, 0, 2]
    assert len(belief.NOISY_FEATURES) == belief.noisy_features(found, strengths).shape[-1]
    assert len(belief.NOISE_FREE_FEATURES) == belief.noise_free_features(found, strengths).shape[-1]
    risks = belief.direction_risks(found, chances)
    assert (risks <= 1 - chances[0] + 1e-12).all()
    assert len(belief.DIRECTION_FEATURES) == belief.direction_features(found).shape[-1]


def test_the_time_is_estimated(curved):
    seconds = estimate_seconds(Panel.from_any(curved), 1, EFFORTS["normal"])
    assert 0 < seconds < 600


@settings(max_examples=50)
@given(seed=st.integers(0, 2**32), share=st.floats(0.0, 1.0))
def test_the_order_has_every_cause_before_its_effects(seed, share):
    rng = np.random.default_rng(seed)
    hidden = rng.permutation(7)
    keep = (hidden[:, None] < hidden[None, :]) & (rng.random((7, 7)) < share)
    place = np.argsort(in_order(keep))
    assert all(place[source] < place[target] for source, target in np.argwhere(keep))
    if share == 1.0:
        assert place.tolist() == hidden.tolist()


def test_true_knowledge_does_no_harm(curved, found):
    known = PriorKnowledge().forbid("X3@0 -> *").forbid("X2@0 -> X1").forbid("X1@0 -> X3")
    told = weighed(curved, knowledge=known)
    for cell in ((0, 0, 1), (0, 1, 2), (1, 0, 0)):
        assert told.possible[cell]
        assert told.nats[cell] == pytest.approx(found.nats[cell], rel=0.3)
