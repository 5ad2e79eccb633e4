"""Lists of candidates: what they hold, and which of them count as right."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmette import Tree
from palmette.formats import Candidates
from palmette.formats.candidates import spans_of
from palmette.structures.schemes import spans

YES, NO = (("time", "NN"), ("flies", "VBZ")), (("time", "NN"), ("flies", "NNS"))


def test_right_losses_and_oracle() -> None:
    counts = np.array([[4, 4, 2], [4, 4, 3], [4, 2, 2], [4, 4, 3]])
    found = Candidates([YES, NO, NO, YES], [-1, -2, -3, -4], YES, counts)
    np.testing.assert_allclose(found.f1, [0.5, 0.75, 2 / 3, 0.75])
    assert found.oracle == 1
    assert found.baseline == 0
    assert not found.has_gold
    assert found.right.tolist() == [False, True, False, True]
    assert found.losses.tolist() == [2.0, 0.0, 1.0, 0.0]  # the third has as many errors, and a lower F1


def test_impossible_candidates_are_the_least_probable() -> None:
    assert Candidates([YES, NO], [-3.0, -np.inf]).log_probabilities.tolist() == [-3.0, -3.0]
    assert Candidates([YES], [-np.inf]).log_probabilities.tolist() == [0.0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([YES], [1.0, 2.0]), "one log-probability each; got 2 for 1"),
        (([YES], [np.nan]), "must be numbers"),
        (([YES], [np.inf]), "must be numbers"),
        (([YES], [0.0], None, np.zeros((2, 3))), r"1 × 3"),
    ],
)
def test_bad_candidates(arguments: tuple, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Candidates(*arguments)


@pytest.mark.parametrize("bad", [3, "time", [("a", "b", "c")], [("a", 1)]])
def test_outputs_are_trees_or_pairs(bad: object) -> None:
    with pytest.raises(TypeError, match=r"Candidate 0 must be a Tree or a sequence of pairs"):
        Candidates([bad], [0.0])


def test_without_a_right_output_there_is_no_loss() -> None:
    with pytest.raises(ValueError, match="not known"):
        _ = Candidates([Tree.parse("(A a)")], [0.0]).losses


@given(st.lists(st.sampled_from(["O", *(f"{p}-{t}" for p in "BIES" for t in ("X", "Y"))])))
def test_spans_are_read_as_everywhere(labels: list[str]) -> None:
    assert spans_of(tuple(("w", label) for label in labels)) == spans(labels)
