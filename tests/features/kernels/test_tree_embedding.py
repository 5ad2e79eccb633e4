"""Vectors for trees: right in expectation, and off by about 1 / √n_features of the norms."""

from __future__ import annotations

import random

import numpy as np
import pytest

from oracles.kernels import random_tree
from palmette.features.kernels import TreeKernel
from palmette.formats.brackets import read_brackets
from palmette.trees.tree import Tree
from samples.corpora import real_file

pytestmark = pytest.mark.native


def errors(kernel: TreeKernel, trees: list[Tree], n: int, seed: int = 0) -> np.ndarray:
    """Of all pairs, in units of the norms of the two trees."""
    vectors = kernel.embed(trees, n, random_state=seed)
    lengths = np.sqrt(kernel.diagonal(trees))
    found: np.ndarray = (vectors @ vectors.T - kernel.gram(trees)) / np.outer(lengths, lengths)
    return found[np.triu_indices(len(trees), 1)]


@pytest.mark.parametrize(
    "kernel",
    [TreeKernel(decay=0.4), TreeKernel(decay=0.4, words=False), TreeKernel("complete", decay=0.7)],
    ids=str,
)
def test_the_error_falls_with_the_root_of_the_dimension(kernel: TreeKernel) -> None:
    rng = random.Random(1)
    trees = [random_tree(rng, 3, 2) for _ in range(30)]
    trees = [tree for tree in trees if kernel(tree, tree) > 0]
    for n in (256, 4096):
        found = errors(kernel, trees, n)
        assert np.sqrt((found**2).mean()) < 1.5 / np.sqrt(n)
    mean = np.mean([errors(kernel, trees, 256, seed) for seed in range(200)], axis=0)
    assert np.abs(mean).max() < 5 / np.sqrt(256 * 200)


def test_real_trees() -> None:
    """The table in docs/tools/kernels.md: root mean square error of the normalised kernel."""
    trees = read_brackets(real_file("const_en_ptb/dev.mrg"))[:80]
    for decay, n, most in ((0.4, 1024, 0.05), (0.4, 4096, 0.025), (0.2, 4096, 0.02)):
        assert np.sqrt((errors(TreeKernel(decay=decay), trees, n) ** 2).mean()) < most


def test_vectors_depend_on_the_seed_alone() -> None:
    rng = random.Random(2)
    trees = [random_tree(rng) for _ in range(40)]
    kernel = TreeKernel()
    vectors = kernel.embed(trees, 100, random_state=3)
    assert np.array_equal(vectors, kernel.embed(trees, 100, random_state=3, n_jobs=2))
    assert np.array_equal(vectors[5:6], kernel.embed(trees[5:6], 100, random_state=3))
    assert not np.array_equal(vectors, kernel.embed(trees, 100, random_state=4))


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="Partial trees have no embedding"):
        TreeKernel("partial").embed(["(A a)"])
    with pytest.raises(ValueError, match="The 'n_features' must be an int"):
        TreeKernel().embed(["(A a)"], 0)
    with pytest.raises(ValueError, match="The 'random_state' must be an int"):
        TreeKernel().embed(["(A a)"], random_state=-1)
    assert TreeKernel().embed([], 8).shape == (0, 8)
