"""Measures of clusterings against enumeration, closed forms and their bounds."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from palmette.evaluation.clusters import assignment, evaluate_clusters


@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (2, 5), (5, 2), (4, 6)])
def test_an_assignment_is_the_best_of_all(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        gains = rng.integers(0, 9, shape).astype(float)
        rows, columns = assignment(gains)
        assert len(rows) == len(set(rows.tolist())) == len(set(columns.tolist())) == min(shape)
        wide = gains if shape[0] <= shape[1] else gains.T
        best = max(
            sum(wide[i, j] for i, j in enumerate(chosen))
            for chosen in permutations(range(wide.shape[1]), wide.shape[0])
        )
        assert gains[rows, columns].sum() == best


def test_a_perfect_clustering_and_one_that_says_nothing() -> None:
    perfect = evaluate_clusters(np.diag([3, 4, 5])[[2, 0, 1]])
    assert (perfect.many_to_one, perfect.one_to_one, perfect.v_measure) == (1, 1, 1)
    nothing = evaluate_clusters([[2, 2], [2, 2]])
    assert nothing.many_to_one == nothing.one_to_one == 0.5
    assert nothing.v_measure == pytest.approx(0)


def test_more_states_than_labels_are_homogeneous_but_not_complete() -> None:
    scores = evaluate_clusters([[5, 0], [5, 0], [0, 10]], ["a", "b", "c"], ["N", "V"])
    assert scores.many_to_one == scores.homogeneity == 1
    assert scores.one_to_one == 0.75
    assert scores.completeness == pytest.approx(1 / 1.5)  # H(label) = log 2, H(state) = 1.5 log 2
    assert scores.labels_of_states == {"a": "N", "b": "N", "c": "V"}


def test_tables_without_tokens_and_damaged_ones() -> None:
    assert evaluate_clusters(np.zeros((2, 2))).tokens == 0
    assert evaluate_clusters([[4.0]]).v_measure == 1
    with pytest.raises(ValueError, match="two dimensions"):
        evaluate_clusters([1, 2])
