"""What features add to a sum of kernels: together the score, and each what its written-out weight says."""

from __future__ import annotations

import numpy as np
import pytest

from palmette.features.kernels import (
    GaussianKernel,
    Kernel,
    LinearKernel,
    PolynomialKernel,
    SpectrumKernel,
    TaggedSequenceKernel,
    TreeKernel,
)
from palmette.features.kernels.contributions import contributions

pytestmark = pytest.mark.native
TREES = ["(S (A a))", "(S (B b) (A a))", "(S (A b))", "(T (A a))"]
TAGGED = [[("a", "X"), ("B", "O")], [("B", "X"), ("B", "X")], [("c", "O")], [("a", "O"), ("a", "X")]]
NAMED = [{"a": 1.0, "b": 2.0}, {"b": -1.0}, {"a": 0.5, "c": 1.0}, {"c": 3.0}]
PAIRS = list(zip(TREES, NAMED))


@pytest.mark.parametrize(
    ("kernel", "items"),
    [
        (LinearKernel(), NAMED),
        (PolynomialKernel(2), NAMED),
        (SpectrumKernel(2, least=1), ["ab", "abb", "ba", "b"]),
        (TreeKernel(decay=0.4), TREES),
        (TreeKernel(decay=0.4).normalized, TREES),
        (TaggedSequenceKernel(decay=0.5), TAGGED),
        (TaggedSequenceKernel(decay=0.5, longest=1).normalized, TAGGED),
        (TreeKernel(decay=0.4).on(0) + 0.3 * LinearKernel().on(1), PAIRS),
    ],
    ids=["linear", "polynomial", "strings", "trees", "normalized", "tagged", "short", "sum"],
)
def test_contributions_sum_to_the_score(kernel: Kernel, items: list) -> None:
    alphas = np.array([0.7, -1.2, 0.4])
    found = contributions(kernel, items[:3], alphas, items)
    want = kernel.gram(items, items[:3]) @ alphas
    np.testing.assert_allclose([sum(amounts.values()) for amounts in found], want, atol=1e-12)
    assert all(isinstance(name, str) for amounts in found for name in amounts)


def test_each_is_a_weight_times_a_value() -> None:
    alphas = np.array([0.7, -1.2, 0.4])
    kernel = TreeKernel(decay=0.4)
    features = [kernel.features(tree) for tree in TREES]
    (found,) = contributions(kernel, TREES[:3], alphas, TREES[3:])
    for name, value in features[3].items():
        weight = sum(a * known.get(name, 0.0) for a, known in zip(alphas, features))
        assert found[name] == pytest.approx(weight * value)


def test_fragments_are_named_as_people_read_them() -> None:
    (found,) = contributions(TaggedSequenceKernel(longest=2), TAGGED[:1], np.ones(1), TAGGED[:1])
    assert {"X", "a/X", "lower/X", "X O", "a/X initial/O"} <= set(found)


def test_a_kernel_without_features() -> None:
    with pytest.raises(ValueError, match="no feature map"):
        contributions(GaussianKernel(), NAMED[:1], np.ones(1), NAMED)


@pytest.mark.parametrize("fragments", ["subset", "complete", "partial"])
def test_only_the_fragments_of_another_tree(fragments) -> None:
    """Leaving out all others, also on the way, leaves the same values."""
    kernel = TreeKernel(fragments, decay=0.4)
    trees = [
        "(S (A (C c) (D d)) (B (C c) (D e)))",
        "(S (A (C c) (D d) (C c)) (B (D d) (C c)) (A (C c) (D d)))",
    ]
    one, two = (kernel.features(tree, largest=3) for tree in trees)
    want = {name: value for name, value in two.items() if name in one}
    assert len(want) >= 3
    assert kernel.features(trees[1], largest=3, only=one) == want
