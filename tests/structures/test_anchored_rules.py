"""Rules read off binarized trees, and trees as derivations and back."""

import numpy as np
import pytest

from palmette.structures.anchored_rules import AnchoredRules, is_anchorable
from palmette.transforms.binarization import Binarization
from palmette.trees.tree import Tree
from samples.phrase_trees import phrase_trees

UNARIES = [
    "(TOP (S (VP (VB go))))",
    "(TOP (NN time))",
    "(TOP (NP (NP (QP (CD ten) (CD two))) (NNS dogs)) (. .))",
    "(TOP (S (NP (NN a) (NN b) (NN c)) (VP (S (VP (VB d))) (. .))))",
]


@pytest.mark.parametrize("form", [Binarization(0, 1), Binarization(1, 2), Binarization(None, 3)])
def test_trees_become_derivations_and_back(form: Binarization) -> None:
    trees = phrase_trees(30) + [Tree.parse(text) for text in UNARIES]
    binarized = [form(tree) for tree in trees]
    rules = AnchoredRules.of(binarized, "TOP")
    for tree, binary in zip(trees, binarized):
        nodes = rules.nodes(binary)
        assert nodes is not None
        assert nodes == sorted(set(nodes))
        assert rules.tree(tree.words, nodes) == tree
        spans = {(start, end) for start, end, _ in rules.items(nodes)}
        assert spans >= {s.segments[0] for s in binary.spans()}


def test_a_tree_with_a_new_rule_has_no_derivation() -> None:
    form = Binarization(0, 1)
    rules = AnchoredRules.of([form(tree) for tree in phrase_trees(20)], "TOP")
    assert rules.nodes(form(Tree.parse("(TOP (S (NP (DT the) (NN dog)) (XP (VBD slept))))"))) is None
    assert rules.nodes(form(Tree.parse("(TOP (S (VP (VBD slept)) (NP (DT the) (NN dog))))"))) is None


def test_a_label_that_is_a_tag_and_a_phrase_is_two_symbols() -> None:
    tree = Tree.parse("(TOP (X (X a) (Y b)))")
    rules = AnchoredRules.of([tree], "TOP")
    assert rules.symbols.count("X") == 2
    nodes = rules.nodes(tree)
    assert nodes is not None
    assert rules.tree(["a", "b"], nodes) == tree


def test_symbols_share_the_features_of_their_labels() -> None:
    form = Binarization(1, 2)
    rules = AnchoredRules.of([form(tree) for tree in phrase_trees(20)], "TOP")
    label = dict(zip(rules.symbols, rules.label_numbers.tolist()))
    assert label["NP^S"] == label["NP^VP"] != label["VP^S"]
    assert label["@S^TOP|NP"] == label["@S^TOP|VP"] if "@S^TOP|VP" in label else True


def test_what_can_be_anchored() -> None:
    assert is_anchorable(phrase_trees(1)[0])
    assert not is_anchorable(Tree.parse("(TOP (S (NP (NN a) b)))"))
    assert not is_anchorable(Tree.parse("(TOP (S (VP 0=a 2=b) (X 1=c)))", positions=True))


def test_rules_of_a_file_are_checked() -> None:
    rules = AnchoredRules.of([Binarization(0, 1)(tree) for tree in phrase_trees(20)], "TOP")
    same = AnchoredRules.restore(rules.symbols, rules.root, rules.arrays())
    assert same.symbols == rules.symbols
    damaged = [
        {"rules_binary": rules.binary[:-1]},
        {"rules_binary": rules.binary[::-1].copy()},
        {"rules_binary": rules.binary + np.int32(1000)},
        {"rules_chains": np.full_like(rules.chains, rules.root)},
        {"rules_chain_rows": rules.chain_rows[:-1]},
        {"rules_kinds": rules.kinds[:-1]},
        {"rules_roots": rules.roots.astype(np.int64)},
    ]
    for change in damaged:
        with pytest.raises(ValueError, match=r"\w"):
            AnchoredRules.restore(rules.symbols, rules.root, rules.arrays() | change)
    with pytest.raises(ValueError, match="root"):
        AnchoredRules.restore(rules.symbols, len(rules.symbols), rules.arrays())
