"""Treebanks as parsers learn from them: without empty elements, functional tags and cycles, below one root.

Every method trains on such trees, gives such trees, and is scored on them: `(TOP (S (NP …) (VP …)))`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from palmette.formats.cleaning import is_icepahc_null, is_penn_null, remove_empty, strip_functions
from palmette.transforms.unaries import without_cycles
from palmette.trees import Tree

ROOT = "TOP"


def clean_trees(trees: Iterable[Tree], *, root: str = ROOT, functions: bool = False) -> list[Tree | None]:
    """Each tree in the form that parsers learn; None where no word is left.

    Empty elements are those below `-NONE-`, or, in a treebank without that tag, the words `0` and those that begin
    with a star. functions: keep functional tags (`NP-SBJ`).
    """
    trees = list(trees)
    penn = any(node.label == "-NONE-" for tree in trees for node in tree.preorder())
    is_null = is_penn_null if penn else is_icepahc_null
    cleaned: list[Tree | None] = []
    for tree in trees:
        kept = remove_empty(tree, is_null)
        cleaned.append(None if kept is None else _rooted(kept if functions else strip_functions(kept), root))
    return cleaned


def _rooted(tree: Tree, root: str) -> Tree:
    """The tree below the root label, however its own root is called."""
    if tree.label in ("", "ROOT", "TOP", "S1", "VROOT", root) and not tree.is_preterminal:
        top = Tree(root, tree.children, tree.note)
    else:
        top = Tree(root, [tree])
    return without_cycles(top)


def sentences_of(trees: Sequence[Tree]) -> list[list[str]]:
    """The words of each tree."""
    return [tree.words for tree in trees]
