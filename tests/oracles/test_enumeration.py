"""The oracle against closed forms and its own definitions: a wrong oracle would bless wrong algorithms."""

from __future__ import annotations

import math

import numpy as np
import pytest

from oracles import enumeration as oracle
from oracles.enumeration import Enumeration


@pytest.mark.parametrize("n", range(1, 5))
def test_the_lists_have_their_closed_form_lengths(n: int) -> None:
    assert len(set(oracle.label_sequences(n, 3))) == 3**n
    assert len(set(oracle.binary_trees(0, n + 1))) == oracle.catalan(n)
    assert len(set(oracle.dependency_trees(n))) == oracle.spanning_trees(n)
    assert len(set(oracle.dependency_trees(n, single_root=True))) == oracle.single_root_trees(n)
    assert len(set(oracle.dependency_trees(n, projective=True))) == oracle.projective_trees(n)
    single = set(oracle.dependency_trees(n, projective=True, single_root=True))
    assert len(single) == oracle.projective_trees(n, single_root=True)


def test_a_coin_thrown_twice() -> None:
    heads, tails = math.log(0.75), math.log(0.25)
    throws = Enumeration([(0, 0), (0, 1), (1, 0), (1, 1)], [heads, tails])
    assert throws.log_z == pytest.approx(0.0, abs=1e-15)
    assert throws.best == (0, 0)
    np.testing.assert_allclose(np.exp(throws.kbest_scores(9)), [9 / 16, 3 / 16, 3 / 16, 1 / 16])
    np.testing.assert_allclose(throws.marginals(), [1.5, 0.5])
    assert throws.expectation([1.0, 0.0]) == pytest.approx(1.5)
    # The variance of a binomial distribution, n p (1 - p).
    np.testing.assert_allclose(throws.covariance([1.0, 0.0]), [0.375, -0.375])
    np.testing.assert_allclose(throws.covariance_matrix(), [[0.375, -0.375], [-0.375, 0.375]])
    assert throws.entropy == pytest.approx(-2 * (0.75 * heads + 0.25 * tails))
    np.testing.assert_allclose(throws.max_marginals(), [2 * heads, heads + tails])


def test_its_gradients_are_those_of_finite_differences() -> None:
    rng = np.random.default_rng(3)
    outputs = [tuple(rng.integers(0, 5, size=rng.integers(0, 4))) for _ in range(20)]
    scores, values = rng.normal(size=5), rng.normal(size=5)
    all_of = Enumeration(outputs, scores)
    log_z = oracle.gradient(lambda s: Enumeration(outputs, s).log_z, scores)
    np.testing.assert_allclose(log_z, all_of.marginals(), atol=1e-8)
    mean = oracle.gradient(lambda s: Enumeration(outputs, s).expectation(values), scores)
    np.testing.assert_allclose(mean, all_of.covariance(values), atol=1e-8)
    entropy = oracle.gradient(lambda s: Enumeration(outputs, s).entropy, scores)
    np.testing.assert_allclose(entropy, all_of.entropy_gradient(), atol=1e-8)


def test_nothing_and_the_impossible() -> None:
    for nothing in (Enumeration([], [1.0]), Enumeration([(0,)], [-math.inf])):
        assert nothing.log_z == nothing.best_score == -math.inf
        assert nothing.best is None
        assert nothing.kbest_scores(3).tolist() == []
        assert nothing.marginals().tolist() == [0.0]
        assert nothing.entropy == 0.0
