"""Tree kernels against recursion over all pairs of nodes, against written-out fragments, and on extreme trees."""

from __future__ import annotations

import math
import random
from itertools import product

import numpy as np
import pytest

from oracles.kernels import random_tree, tree_kernel
from palmette.features.kernels import TreeKernel, check_positive
from palmette.features.kernels.kernel import inner_product
from palmette.formats.brackets import read_brackets
from palmette.trees.tree import Leaf, Tree
from samples.corpora import corpus_file, real_file
from samples.dependency_treebank import tower

pytestmark = pytest.mark.native

KERNELS = [
    TreeKernel(kind, decay=decay, mu=mu, words=words)
    for kind, decay, words in product(("subset", "complete", "partial"), (1.0, 0.4), (True, False))
    for mu in ((0.7,) if kind == "partial" else (None,))
]


def some_trees(seed: int, n: int = 6) -> list[Tree]:
    rng = random.Random(seed)
    return [random_tree(rng) for _ in range(n)]


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_all_ways_agree_with_the_definition(kernel: TreeKernel, seed: int) -> None:
    one, two = some_trees(seed), some_trees(seed + 100, 4)
    mu = 0.4 if kernel.mu is None else kernel.mu
    want = np.array(
        [[tree_kernel(a, b, kernel.fragments, kernel.decay, mu, kernel.words) for b in two] for a in one]
    )
    np.testing.assert_allclose(kernel.gram(one, two), want, rtol=1e-12)
    np.testing.assert_allclose(kernel.gram(two, one), want.T, rtol=1e-12)
    i, j = np.indices(want.shape)
    np.testing.assert_allclose(kernel.pairs(one, two, i, j).reshape(want.shape), want, rtol=1e-12)
    assert kernel(one[0], two[0]) == pytest.approx(want[0, 0], rel=1e-12)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_the_kernel_is_the_inner_product_of_the_fragments(kernel: TreeKernel) -> None:
    rng = random.Random(5)
    trees = [random_tree(rng, depth=3, width=2) for _ in range(8)]
    maps = [kernel.features(tree) for tree in trees]
    want = [[inner_product(a, b) for b in maps] for a in maps]
    gram = kernel.gram(trees)
    np.testing.assert_allclose(gram, want, rtol=1e-10)
    np.testing.assert_allclose(kernel.diagonal(trees), np.diag(gram), rtol=1e-12)
    check_positive(gram)


def test_fragments_are_brackets() -> None:
    found = TreeKernel(decay=0.25).features("(NP (DT a) (NN dog))")
    assert found == pytest.approx(
        {
            '(DT "a")': 0.5,
            '(NN "dog")': 0.5,
            "(NP DT NN)": 0.5,
            '(NP (DT "a") NN)': 0.25,
            '(NP DT (NN "dog"))': 0.25,
            '(NP (DT "a") (NN "dog"))': 0.125,
        }
    )


