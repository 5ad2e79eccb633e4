"""Option tables: checks, help lines, unknown and fixed options, the manners of scikit-learn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from palmette.learning.loglinear import CRF
from palmette.parameters import Options, option


@dataclass(frozen=True, kw_only=True)
class Search(Options):
    beam: int = option(8, "width of the beam", low=1, high=64)
    threshold: float = option(1e-3, "least probability of an item", above=0, below=1)
    projective: bool | None = option(None, "keep to projective trees; none: as the treebank")
    labels: str = option("after", "when relations are chosen", choices=("after", "jointly"), fixed=True)
    name: str = option("x", "a name")

    def check(self) -> None:
        if self.labels == "jointly" and self.beam > 32:
            raise ValueError("Labels are chosen jointly only with a beam of at most 32.")


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("beam", 0, "The 'beam' parameter must be an int in the range [1, 64]. Got 0 instead."),
        ("beam", 65, "in the range [1, 64]. Got 65"),
        ("beam", True, "must be an int in the range [1, 64]. Got True"),
        ("beam", 1.5, "must be an int in the range [1, 64]. Got 1.5"),
        ("beam", None, "must be an int"),
        ("threshold", 0, "must be a number in the range (0, 1). Got 0 instead."),
        ("threshold", 1.0, "in the range (0, 1)"),
        ("threshold", float("nan"), "in the range (0, 1)"),
        ("threshold", 10**400, "in the range (0, 1)"),
        ("threshold", "1", "in the range (0, 1). Got '1'"),
        ("projective", "none", "must be True or False or None. Got 'none'"),
        ("projective", 1, "must be True or False or None. Got 1"),
        ("labels", "before", "must be one of 'after', 'jointly'. Got 'before'"),
        ("name", 3, "must be a string. Got 3"),
    ],
)
def test_values_out_of_range(name: str, value: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match="must be") as error:
        Search(**{name: value})
    assert sentence in str(error.value)


def test_values_in_range() -> None:
    made = Search(beam=np.int64(3), threshold=np.float32(0.5), projective=False)
    assert made.get_params() == {
        "beam": 3,
        "threshold": 0.5,
        "projective": False,
        "labels": "after",
        "name": "x",
    }
    assert Search.of(made.to_dict(), "The method") == made


def test_several_options_are_checked_together() -> None:
    with pytest.raises(ValueError, match="beam of at most 32"):
        Search(labels="jointly", beam=33)


def test_unknown_options_get_a_hint_or_the_list() -> None:
    with pytest.raises(ValueError, match=r"^The method 'x' has no option 'beem': did you mean 'beam'\?$"):
        Search.of({"beem": 1}, "The method 'x'")
    with pytest.raises(ValueError, match="it has beam, threshold, projective, labels, name"):
        Search.of({"zzz": 1}, "The method 'x'")


def test_fixed_options_stay_as_they_were_trained() -> None:
    made = Search(labels="jointly")
    assert made.changed({"beam": 2}, "A trained parser").beam == 2
    with pytest.raises(ValueError, match="A trained parser cannot change the option 'labels' after training"):
        made.changed({"labels": "after"}, "A trained parser")


def test_parameters_in_place_are_all_or_nothing() -> None:
    made = Search()
    assert made.set_params(beam=4) is made
    assert made.beam == 4
    with pytest.raises(ValueError, match="'beam' parameter"):
        made.set_params(threshold=0.5, beam=-1)
    assert (made.beam, made.threshold) == (4, 1e-3)
    with pytest.raises(ValueError, match="Search has no parameter 'beams': did you mean 'beam'"):
        made.set_params(beams=4)


def test_help_says_what_a_value_is_and_its_default() -> None:
    assert Search.help_lines() == [
        "beam: width of the beam (int in [1, 64], default 8)",
        "threshold: least probability of an item (number in (0, 1), default 0.001)",
        "projective: keep to projective trees; none: as the treebank (true or false or none, default none)",
        "labels: when relations are chosen (after, jointly, default after)",
        "name: a name (string, default x)",
    ]


@dataclass(frozen=True, kw_only=True)
class Watched(Options):
    stops: Callable[[list[float]], bool]
    n_iter: int = option(1, "passes", low=1)


def test_fields_of_other_types_are_not_checked() -> None:
    assert Watched(stops=lambda values: len(values) > 2).n_iter == 1


def test_a_function_may_check_an_option() -> None:
    assert CRF(n_jobs=-1).n_jobs == -1
    with pytest.raises(
        ValueError, match=r"an int in the range \[1, 4096\], or -1 for all processors\. Got 'two'"
    ):
        CRF(n_jobs="two")  # type: ignore[arg-type]
