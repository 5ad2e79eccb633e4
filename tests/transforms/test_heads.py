"""Head rules: Collins' table on constituents whose heads he names, and rules read off a treebank."""

import pytest

from palmette.transforms.heads import ENGLISH, generic_rules, is_english
from palmette.trees.tree import Tree

TREES = [
    Tree.parse("(TOP (IP (NP (D the) (N dog)) (VP (V barks))))"),
    Tree.parse("(TOP (IP (NP (N dogs)) (VP (V bark) (ADV loudly))))"),
]


@pytest.mark.parametrize(
    ("label", "children", "head"),
    [
        ("S", "NP VP .", 1),
        ("VP", "MD RB VP", 0),
        ("VP", "VBD NP PP", 0),
        ("NP", "DT JJ NN", 2),
        ("NP", "NNP POS", 1),
        ("NP", "NP PP", 0),
        ("NP", "NP , NP ,", 0),
        ("NP", "NNS CC NNS", 0),
        ("PP", "IN NP", 0),
        ("SBAR", "IN S", 0),
        ("SBAR", "WHNP S", 0),
        ("QP", "$ CD CD", 0),
        ("ADJP", "RB JJ", 1),
        ("TOP", "S", 0),
        ("X", "`` NP", 1),
        ("UNHEARD-OF", ", .", 0),
    ],
)
def test_english(label: str, children: str, head: int) -> None:
    assert ENGLISH.head(label, children.split()) == head


def test_head_word_goes_down_to_a_leaf() -> None:
    tree = Tree.parse("(S (NP (DT The) (NN dog)) (VP (VBD ate) (NP (DT a) (NN bone))))")
    assert ENGLISH.head_word(tree).word == "ate"
    subject = tree[0]
    assert isinstance(subject, Tree)
    assert ENGLISH.head_word(subject).word == "dog"


def test_generic_rules_prefer_what_a_phrase_always_has() -> None:
    rules = generic_rules(TREES)
    assert rules.head("NP", ["D", "N"]) == 1
    assert rules.head("VP", ["V", "ADV"]) == 0
    assert rules.head("VP", ["ADV", "V"]) == 1
    assert rules.head("NEW", [",", "A", "B"]) == 1


def test_is_english() -> None:
    assert is_english({"NP", "VP", "PP", "NN", "IN", "DT", "S"})
    assert not is_english({"NP", "VP", "N", "P"})
