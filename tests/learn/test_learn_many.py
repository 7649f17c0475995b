"""Many fits at once are the same fits."""

import numpy as np
import pytest
from sklearn.base import clone

from chronodag.errors import DataError, SettingsError
from chronodag.knowledge import PriorKnowledge
from chronodag.learn import NTSNotears, fit_many

LEARNER = NTSNotears(lags=1, hidden=4, l1=0.02, random_state=0)


def copies(count, **changes):
    return [clone(LEARNER).set_params(**changes) for _ in range(count)]


@pytest.mark.parametrize("batch", [None, 3])
def test_they_agree_with_fits_one_by_one(chain, batch):
    knowledge = PriorKnowledge().forbid("X1", "X2")
    learners = [
        clone(LEARNER),
        clone(LEARNER).set_params(l1=0.05, threshold=0.2),
        clone(LEARNER).set_params(knowledge=knowledge),
    ]
    fit_many(learners, chain, warm=False, batch=batch)
    for learner in learners:
        alone = clone(learner).fit(chain)
        np.testing.assert_allclose(learner.strengths_, alone.strengths_, atol=5e-3)
        assert learner.status_ is alone.status_
    assert not learners[2].strengths_[:, 0, 1].any()


def test_a_warm_start_reaches_as_low_an_objective_in_fewer_steps(chain):
    cold, warm = fit_many(copies(4), chain, warm=False), fit_many(copies(4), chain)
    assert warm[0].objective_ == cold[0].objective_
    for one, other in zip(warm[1:], cold[1:], strict=True):
        assert one.objective_ <= other.objective_ * (1 + 1e-4)
        assert one.solution_.evaluations < other.solution_.evaluations


def test_a_window_of_weight_two_is_a_window_seen_twice(chain):
    half = chain[:120]
    once = clone(LEARNER).set_params(standardize=False).fit([half, half])
    weights = np.full((1, len(half) - 1), 2.0)
    (twice,) = fit_many([clone(once)], half, weights=weights)
    np.testing.assert_allclose(
        twice.objective_, once.objective_, rtol=1e-3
    )  # l1 is given, so only the mean over windows counts


def test_weights_of_zero_leave_windows_out(chain):
    rows = 120
    weights = np.zeros((1, len(chain) - 1))
    weights[0, : rows - 1] = 1.0
    learner = clone(LEARNER).set_params(standardize=False)
    (weighted,) = fit_many([clone(learner)], chain, weights=weights)
    cut = learner.fit(chain[:rows])
    np.testing.assert_allclose(weighted.strengths_, cut.strengths_, atol=5e-3)


def test_weights_skip_the_start_of_every_series(chain):
    series = {"a": chain[:100], "b": chain[100:200]}
    learners = fit_many(copies(1), series, weights=np.ones((1, 198)))
    alone = clone(LEARNER).fit(series)
    np.testing.assert_allclose(learners[0].strengths_, alone.strengths_, atol=5e-3)


def test_refusals(chain):
    with pytest.raises(SettingsError, match="no learners; expected at least one"):
        fit_many([], chain)
    with pytest.raises(SettingsError, match="differ in lags, hidden; fit_many expects one shape"):
        fit_many([LEARNER, NTSNotears(lags=2, hidden=3)], chain)
    with pytest.raises(DataError, match=r"weights has shape \(2,\); expected .* \(1, 249\)"):
        fit_many(copies(1), chain, weights=[1, 2])
    with pytest.raises(DataError, match="negative or non-finite numbers, or only zeros"):
        fit_many(copies(1), chain, weights=np.zeros((1, 249)))
    with pytest.raises(SettingsError, match="batch is 0; expected a whole number ≥ 1"):
        fit_many(copies(1), chain, batch=0)
