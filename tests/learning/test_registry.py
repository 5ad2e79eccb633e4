"""Learners by name."""

from __future__ import annotations

import pytest

from palmette.learning.learner import Learner
from palmette.learning.loglinear import CRF
from palmette.learning.registry import LEARNERS, learner_class, learner_names, make_learner, options_text


def test_every_learner_can_be_made() -> None:
    for name in learner_names():
        assert issubclass(learner_class(name), Learner)
        assert isinstance(make_learner(name, {}, random_state=3), Learner)
        assert "n_iter=" in options_text(learner_class(name))
        assert LEARNERS[name].summary


def test_settings_come_before_common_options() -> None:
    made = make_learner(
        "crf", {"n_jobs": 3, "l2": 1, "method": "lbfgs", "eta0": None}, random_state=5, n_jobs=2
    )
    assert made == CRF(n_jobs=3, l2=1, method="lbfgs", random_state=5)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"l2": "much"}, "must be a number; got 'much'"),
        ({"l2": True}, "must be a number; got True"),
        ({"n_iter": 2.5}, "must be a whole number"),
        ({"method": 3}, "must be a word or none; got 3"),
        ({"eta0": [1]}, "must be a number or none"),
        ({"l2": float("nan")}, "range"),
        ({"method": "newton"}, "must be one of 'sgd', 'sag', 'lbfgs'"),
        ({"zzz": 1}, "it has n_iter=none"),
    ],
)
def test_wrong_settings(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_learner("crf", settings)
