"""Head words on the labels of constituents, and off again (CSC 448, §10.7).

    (S (NP (NN time)) (VP (VBZ flies)))   becomes   (S[flies] (NP[time] (NN time)) (VP[flies] (VBZ flies)))

A grammar read off such trees has a symbol for every label and word, and so hardly ever sees a rule twice: the
lexicalised parser does not write words into labels but conditions on them, and backs off where they are rare.
These labels are for people who look at heads, and for small grammars. O(nodes).
"""

from __future__ import annotations

from palmette.transforms.heads import ENGLISH, HeadRules
from palmette.trees.tree import Child, Tree

OPEN, CLOSE = "[", "]"


def lexicalized(tree: Tree, rules: HeadRules = ENGLISH) -> Tree:
    """The tree with its head word behind every label, tags apart; ValueError for a label that ends in a bracket.

    >>> print(lexicalized(Tree.parse("(S (NP (NN time)) (VP (VBZ flies)))")))
    (S[flies] (NP[time] (NN time)) (VP[flies] (VBZ flies)))
    """

    def with_word(node: Tree, below: list[tuple[Child, str]]) -> tuple[Child, str]:
        if node.is_preterminal:
            return node, below[0][1]
        if node.label.endswith(CLOSE):
            raise ValueError(f"The label {node.label!r} cannot be lexicalised: it ends in a bracket already.")
        names = [child.label if isinstance(child, Tree) else child.word for child in node.children]
        word = below[rules.head(node.label, names)][1]
        return Tree(f"{node.label}{OPEN}{word}{CLOSE}", [child for child, _ in below], node.note), word

    made, _ = tree.fold(lambda leaf: (leaf, leaf.word), with_word)
    assert isinstance(made, Tree)
    return made


def unlexicalized(tree: Tree) -> Tree:
    """The tree without the words that `lexicalized` put on its labels."""

    def bare(node: Tree, below: list[Child]) -> Child:
        label = node.label
        if label.endswith(CLOSE) and OPEN in label[1:] and not node.is_preterminal:
            label = label[: label.index(OPEN, 1)]
        return Tree(label, below, node.note)

    made = tree.fold(lambda leaf: leaf, bare)
    assert isinstance(made, Tree)
    return made
