"""Learners by name."""

from __future__ import annotations

import pytest

from palmette.learning.capabilities import AnyLearner
from palmette.learning.learner import Learner
from palmette.learning.loglinear import CRF
from palmette.learning.registry import (
    LEARNERS,
    learner_class,
    learner_name,
    learner_names,
    make_learner,
    options_text,
)
from palmette.parameters import Options
from palmette.tools.alignment.sampling import Sampling


def test_every_learner_can_be_made() -> None:
    for name in learner_names():
        made = make_learner(name, {}, random_state=3)
        assert isinstance(made, AnyLearner)
        assert isinstance(made, Learner) == (LEARNERS[name].family == "linear")
        assert learner_class(name).family == LEARNERS[name].family
        assert learner_name(made) == name
        assert f"{made.names()[0]}=" in options_text(learner_class(name))
        assert LEARNERS[name].summary


def test_a_learner_of_ones_own_has_no_name() -> None:
    class Own(CRF):
        pass

    with pytest.raises(ValueError, match="Own is not among the learners"):
        learner_name(Own())


def test_settings_come_before_common_options() -> None:
    made = make_learner(
        "crf", {"n_jobs": 3, "l2": 1, "method": "lbfgs", "eta0": None}, random_state=5, n_jobs=2
    )
    assert made == CRF(n_jobs=3, l2=1, method="lbfgs", random_state=5)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"l2": "much"}, r"must be a number in the range \[0, inf\). Got 'much'"),
        ({"l2": True}, r"must be a number in the range \[0, inf\). Got True"),
        ({"n_iter": 2.5}, r"must be an int in the range \[1, inf\) or None"),
        ({"method": 3}, "must be one of 'sgd', 'sag', 'lbfgs'. Got 3"),
        ({"eta0": [1]}, r"must be a number in the range \(0, inf\) or None"),
        ({"l2": float("nan")}, "range"),
        ({"method": "newton"}, "must be one of 'sgd', 'sag', 'lbfgs'"),
        ({"zzz": 1}, "it has n_iter=none"),
    ],
)
def test_wrong_settings(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_learner("crf", settings)


@pytest.mark.parametrize("name", [*LEARNERS, "sampling"])
def test_every_option_has_a_line_of_help_and_is_checked(name: str) -> None:
    table: type[Options] = Sampling if name == "sampling" else learner_class(name)
    made = table()
    for one in table.describe():
        assert one.help, one.name
        assert one.takes, one.name
        with pytest.raises(ValueError, match=f"The '{one.name}' parameter must be .* Got \\[1\\] instead"):
            table(**{one.name: [1]})
    assert table(**made.get_params()) == made
    assert made.set_params(**made.get_params()) is made


def test_a_refused_parameter_leaves_the_others() -> None:
    learner = CRF(l2=0.5)
    with pytest.raises(ValueError, match=r"An l1 term needs the method 'lbfgs'\. Got 'sgd'"):
        learner.set_params(l2=3.0, l1=1.0, method="sgd")
    assert learner == CRF(l2=0.5)


@pytest.mark.parametrize(
    ("name", "settings", "value"),
    [
        ("svm", {"slack": 1}, "1"),
        ("knn", {"weighting": None}, "none"),
        ("knn", {"metric": None}, None),
    ],
)
def test_choices_that_look_like_numbers_or_none(
    name: str, settings: dict[str, object], value: object
) -> None:
    (option,) = settings
    assert make_learner(name, settings).get_params()[option] == value
