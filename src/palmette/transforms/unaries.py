"""Chains of nodes with one child each: taken out where they run in a circle, or folded into one node.

`(S (VP (VP (VB go))))` has the chain S, VP, VP above a tag. A grammar read off it would have a cycle (VP → VP), of
which no tree needs more than nothing. O(nodes).
"""

from __future__ import annotations

from palmette.trees.tree import Child, Leaf, Tree

JOINT = "+"  # between the labels of a folded chain


def without_cycles(tree: Tree) -> Tree:
    """The tree in which no chain has a label twice: the nodes between the two, and the lower one, are taken out.

    >>> print(without_cycles(Tree.parse("(S (VP (S (VP (VB go)))))")))
    (S (VP (VB go)))
    """

    def shortened(node: Tree, below: list[Child]) -> Child:
        if len(below) == 1 and not node.is_preterminal:
            child = below[0]
            while isinstance(child, Tree) and not child.is_preterminal:
                if child.label == node.label:
                    return child
                if len(child.children) > 1:
                    break
                child = child.children[0]
        return Tree(node.label, below, node.note)

    result = tree.fold(lambda leaf: leaf, shortened)
    assert isinstance(result, Tree)
    return result


def fold_unaries(tree: Tree, *, tags: bool = False) -> Tree:
    """The tree with each chain as one node, labels joined by `+`; with `tags`, chains that end in a tag as well.

    >>> print(fold_unaries(Tree.parse("(TOP (S (VP (VB go) (ADVP (RB on)))))")))
    (TOP+S+VP (VB go) (ADVP (RB on)))
    """

    def folded(node: Tree, below: list[Child]) -> Child:
        child = below[0]
        if len(below) > 1 or isinstance(child, Leaf) or (child.is_preterminal and not tags):
            return Tree(node.label, below, node.note)
        return Tree(f"{node.label}{JOINT}{child.label}", child.children, node.note)

    result = tree.fold(lambda leaf: leaf, folded)
    assert isinstance(result, Tree)
    return result


def unfold_unaries(tree: Tree) -> Tree:
    """The tree with the chains that `fold_unaries` folded; labels with a `+` of their own would be torn apart."""

    def unfolded(node: Tree, below: list[Child]) -> Child:
        *above, lowest = node.label.split(JOINT)
        made = Tree(lowest, below, node.note)
        for label in reversed(above):
            made = Tree(label, [made])
        return made

    result = tree.fold(lambda leaf: leaf, unfolded)
    assert isinstance(result, Tree)
    return result
