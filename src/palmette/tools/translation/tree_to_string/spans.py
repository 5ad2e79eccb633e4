"""Trees that have a node over some words, whether or not they had it before."""

from __future__ import annotations

from palmette.trees.tree import Child, Leaf, Tree

LABEL = "GIVEN"


def with_span(tree: Tree, begin: int, end: int) -> Tree:
    """Return the tree with a node over words begin … end − 1; what crosses its borders is taken apart.

    >>> str(with_span(Tree.parse("(S (NP a b) (VP c d))"), 1, 3))
    '(S a (GIVEN b c) d)'
    >>> str(with_span(Tree.parse("(S (NP a b) (VP c d))"), 2, 4))
    '(S (NP a b) (VP c d))'
    """
    path: list[tuple[Tree, int]] = []
    node = tree
    while span_of(node) != (begin, end):
        inside = [
            k
            for k, child in enumerate(node.children)
            if isinstance(child, Tree) and span_of(child)[0] <= begin and end <= span_of(child)[1]
        ]
        if not inside:
            node = _grouped(node, begin, end)
            break
        path.append((node, inside[0]))
        child = node.children[inside[0]]
        assert isinstance(child, Tree)
        node = child
    for parent, k in reversed(path):
        node = Tree(parent.label, [*parent.children[:k], node, *parent.children[k + 1 :]])
    return node


def span_of(child: Child) -> tuple[int, int]:
    """Return the first word of a continuous tree, and the one behind its last."""
    if isinstance(child, Leaf):
        return child.position, child.position + 1
    return child.first, child.positions[-1] + 1


def _grouped(node: Tree, begin: int, end: int) -> Tree:
    """A node with several children, those over the words under a new one."""
    before: list[Child] = []
    within: list[Child] = []
    after: list[Child] = []
    todo = list(reversed(node.children))
    while todo:
        child = todo.pop()
        first, last = span_of(child)
        if last <= begin:
            before.append(child)
        elif first >= end:
            after.append(child)
        elif begin <= first and last <= end:
            within.append(child)
        else:
            assert isinstance(child, Tree)  # a word has no border inside
            todo.extend(reversed(child.children))
    return Tree(node.label, [*before, Tree(LABEL, within), *after])
