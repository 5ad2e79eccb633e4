"""The kernels of Kernel Methods, number by number; and the perceptron in dual form equals the primal one."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from oracles.kernels import random_tree, subset_delta
from palmette.features.kernels import PolynomialKernel, TaggedSequenceKernel, TreeKernel, with_log_probability
from palmette.features.kernels.kernel import inner_product
from palmette.trees.tree import Tree

pytestmark = pytest.mark.native


def test_the_quadratic_kernel() -> None:
    """(1 + 1·2 + 3·4)² = 225, and Φ′ = {1, √2 Φ₁, √2 Φ₂, Φ₁², Φ₂², √2 Φ₁Φ₂}."""
    kernel = PolynomialKernel(2)
    assert kernel([1, 3], [2, 4]) == 225
    features = kernel.features([1, 3])
    assert sorted(features.values()) == pytest.approx(sorted([1, 2**0.5, 3 * 2**0.5, 1, 9, 3 * 2**0.5]))
    assert inner_product(features, kernel.features([2, 4])) == pytest.approx(225)


ONE = Tree.parse("(A (B (D d) (E e)) (C (F f) (G g)))")
TWO = Tree.parse("(A (B (D d) (E e)) (C (F h) (G i)))")


def test_subtrees_in_common() -> None:
    """Δ(B, B) = 4: B with D and E, each with its word or without; Δ(C, C) = 1; Δ(A, A) = (4 + 1)(1 + 1) = 10."""
    b, c = ONE.children
    b2, c2 = TWO.children
    assert subset_delta(b, b2, 1.0, True) == 4
    assert subset_delta(c, c2, 1.0, True) == 1
    assert subset_delta(ONE, TWO, 1.0, True) == 10
    kernel = TreeKernel(decay=1.0)
    assert kernel(b, b2) == 4 + 1 + 1  # and (D d), (E e) on their own
    assert kernel(c, c2) == 1
    assert kernel(ONE, TWO) == 10 + 4 + 1 + 1 + 1
    at_a = {name: 1.0 for name in kernel.features(ONE) if name.startswith("(A")}
    assert inner_product(at_a, {name: 1.0 for name in kernel.features(TWO) if name.startswith("(A")}) == 10


def test_counts_of_a_feature() -> None:
    """h(T) is how often a fragment is seen; the kernel is Σ h(T₁) h(T₂)."""
    kernel = TreeKernel(decay=1.0)
    tree = Tree.parse("(S (A (B b) (C c)) (A (B x) (C y)))")
    assert kernel.features(tree)["(A B C)"] == 2


def test_tagged_sequences() -> None:
    """Δ(B, B) = 4 and Δ(A, A) = (1 + 1)(1 + 4) = 10."""
    one = [("a", "A"), ("b", "B"), ("c", "C"), ("d", "D")]
    two = [("a", "A"), ("b", "B"), ("e", "C"), ("e", "E")]
    kernel = TaggedSequenceKernel(shape=None)
    from_b = kernel(one[1:], two[1:])
    from_c = kernel(one[2:], two[2:])
    assert from_b - from_c == 4
    assert kernel(one, two) - from_b == 10


def test_smaller_weights_for_larger_fragments() -> None:
    """Δ(A, A) = λ (1 + λ (1 + λ)²) (1 + λ) and (1 + π)(1 + λ Δ)."""
    x = 0.5
    b = x * (1 + x) ** 2
    assert TreeKernel(decay=x)(ONE, TWO) == pytest.approx(x * (1 + b) * (1 + x) + b + x + x + x)
    one = [("a", "A"), ("b", "B"), ("c", "C")]
    c, kernel = 2.0, TaggedSequenceKernel(decay=x, shape=None)
    b = 2 * (1 + x * c)
    assert kernel(one, one) == pytest.approx(c + b + 2 * (1 + x * b))


def test_words_that_are_spelt_alike_count_half() -> None:
    exiled = [("exiled", "N"), ("to", "N"), ("Elba", "S")]
    flown = [("flown", "N"), ("to", "N"), ("Paris", "S")]
    third, second = 1.5, 2 * (1 + 1.5)
    first = 1.5 * (1 + second)
    across = 1.5 + 1.5  # exiled with to, to with flown: what comes next has other labels
    assert TaggedSequenceKernel()(exiled, flown) == pytest.approx(first + second + third + across)


def test_the_log_probability_is_one_more_feature() -> None:
    kernel = with_log_probability(TreeKernel(decay=1.0), beta=0.5)
    assert kernel((ONE, -3.0), (TWO, -4.0)) == 17 + 0.5 * 12
    features = kernel.features((ONE, -3.0))
    assert [v for (part, _), v in features.items() if part == 1] == pytest.approx([-3 * math.sqrt(0.5)])


@pytest.mark.parametrize("seed", range(3))
def test_the_dual_perceptron_is_the_primal_one(seed: int) -> None:
    """Ranking candidates of random sentences: the same guesses and mistakes in every step, and the same scores."""
    rng = random.Random(seed)
    lists = [[random_tree(rng, 3, 2) for _ in range(5)] for _ in range(25)]
    kernel = TreeKernel(decay=0.5)
    golds = [rng.randrange(5) for _ in lists]
    prepared = [kernel.prepare(candidates) for candidates in lists]
    features = [[kernel.features(tree) for tree in candidates] for candidates in lists]
    weights: dict[str, float] = {}
    supports = kernel.supports()
    mistakes = 0
    for _ in range(3):
        for candidates, known, gold in zip(prepared, features, golds):
            primal = [inner_product(phi, weights) for phi in known]
            dual = supports.score(candidates)
            np.testing.assert_allclose(dual, primal, rtol=1e-9, atol=1e-9)
            guess = int(np.argmax(np.round(dual, 9)))
            assert guess == int(np.argmax(np.round(primal, 9)))
            if guess != gold:
                mistakes += 1
                supports.add(candidates, [1.0, -1.0], which=[gold, guess])
                for sign, phi in ((1.0, known[gold]), (-1.0, known[guess])):
                    for name, value in phi.items():
                        weights[name] = weights.get(name, 0.0) + sign * value
    assert len(supports) == 2 * mistakes > 0
