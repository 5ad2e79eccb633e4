"""Kernels of kernels, and sums of supports: against the Gram matrices and features that they are made of."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
import pytest

from oracles.kernels import random_tree
from palmette.features.kernels import (
    FunctionKernel,
    GaussianKernel,
    Kernel,
    LinearKernel,
    MismatchKernel,
    PolynomialKernel,
    SpectrumKernel,
    SubsequenceKernel,
    TaggedSequenceKernel,
    TreeKernel,
    check_positive,
    with_log_probability,
)
from palmette.features.kernels.kernel import inner_product
from palmette.trees.tree import Tree

pytestmark = pytest.mark.native


@dataclass(frozen=True)
class Question:
    tree: Tree
    text: str
    score: float


def questions(n: int = 12, seed: int = 0) -> list[Question]:
    rng = random.Random(seed)
    return [
        Question(
            random_tree(rng, 3, 2),
            "".join(rng.choices("ab", k=rng.randint(0, 6))),
            round(-5 * rng.random(), 3),
        )
        for _ in range(n)
    ]


TREES, TEXTS = TreeKernel().on("tree"), SubsequenceKernel(2).on("text")
KERNELS: list[Kernel] = [
    TREES,
    TREES.normalized,
    TREES + TEXTS,
    TREES.normalized + 0.5 * TEXTS.normalized,
    TREES * TEXTS,
    2 * TREES * TEXTS,
    (TREES + LinearKernel().on("score")).normalized,
    SpectrumKernel(2).on(lambda q: q.text) + TREES,
    TreeKernel(decay=0.2).on("tree") + TreeKernel(decay=1.0).on("tree"),
    PolynomialKernel(2, of=TREES.normalized),
    TreeKernel("complete").on("tree") + TreeKernel("partial").on("tree"),
    with_log_probability(TreeKernel(), 0.3).on(lambda q: (q.tree, q.score)),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=range(len(KERNELS)))
def test_composed_kernels_are_inner_products(kernel: Kernel) -> None:
    items = questions(6)
    maps = [kernel.features(item) for item in items]
    want = np.array([[inner_product(a, b) for b in maps] for a in maps])
    gram = kernel.gram(items)
    np.testing.assert_allclose(gram, want, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(kernel.diagonal(items), np.diag(want), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(kernel.gram(items[:2], kernel.prepare(items)), want[:2], rtol=1e-9, atol=1e-12)
    assert kernel(items[0], items[1]) == pytest.approx(want[0, 1], rel=1e-9)
    check_positive(gram)


def test_what_the_parts_say() -> None:
    items = questions()
    one, two = TREES.gram(items), TEXTS.gram(items)
    np.testing.assert_allclose((TREES + TEXTS).gram(items), one + two)
    np.testing.assert_allclose((TREES * TEXTS).gram(items), one * two)
    np.testing.assert_allclose((0.5 * TREES).gram(items), one / 2)
    np.testing.assert_allclose(
        TREES.normalized.gram(items), one / np.sqrt(np.outer(one.diagonal(), one.diagonal()))
    )
    distance = one.diagonal()[:, None] + one.diagonal() - 2 * one
    np.testing.assert_allclose(GaussianKernel(0.1, of=TREES).gram(items), np.exp(-0.1 * distance), rtol=1e-9)


def test_log_probabilities() -> None:
    """Φ′ · Φ′ = β L L + Φ · Φ."""
    pairs = [(q.tree, q.score) for q in questions()]
    scores = np.array([score for _, score in pairs])
    want = TreeKernel().gram([tree for tree, _ in pairs]) + 0.7 * np.outer(scores, scores)
    np.testing.assert_allclose(with_log_probability(TreeKernel(), 0.7).gram(pairs), want)


TAGGED = [[("a", "A"), ("B", "B")], [("C", "B")], [("a", "B"), ("b", "B"), ("c", "A")], []]
STRINGS = ["abab", "", "babba", "aab"]
SUPPORTED: list[tuple[Kernel, list]] = [
    *((kernel, questions(40)) for kernel in KERNELS),
    (TreeKernel(), [q.tree for q in questions(300)]),
    (TreeKernel("complete", words=False), [q.tree for q in questions(50)]),
    (TreeKernel("partial"), [q.tree for q in questions(50)]),
    (TreeKernel("partial", words=False).normalized, [q.tree for q in questions(50)]),
    (LinearKernel(), [{"a": 1.0, "b": -2.0}, {"b"}, {"c": 3.0}]),
    (LinearKernel(), [[1.0, 2.0, 0.0], [0.0, 3.0, 1.0]]),
    (PolynomialKernel(2), [[1.0, 2.0, 0.0], [0.0, 3.0, 1.0]]),
    (SpectrumKernel(2), STRINGS),
    (SubsequenceKernel(2), STRINGS),
    (MismatchKernel(2, 1, "ab"), STRINGS),
    (TaggedSequenceKernel(), TAGGED),
    (TaggedSequenceKernel(longest=2), TAGGED),
    (FunctionKernel(lambda a, b: float(a == b)), STRINGS),
]


@pytest.mark.parametrize(("kernel", "items"), SUPPORTED, ids=range(len(SUPPORTED)))
def test_supports_are_the_sum_of_kernels(kernel: Kernel, items: list) -> None:
    """Added one by one, several at a time, twice, and with weights that cancel; scored in between."""
    rng = np.random.default_rng(1)
    gram = kernel.gram(items)
    supports = kernel.supports()
    assert supports.score(items).tolist() == [0.0] * len(items)
    prepared = kernel.prepare(items)
    alphas = np.zeros(len(items))
    for step in range(4):
        which = rng.integers(len(items), size=5)
        weights = rng.normal(size=5)
        np.add.at(alphas, which, weights)
        if step % 2:
            supports.add(prepared, weights, which=which.tolist())
        else:
            supports.add([items[i] for i in which], weights)
        want = gram @ alphas
        scale = np.abs(gram).max() * np.abs(alphas).sum()
        np.testing.assert_allclose(supports.score(items), want, rtol=1e-9, atol=1e-12 * scale)
        np.testing.assert_allclose(supports.score(prepared, n_jobs=2), supports.score(items), rtol=0)
        np.testing.assert_allclose(supports.score(items[:1]), want[:1], rtol=1e-9, atol=1e-12 * scale)
    assert len(supports) == 20
    supports.add(items, -alphas)
    np.testing.assert_allclose(supports.score(items), 0.0, atol=1e-12 * scale)


def test_many_listed_supports_go_in_chunks() -> None:
    items = ["a" * (i % 7) + "b" * (i % 5) for i in range(700)]
    kernel, alphas = SubsequenceKernel(2), np.linspace(-1, 1, 700)
    supports = kernel.supports()
    for start in range(0, 700, 90):
        supports.add(items[start : start + 90], alphas[start : start + 90])
        supports.score(items[:2])
    np.testing.assert_allclose(supports.score(items[:9]), kernel.gram(items[:9], items) @ alphas, rtol=1e-9)


def test_bad_supports() -> None:
    supports = TreeKernel().supports()
    with pytest.raises(ValueError, match="Supports need one weight each; got 2 for 1"):
        supports.add(["(A a)"], [1.0, 2.0])
    with pytest.raises(IndexError, match="must lie between 0 and 0"):
        supports.add(["(A a)"], [1.0], which=[1])
    with pytest.raises(ValueError, match="must be finite"):
        supports.add(["(A a)"], [np.nan])
    with pytest.raises(ValueError, match="were prepared for"):
        supports.add(TreeKernel("partial").prepare(["(A a)"]), [1.0])
    supports.add([], [])
    assert supports.score([]).shape == (0,)


def test_bad_compositions() -> None:
    with pytest.raises(ValueError, match=r"a number that is not negative\. Got -1\.0"):
        -1.0 * TREES
    with pytest.raises(TypeError):
        TREES + 1  # type: ignore[operator]
    with pytest.raises(TypeError):
        TREES * "a"  # type: ignore[operator]


def test_positive_semi_definite_or_not() -> None:
    """Minus the distance is no inner product; a function that sees an order is none either."""
    points = [0.0, 1.0, 3.0]
    with pytest.raises(
        ValueError, match=r"not positive semi-definite: its smallest eigenvalue is -4\.113 beside 4\.113"
    ):
        check_positive(FunctionKernel(lambda a, b: -abs(a - b)).gram(points))
    with pytest.raises(ValueError, match=r"not symmetric: K\(0, 2\) is 3 and K\(2, 0\) is -3"):
        check_positive(FunctionKernel(lambda a, b: b - a).gram(points))
    with pytest.raises(ValueError, match=r"square; got the shape \(1, 2\)"):
        check_positive([[1.0, 2.0]])
    with pytest.raises(ValueError, match="not finite"):
        check_positive([[np.nan]])
    assert check_positive(np.zeros((0, 0))) == 0.0
    assert check_positive(np.ones((3, 3))) == pytest.approx(0.0, abs=1e-12)
