"""A study small enough to run in a second."""

import pytest

from chronodag.study import parse_study


def small_text(*, seeds=3, seconds=0.0, extra="", methods=""):
    return f"""
name: small
seeds: {{from: 0, count: {seeds}}}
data:
  - {{source: "study_parts:walk", T: 60, label: walk}}
methods:
  - {{method: "study_parts:Slow", label: slow, settings: {{seconds: {seconds}}}}}
  - {{method: self-loops}}
{methods}
{extra}
"""


@pytest.fixture(scope="session")
def text():
    return small_text


@pytest.fixture(scope="session")
def small():
    def make(**settings):
        return parse_study(small_text(**settings), "small.yaml")

    return make
