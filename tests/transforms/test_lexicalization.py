"""Head words on labels and off again; refined labels."""

import pytest

from palmette.transforms.lexicalization import lexicalized, unlexicalized
from palmette.transforms.refinement import plain, refined
from palmette.trees.tree import Tree


def test_words_of_heads() -> None:
    tree = Tree.parse("(TOP (S (NP (DT the) (NN dog)) (VP (VBZ is) (ADJP (JJ old)))))")
    assert str(lexicalized(tree)) == (
        "(TOP[is] (S[is] (NP[dog] (DT the) (NN dog)) (VP[is] (VBZ is) (ADJP[old] (JJ old)))))"
    )
    assert unlexicalized(lexicalized(tree)) == tree


def test_brackets_in_labels_are_refused() -> None:
    with pytest.raises(ValueError, match="ends in a bracket"):
        lexicalized(Tree.parse("(S[x] (NN a) (NN b))"))


@pytest.mark.parametrize(
    ("label", "children", "made"),
    [
        ("NP", "DT NN", "NP~base"),
        ("NP", "NP PP", "NP"),
        ("NP", "DT NN POS", "NP~possessive"),
        ("S", "VP", "S~bare"),
        ("S", "NP VP", "S"),
        ("S", "S CC S", "S"),
        ("VP", "VB", "VP"),
    ],
)
def test_refined(label: str, children: str, made: str) -> None:
    assert refined(label, children.split()) == made
    assert plain(made) == label
