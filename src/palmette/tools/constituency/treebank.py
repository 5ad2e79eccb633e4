"""Treebanks as parsers learn from them: without empty elements, functional tags and cycles, below one root.

Every method trains on such trees and gives such trees: `(TOP (S (NP …) (VP …)))`. Cleaning is what `remove_empty`,
`strip_functions` and `without_cycles` do to a tree one after the other, in one walk. Gold trees for scoring lose
their empty elements only, since everything else is the business of the scorer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from palmette.formats.conversion.cleaning import is_icepahc_null, is_penn_null
from palmette.formats.functions import Functions, functions_of
from palmette.trees.tree import Child, Leaf, Tree, first_position, unchecked_leaf, unchecked_tree

ROOT = "TOP"
TAG = "WORD"  # of a word beside other words or phrases
ROOTS = frozenset({"", "ROOT", "TOP", "S1", "VROOT"})  # what treebanks and parsers call the root


def clean_trees(
    trees: Iterable[Tree],
    *,
    root: str = ROOT,
    functions: Functions | None = None,
    keep_functions: bool = False,
    cycles: bool = False,
) -> list[Tree | None]:
    """Return each tree in the form that parsers learn; None where no word is left.

    Empty elements are those below `-NONE-`, or, in a treebank without that tag, the words `0` and those that begin
    with a star. functions: how labels hold functions, detected if None; they are stripped with their indices, or
    with keep_functions the indices alone. cycles: keep unary cycles (an NP over only an NP).
    """
    trees = list(trees)
    penn = any(node.label == "-NONE-" for tree in trees for node in tree.preorder())
    is_null = is_penn_null if penn else is_icepahc_null
    labels = _Labels(functions_of(trees) if functions is None else functions, keep_functions)
    node = unchecked_tree if cycles else _without_cycle
    return [_cleaned(tree, is_null, root, labels, node) for tree in trees]


class _Labels(dict[str, str]):
    """Labels without functions or without indices, each worked out once."""

    def __init__(self, functions: Functions, keep: bool) -> None:
        super().__init__()
        self.tags = functions.tags
        self._change = functions.without_indices if keep else functions.bare

    def __missing__(self, label: str) -> str:
        self[label] = self._change(label)
        return self[label]


def _cleaned(
    tree: Tree,
    is_null: Callable[[str, str], bool],
    root: str,
    labels: _Labels,
    make: Callable[[str, tuple[Child, ...], object], Tree],
) -> Tree | None:
    """Return one tree without empty elements, from the leaves up; make: what makes the node of a phrase."""
    items = tree.upwards()
    kept = [
        child.position
        for node in items
        if type(node) is Tree
        for child in node.children
        if type(child) is Leaf and not is_null(node.label, child.word)
    ]
    if not kept:
        return None
    ordered = sorted(kept)
    has_gaps = kept != ordered  # then taking out a node's first word may change its place among its siblings
    places = {position: place for place, position in enumerate(ordered)}
    if len(places) != len(kept):
        raise ValueError(f"Two words have the same position in the tree {str(tree)[:60]}: it cannot be read.")
    done: list[Child | None] = []
    for item in items:
        if type(item) is Leaf:
            place = places.get(item.position, -1)
            done.append(
                None if place < 0 else item if place == item.position else unchecked_leaf(item.word, place)
            )
            continue
        assert type(item) is Tree
        k = len(item.children)
        below = tuple([child for child in done[-k:] if child is not None])
        del done[-k:]
        if has_gaps:
            below = tuple(sorted(below, key=first_position))
        done.append(_node(item.label, below, item.note, labels, make) if below else None)
    (top,) = done
    assert type(top) is Tree
    if (top.label in ROOTS or top.label == root) and not top.is_preterminal:
        return make(root, top.children, top.note)
    return make(root, (top,), None)


def _node(
    label: str,
    below: tuple[Child, ...],
    note: object,
    labels: _Labels,
    make: Callable[[str, tuple[Child, ...], object], Tree],
) -> Tree:
    if len(below) == 1 and type(below[0]) is Leaf:
        return unchecked_tree(labels[label] if labels.tags else label, below, note)
    return make(labels[label], below, note)


def _without_cycle(label: str, below: tuple[Child, ...], note: object) -> Tree:
    """The node, or that of the same label below it in a chain of nodes with one child each."""
    children = below
    while len(children) == 1 and type(child := children[0]) is Tree:
        children = child.children
        if type(children[0]) is Leaf and len(children) == 1:
            break  # a tag
        if child.label == label:
            return child
    return unchecked_tree(label, below, note)


def with_tags(trees: Sequence[Tree]) -> tuple[list[Tree], int]:
    """Return trees in which every word has a tag, and how many words have got `WORD`, being beside other children.

    >>> [str(tree) for tree in with_tags([Tree.parse("(TOP (S (NP the cat) (V sees)))")])[0]]
    ['(TOP (S (NP (WORD the) (WORD cat)) (V sees)))']
    """
    n = 0

    def node(old: Tree, below: list[Child]) -> Child:
        nonlocal n
        if len(below) == 1 or not any(type(child) is Leaf for child in below):
            return unchecked_tree(old.label, tuple(below), old.note)
        n += sum(type(child) is Leaf for child in below)
        tagged = (unchecked_tree(TAG, (child,), None) if type(child) is Leaf else child for child in below)
        return unchecked_tree(old.label, tuple(tagged), old.note)

    def is_bare(tree: Tree) -> bool:
        return any(
            len(one.children) > 1 and any(type(child) is Leaf for child in one.children)
            for one in tree.preorder()
        )

    found: list[Tree] = []
    for tree in trees:
        made = tree.fold(lambda leaf: leaf, node) if is_bare(tree) else tree
        assert isinstance(made, Tree)
        found.append(made)
    return found, n


def sentences_of(trees: Sequence[Tree]) -> list[list[str]]:
    """The words of each tree."""
    return [tree.words for tree in trees]
