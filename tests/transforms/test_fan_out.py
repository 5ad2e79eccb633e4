"""Binarization by fan-out, and punctuation in discontinuous trees, on random trees."""

from __future__ import annotations

import random

import pytest

from palmette.transforms.binarization import is_made, unbinarized
from palmette.transforms.fan_out import CommonHeads, FanOutBinarization, segments_in
from palmette.transforms.punctuation import (
    at_positions,
    lower_punctuation,
    raise_punctuation,
    without_words,
)
from palmette.trees.tree import Leaf, Tree
from samples.random_lcfrs import random_discontinuous


@pytest.mark.parametrize(
    ("horizontal", "vertical", "tags"), [(None, 1, False), (0, 1, True), (1, 2, False), (2, 3, True)]
)
def test_binarized_trees_come_back(horizontal: int | None, vertical: int, tags: bool) -> None:
    rng = random.Random(5)
    trees = [random_discontinuous(rng, rng.randint(1, 12)) for _ in range(60)]
    binarize = FanOutBinarization(CommonHeads.of(trees), horizontal, vertical, tags)
    for tree in trees:
        binary = binarize(tree)
        assert unbinarized(binary) == tree
        assert all(len(node) <= 2 for node in binary.preorder())
        assert all(("^" in node.label) == tags for node in binary.preorder() if node.is_preterminal)
        if vertical == 1:
            assert not any("^" in node.label for node in binary.preorder() if not node.is_preterminal)


def test_what_is_split_off_leaves_few_segments() -> None:
    # Left to right, or from the head outwards without a look at gaps, the made node would have three segments.
    tree = Tree.parse("(S (V 2=v) (A (x 0=a) (x 3=a)) (B (x 1=b) (x 4=b)) (C 5=c))", positions=True)
    binary = FanOutBinarization(CommonHeads({"S": {"V": 1}}), 0)(tree)
    made = [node for node in binary.preorder() if is_made(node.label)]
    assert made
    assert max(node.fan_out for node in made) <= 2


def test_segments() -> None:
    assert [segments_in(int(bits, 2)) for bits in ("0", "1", "101", "11011", "1" * 70)] == [0, 1, 2, 2, 1]


@pytest.mark.parametrize("parameters", [{"horizontal": -1}, {"vertical": 0}])
def test_bad_parameters(parameters: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="must be"):
        FanOutBinarization(CommonHeads({}), **parameters)


def test_punctuation_goes_down_and_up_again() -> None:
    rng = random.Random(7)
    for _ in range(80):
        bare = random_discontinuous(rng, rng.randint(1, 9))
        n = len(bare.words)
        places = sorted(rng.sample(range(n + 4), n))
        signs = [Tree("punct", [Leaf(",", i)]) for i in range(n + 4) if i not in places]
        tree = Tree("TOP", [*at_positions(bare, places).children, *signs])
        lowered = lower_punctuation(tree)
        assert raise_punctuation(lowered) == tree
        assert lowered.words == tree.words
        without = without_words(lowered, lambda node: node.label == "punct")
        assert without == bare
        # Phrases have as many segments as without the signs, the root apart.
        fan_outs = [
            sorted(len(span.segments) for span in one.spans() if span.label != "TOP")
            for one in (lowered, bare)
        ]
        assert fan_outs[0] == fan_outs[1]


def test_nothing_but_signs() -> None:
    tree = Tree.parse("(TOP (punct .) (punct .))")
    assert lower_punctuation(tree) == tree == raise_punctuation(tree)
    assert without_words(tree, lambda node: True) is None
