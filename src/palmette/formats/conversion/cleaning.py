"""What is usually taken off a treebank before a parser is trained on it: empty elements and functional tags.

trees = [strip_functions(tree) for tree in map(remove_empty, read_brackets("train.mrg")) if tree]
"""

from __future__ import annotations

from collections.abc import Callable

from palmette.formats.functions import PENN, Functions
from palmette.trees.tree import Leaf, Tree


def is_penn_null(tag: str, word: str) -> bool:
    """The empty elements of the Penn Treebank: words under `-NONE-`."""
    return tag == "-NONE-"


def is_icepahc_null(tag: str, word: str) -> bool:
    """The empty elements of IcePaHC and its relatives for older English: `*con*`, `*T*-1`, `0`."""
    return word.startswith("*") or word == "0"


def remove_empty(tree: Tree, is_null: Callable[[str, str], bool] = is_penn_null) -> Tree | None:
    """The tree without the words for which `is_null(label above, word)`, and without nodes that this empties.

    The words that stay are numbered again from 0. None where no word stays.

    >>> print(remove_empty(Tree.parse("(S (NP (-NONE- *)) (VP (VB go)))")))
    (S (VP (VB go)))
    """
    kept: list[tuple[int, int]] = []  # position of a word in the old tree, and the identity of its leaf
    for node in tree.preorder():
        kept += [
            (child.position, id(child))
            for child in node.children
            if isinstance(child, Leaf) and not is_null(node.label, child.word)
        ]
    places = {leaf: place for place, (_, leaf) in enumerate(sorted(kept))}

    def renumbered(old: Leaf) -> Leaf | Tree | None:
        return Leaf(old.word, places[id(old)]) if id(old) in places else None

    def pruned(old: Tree, below: list[Leaf | Tree | None]) -> Leaf | Tree | None:
        children = [child for child in below if child is not None]
        return Tree(old.label, children, old.note) if children else None

    cleaned = tree.fold(renumbered, pruned)
    return cleaned if isinstance(cleaned, Tree) else None


def strip_functions(tree: Tree, functions: Functions = PENN, *, tags: bool = False) -> Tree:
    """Return the tree with bare labels; the tags of words stay as they are, unless `tags` or `functions.tags`.

    >>> print(strip_functions(Tree.parse("(S-TPC-2 (NP-SBJ (NN-X time)) (VP=1 (VB go)))")))
    (S (NP (NN-X time)) (VP (VB go)))
    """

    def stripped(old: Tree, below: list[Leaf | Tree]) -> Leaf | Tree:
        label = (
            old.label if old.is_preterminal and not (tags or functions.tags) else functions.bare(old.label)
        )
        return Tree(label, below, old.note)

    result = tree.fold(lambda leaf: leaf, stripped)
    assert isinstance(result, Tree)
    return result


def decode_brackets(tree: Tree) -> Tree:
    """The tree with `-LRB-` and `-RRB-` in its words as the brackets that they stand for; labels stay.

    >>> decode_brackets(Tree.parse("(NP (-LRB- -LRB-) (NN a))")).words
    ['(', 'a']
    """
    if not any("-LRB-" in word or "-RRB-" in word for word in tree.words):
        return tree

    def decoded(leaf: Leaf) -> Leaf | Tree:
        return Leaf(leaf.word.replace("-LRB-", "(").replace("-RRB-", ")"), leaf.position)

    result = tree.fold(decoded, lambda old, below: Tree(old.label, below, old.note))
    assert isinstance(result, Tree)
    return result