def test_too_many_fragments_are_not_written_down() -> None:
    wide = Tree("S", [Tree("A", [Leaf("w", i)]) for i in range(40)])
    for kernel in (TreeKernel(), TreeKernel("partial"), TreeKernel("partial", words=False)):
        with pytest.raises(ValueError, match=r"more than 200,000 fragments under TreeKernel.* 'largest'"):
            kernel.features(wide)
    assert TreeKernel("complete").features(wide).keys() > {'(A "w")'}


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_fragments_up_to_a_size(kernel: TreeKernel) -> None:
    """Sizes are numbers of brackets, and of words too in partial trees."""
    rng = random.Random(6)
    for _ in range(5):
        tree = random_tree(rng, depth=3, width=2)
        everything = kernel.features(tree)
        for largest in (1, 2, 3):
            want = {
                text: value
                for text, value in everything.items()
                if text.count("(") + (text.count('"') // 2 if kernel.fragments == "partial" else 0) <= largest
            }
            assert kernel.features(tree, largest=largest) == pytest.approx(want)


def test_small_fragments_of_large_trees() -> None:
    tree = read_brackets(corpus_file("const_en_ptb/dev.mrg"))[0]
    found = TreeKernel().features(tree, largest=3)
    assert 100 < len(found) < 200_000
    assert all(text.count("(") <= 3 for text in found)


@pytest.mark.parametrize("kernel", [TreeKernel(), TreeKernel("complete"), TreeKernel("partial")], ids=str)
def test_real_trees_in_blocks_and_threads(kernel: TreeKernel) -> None:
    """More trees than a block has, so that rows go through several; the pairs are another algorithm."""
    trees = read_brackets(real_file("const_en_ptb/dev.mrg"))
    trees = [*trees, *trees[:300]][:700]
    gram = kernel.gram(trees)
    assert np.array_equal(gram, gram.T)
    assert np.array_equal(gram, kernel.gram(trees, n_jobs=3))
    rng = np.random.default_rng(0)
    i, j = rng.integers(len(trees), size=(2, 3000))
    prepared = kernel.prepare(trees)
    np.testing.assert_allclose(kernel.pairs(prepared, prepared, i, j), gram[i, j], rtol=1e-10)
    np.testing.assert_allclose(kernel.gram(trees[:5], trees), gram[:5], rtol=1e-12)
    np.testing.assert_allclose(kernel.diagonal(trees), np.diag(gram), rtol=1e-12)


def test_trees_of_one_node() -> None:
    one, other = Tree.parse("(A a)"), Tree.parse("(A b)")
    assert TreeKernel(decay=0.5).gram([one, other]).tolist() == [[0.5, 0.0], [0.0, 0.5]]
    assert TreeKernel(decay=0.5, words=False).gram([one, other]).tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert TreeKernel("partial", decay=0.5, mu=0.5)(one, other) == 0.5 * 0.25
    assert TreeKernel(words=False).normalized(one, other) == 0.0


@pytest.mark.parametrize("fragments", ["subset", "complete", "partial"])
def test_deep_trees_need_no_recursion(fragments: str) -> None:
    """A chain of m rules has Δ of a node with itself in closed form: λ + λ² + … for all subtrees."""
    m, decay = 10_000 if fragments != "partial" else 4000, 0.5
    kernel = TreeKernel(fragments, decay=decay, mu=0.5 if fragments == "partial" else None)
    chain = tower(m)
    value = kernel(chain, chain)
    assert kernel.gram([chain])[0, 0] == pytest.approx(value, rel=1e-9)
    if fragments == "complete":
        assert value == pytest.approx(sum(decay**k for k in range(1, m + 1)))
    if fragments == "subset":
        # i and j rules above the word: min(i, j) common levels, the last of them with the word where i = j.
        delta, total = 0.0, 0.0
        for k in range(1, m + 1):
            delta = decay * (1 + delta)
            total += delta  # both at k: λ + … + λ^k
            # both have k − 1 rules A → A in common where one chain is longer
            total += 2 * (m - k) * (delta - decay**k)
        assert value == pytest.approx(total, rel=1e-9)


@pytest.mark.parametrize("fragments", ["subset", "complete", "partial"])
def test_wide_trees(fragments: str) -> None:
    k = 3000
    kernel = TreeKernel(fragments, decay=1e-3)
    wide = Tree("S", [Tree("A", [Leaf("w", i)]) for i in range(k)])
    other = Tree("S", [Tree("A", [Leaf("w" if i else "v", i)]) for i in range(k)])
    value = kernel(wide, other)
    assert kernel.gram([wide], [other])[0, 0] == pytest.approx(value, rel=1e-9)
    if fragments == "subset":
        assert value == pytest.approx(k * (k - 1) * 1e-3 + 1e-3 * 1.001 ** (k - 1))


def test_what_is_too_large_is_said() -> None:
    wide = Tree("S", [Tree("A", [Leaf("w", i)]) for i in range(2000)])
    with pytest.raises(ValueError, match="too large for a double; take a smaller decay"):
        TreeKernel(decay=1.0).gram([wide])
    with pytest.raises(ValueError, match="too large"):
        TreeKernel("partial", decay=1.0, mu=1.0).gram([wide])
    with pytest.raises(ValueError, match="too large"):
        TreeKernel(decay=1.0)(wide, wide)
    assert math.isfinite(TreeKernel(decay=0.01).gram([wide])[0, 0])


def test_discontinuous_trees_are_read_by_first_words() -> None:
    tree = Tree.parse("(S (VP (WP 0=What) (VBN 2=done)) (VBZ 1=is))", positions=True)
    flat = Tree.parse("(S (VP (WP What) (VBN done)) (VBZ is))")
    assert TreeKernel()(tree, flat) == TreeKernel()(flat, flat)


def test_words_and_labels_are_different_things() -> None:
    assert TreeKernel(decay=1.0)("(A (B b))", "(A B)") == 0.0
    assert TreeKernel("partial", decay=1.0, mu=1.0)("(, ,)", "(x ,)") == 1.0  # the word alone


@pytest.mark.parametrize("decay", [0.0, -0.5, 1.5, math.nan, "0.4", True])
def test_decay_outside_its_range(decay: object) -> None:
    with pytest.raises(ValueError, match=r"The 'decay' must be a number in the range \(0, 1\]"):
        TreeKernel(decay=decay)
    with pytest.raises(ValueError, match=r"The 'mu' must be a number in the range \(0, 1\]"):
        TreeKernel("partial", mu=decay)


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="must be one of subset, complete, partial"):
        TreeKernel("sst")
    with pytest.raises(ValueError, match="Only partial trees have a 'mu'"):
        TreeKernel(mu=0.4)
    with pytest.raises(TypeError, match="a tree kernel takes Trees; got <class 'int'>"):
        TreeKernel().gram([3])
    with pytest.raises(TypeError, match="got one of each"):
        TreeKernel()("(A a)", ["(A a)"])
    with pytest.raises(TypeError, match="takes a collection here; got one string"):
        TreeKernel().gram("(A a)")
    with pytest.raises(ValueError, match="were prepared for"):
        TreeKernel("partial").gram(TreeKernel().prepare(["(A a)"]))
    with pytest.raises(ValueError, match="or -1 for all processors"):
        TreeKernel().gram(["(A a)"], n_jobs=0)
    with pytest.raises(ValueError, match="valid Unicode"):
        TreeKernel().gram([Tree("\udc80", [Leaf("a", 0)])])
    with pytest.raises(IndexError, match="no such tree"):
        TreeKernel().pairs(["(A a)"], ["(A a)"], [1], [0])
    with pytest.raises(ValueError, match="as many first trees as second"):
        TreeKernel().pairs(["(A a)"], ["(A a)"], [0, 0], [0])


def test_empty_collections() -> None:
    assert TreeKernel().gram([]).shape == (0, 0)
    assert TreeKernel().gram([], ["(A a)"]).shape == (0, 1)
    assert TreeKernel().gram(["(A a)"], []).shape == (1, 0)
    assert TreeKernel().diagonal([]).shape == (0,)
