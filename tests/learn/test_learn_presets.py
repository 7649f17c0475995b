"""Settings with a name."""

import numpy as np
import pytest

from chronodag.data import Panel
from chronodag.errors import SettingsError
from chronodag.learn import NTSNotears, presets
from chronodag.learn.settings import DEFAULT_L2, DEFAULT_THRESHOLD, resolve

PAPER = {
    "paper-simulated-200": (0.01, 0.05, 0.3, 5),
    "paper-simulated-1000": (0.001, 0.05, 0.3, 5),
    "paper-hockey": (0.001, 0.005, 0.5, 5),
}


def resolved(learner, d=5, T=400):
    rows = np.random.default_rng(0).random((T, d))
    return resolve(learner.get_params(deep=False), Panel.from_any(rows))


@pytest.mark.parametrize("name", PAPER)
def test_the_settings_of_the_paper(name):
    settings = resolved(NTSNotears.from_preset(name))
    l1, l2, threshold, hidden = PAPER[name]
    assert np.unique(settings.l1).tolist() == [l1]
    assert (settings.l2, settings.threshold[0], settings.hidden) == (l2, threshold, (hidden,))
    assert not settings.automatic


@pytest.mark.parametrize("lags", [0, 1, 4])
def test_l1_per_lag_follows_the_lags(lags):
    learner = NTSNotears.from_preset("paper-lorenz96", lags=lags, random_state=3)
    settings = resolved(learner)
    assert settings.l1[:, 0, 0].tolist() == [0.1, *[0.001] * lags]
    assert settings.hidden == (10,)
    assert (settings.l2, settings.threshold[0]) == (0.01, 0.5)
    assert learner.random_state == 3


def test_the_fixed_settings_are_the_former_default():
    settings = resolved(NTSNotears.from_preset("fixed"))
    assert not settings.automatic
    assert np.unique(settings.l1).tolist() == [2 / 400]
    assert (settings.l2, settings.threshold[0]) == (DEFAULT_L2, DEFAULT_THRESHOLD)
    assert NTSNotears.from_preset("paper-hockey").lags == 1


def test_settings_may_be_replaced():
    learner = NTSNotears.from_preset("paper-lorenz96", l1=0.2, threshold=0.1, lags=2)
    assert (learner.l1, learner.threshold, learner.lags) == (0.2, 0.1, 2)
    wrong = NTSNotears.from_preset("paper-lorenz96", lags="two")
    with pytest.raises(SettingsError, match="lags is 'two'; expected a whole number"):
        resolved(wrong)


def test_all_are_listed():
    listed = [str(one) for one in presets()]
    assert len(listed) == 5
    assert listed[0] == (
        "paper-lorenz96: l1 0.1 at lag 0, 0.001 at the others; l2 0.01; threshold 0.5; hidden 2d "
        "(the paper's for Lorenz-96 and fMRI)"
    )
    assert "l1 2/T" in listed[-1]


def test_an_unknown_name_is_refused_with_the_list():
    with pytest.raises(SettingsError, match="preset is 'paper'; expected one of 'paper-lorenz96',"):
        NTSNotears.from_preset("paper")
