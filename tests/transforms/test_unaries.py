from __future__ import annotations

import pytest

from palmette.transforms.unaries import fold_unaries, unfold_unaries, without_cycles
from palmette.trees.tree import Leaf, Tree
from samples.random_brackets import random_tree


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("(S (VP (VP (VB go))))", "(S (VP (VB go)))"),
        ("(A (B (A (B (T x)))))", "(A (B (T x)))"),
        ("(A (B (A (T x) (T y))))", "(A (T x) (T y))"),
        ("(A (A (T x)) (A (T y)))", "(A (A (T x)) (A (T y)))"),
        ("(T (T x))", "(T (T x))"),  # the lower one is a tag, and tags stay
    ],
)
def test_cycles_are_taken_out(before, after):
    assert without_cycles(Tree.parse(before)) == Tree.parse(after)


@pytest.mark.parametrize("seed", range(40))
def test_no_chain_has_a_label_twice(seed):
    tree = random_tree(seed, labels=("A", "B"), chains=0.7)
    shorter = without_cycles(tree)
    assert shorter.words == tree.words
    assert shorter.tags == tree.tags
    for node in shorter.preorder():
        chain, below = [node.label], node
        while len(below) == 1 and isinstance(below[0], Tree) and not below[0].is_preterminal:
            below = below[0]
            chain.append(below.label)
        if not node.is_preterminal:
            assert len(set(chain)) == len(chain)
    assert without_cycles(shorter) == shorter


@pytest.mark.parametrize("tags", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_chains_fold_and_unfold(seed, tags):
    tree = random_tree(seed, chains=0.5, gaps=seed % 2 == 1)
    folded = fold_unaries(tree, tags=tags)
    for node in folded.preorder():
        only = node[0] if len(node) == 1 else None
        assert not isinstance(only, Tree) or (only.is_preterminal and not tags)
    assert unfold_unaries(folded) == tree


def test_very_long_chains():
    tree: Tree = Tree("T", [Leaf("w", 0)])
    for i in range(3_000):
        tree = Tree(f"X{i}", [tree])
    assert unfold_unaries(fold_unaries(tree, tags=True)) == tree
