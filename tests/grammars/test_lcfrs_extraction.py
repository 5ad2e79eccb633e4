"""Grammars read off trees: counts by hand, circles, words without tags, and probabilities that sum to one."""

from __future__ import annotations

import random

import numpy as np
import pytest

from palmette.grammars.lcfrs_extraction import TAG, extract_lcfrs, label_of, symbol_name
from palmette.grammars.lcfrs_parser import LcfrsParser
from palmette.transforms.fan_out import CommonHeads, FanOutBinarization
from palmette.trees.tree import Tree
from samples.random_lcfrs import random_discontinuous

pytestmark = pytest.mark.native

WHAT = "(TOP (S (VP (n 0=what) (v 2=done)) (v 1=is)))"


def test_the_rules_of_a_tree() -> None:
    trees = [Tree.parse(WHAT, positions=True), Tree.parse("(TOP (S (n 0=it) (v 1=is)))", positions=True)]
    table, derivations = extract_lcfrs(trees)
    assert [table.rule_text(r) for r in range(len(table.parent))] == [
        "0.5: S -> VP/2_1[1] v/0_1[2] VP/2_2[1]",
        "0.5: S -> n/0_1[1] v/0_1[2]",
        "1.0: VP/2 -> n/0_1[1], v/0_1[2]",
    ]
    assert [table.unary_text(r) for r in range(len(table.unary_parent))] == ["1.0: TOP -> S_1[1]"]
    assert derivations.words == ("what", "done", "is", "it", "is")
    assert derivations.first.tolist() == [0, 6, 10]
    words = "n/0 -> what\n0.5: v/0 -> is\n0.5: v/0 -> done"
    found = LcfrsParser(table.text() + words).best(["what", "is", "done"])
    assert found is not None
    assert found[1] == pytest.approx(np.log(0.5**3))


def test_probabilities_sum_to_one_for_each_parent() -> None:
    rng = random.Random(2)
    trees = [random_discontinuous(rng, rng.randint(1, 10)) for _ in range(50)]
    binarize = FanOutBinarization(CommonHeads.of(trees), 1)
    table, derivations = extract_lcfrs([binarize(tree) for tree in trees])
    sums = np.bincount(table.parent, table.weight, len(table.names))
    sums += np.bincount(table.unary_parent, table.unary_weight, len(table.names))
    assert np.allclose(sums[~table.tags], 1)
    assert np.allclose(sums[table.tags], 0)
    assert len(derivations.words) == sum(len(tree.words) for tree in trees)


def test_circles_of_unary_rules_are_cut_at_the_rarest() -> None:
    texts = ["(TOP (A (B (n a) (n b))))", "(TOP (A (B (n a) (n b))))", "(TOP (B (A (n a) (n b))))"]
    table, _ = extract_lcfrs([Tree.parse(text) for text in texts])
    unaries = {
        (table.names[p], table.names[c]) for p, c in zip(table.unary_parent, table.unary_child, strict=True)
    }
    assert unaries == {("TOP", "A"), ("A", "B")}


def test_words_without_tags_of_their_own() -> None:
    table, _ = extract_lcfrs([Tree.parse("(TOP (A a (n b)))")])
    assert f"{TAG}/0" in table.names


def test_names() -> None:
    for label, fan_out in (("NP", 1), ("NP", 3), ("A/2", 1), ("/", 1), ("1/2", 2)):
        assert label_of(symbol_name(label, fan_out)) == label
        assert label_of(symbol_name(label, 1, tag=True)) == label
    assert (
        len({symbol_name("A/2", 1), symbol_name("A", 2), symbol_name("A", 1), symbol_name("A", 1, tag=True)})
        == 4
    )


@pytest.mark.parametrize(
    ("trees", "message"),
    [
        ([], "at least one tree"),
        (["(A (b c))", "(B (b c))"], "different roots"),
        (["(A (b c) (b c) (b c))"], "binarize"),
    ],
)
def test_refusals(trees: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        extract_lcfrs([Tree.parse(text) for text in trees])
