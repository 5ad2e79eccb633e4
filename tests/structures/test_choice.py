"""Single decisions, against their closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.enumeration import Enumeration
from palmette.structures.choice import Choice

score_rows = st.integers(1, 5).flatmap(
    lambda k: st.lists(st.lists(st.floats(-800, 800), min_size=k, max_size=k), min_size=1, max_size=4)
)


@given(score_rows)
def test_against_enumeration(rows: list[list[float]]) -> None:
    scores = np.array(rows)
    choice = Choice(scores.shape[1])
    for i, row in enumerate(rows):
        every = Enumeration.of_scores(row)
        assert choice.best(row) == choice.best(scores)[i] == int(np.argmax(row))
        for got, want in (
            (choice.log_z(scores)[i], every.log_z),
            (choice.probabilities(scores)[i], every.probabilities),
            (choice.probabilities(row), every.probabilities),
            (choice.entropy(scores)[i], every.entropy),
            (choice.log_probability(row, 0), row[0] - every.log_z),
            ([one.score for one in choice.kbest(row, 2)], every.kbest_scores(2)),
        ):
            np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9)


def test_binary_decisions_are_logistic() -> None:
    margins = np.array([-3.0, 0.0, 40.0, -800.0])
    p = Choice().probabilities(Choice.binary(margins))[:, 1]
    np.testing.assert_allclose(p, [1 / (1 + np.exp(3.0)), 0.5, 1.0, 0.0], atol=1e-15)


def test_samples() -> None:
    drawn = Choice(3).sample(np.log([[0.5, 0.5, 1e-300], [0.1, 0.2, 0.7]]), 5000, random_state=1)
    assert drawn.shape == (2, 5000)
    shares = np.array([np.bincount(row, minlength=3) / 5000 for row in drawn])
    np.testing.assert_allclose(shares, [[0.5, 0.5, 0.0], [0.1, 0.2, 0.7]], atol=0.03)
    assert Choice(3).sample([0.0, 0.0, 0.0], 4).shape == (4,)


def test_least_risk() -> None:
    """Missing label 1 costs ten times a false alarm."""
    scores = np.log([0.8, 0.2])
    choice = Choice(["no", "yes"])
    assert choice.minimum_risk(scores) == 0
    assert choice.minimum_risk(scores, loss=[[0, 1], [10, 0]]) == 1
    assert choice.minimum_risk([scores, scores]).tolist() == [0, 0]


def test_allowed_labels() -> None:
    choice, scores = Choice(3), np.array([3.0, 2.0, 1.0])
    assert choice.best(scores, allowed=[False, True, True]) == 1
    with pytest.raises(ValueError, match="sentence 1, position 1: no label is allowed"):
        choice.best(scores, allowed=[False, False, False])


def test_bad_scores() -> None:
    with pytest.raises(ValueError, match="one or two dimensions, got 3"):
        Choice(2).best(np.zeros((1, 1, 2)))
    with pytest.raises(ValueError, match="shape 1 × 2, got 1 × 3"):
        Choice(2).best(np.zeros(3))
    with pytest.raises(ValueError, match="of one decision"):
        Choice(2).kbest(np.zeros((1, 2)), 1)
    with pytest.raises(ValueError, match="loss must have the shape 2 × 2"):
        Choice(2).minimum_risk([0.0, 0.0], loss=[0.0])
