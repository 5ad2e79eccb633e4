"""Binarization and markovization: trees whose nodes have at most two children, and back.

    A → c1 c2 c3 c4   becomes   A → c1 @A|c1,  @A|c1 → c2 @A|c1-c2,  @A|c1-c2 → c3 c4

A made node remembers only the last `horizontal` siblings, so rules of a length that was never seen get a
probability too; `vertical - 1` ancestors are written behind each phrase's label, as in `NP^S^VP` (seed 4, §10.10).
Names are enough to undo it: what begins with `@` is spliced out, what follows `^` is cut off. O(nodes).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from palmette.trees import Child, Leaf, Tree

MADE = "@"  # begins the label of a node that binarization made
ANCESTOR = "^"  # stands before each ancestor


@dataclass(frozen=True)
class Binarization:
    """How trees are binarized.

    horizontal: how many siblings before it a made node remembers; None, all. vertical: 1 is the bare label, 2 adds
    the parent's, and so on. tags: annotate tags with their parents as well. leftward: made nodes grow to the left,
    with the last child split off first.

    >>> tree = Tree.parse("(TOP (S (NP (NN time)) (VP (VBZ flies)) (. .)))")
    >>> print(Binarization(horizontal=1, vertical=2)(tree))
    (TOP (S^TOP (NP^S (NN time)) (@S^TOP|NP (VP^S (VBZ flies)) (. .))))
    >>> unbinarized(Binarization(horizontal=1, vertical=2)(tree)) == tree
    True
    """

    horizontal: int | None = None
    vertical: int = 1
    tags: bool = False
    leftward: bool = False

    def __post_init__(self) -> None:
        if self.horizontal is not None and self.horizontal < 0:
            raise ValueError(
                f"The 'horizontal' parameter must be None or at least 0. Got {self.horizontal} instead."
            )
        if self.vertical < 1:
            raise ValueError(f"The 'vertical' parameter must be at least 1. Got {self.vertical} instead.")

    def __call__(self, tree: Tree) -> Tree:
        """The binarized tree; ValueError for a label that has the signs of this notation."""
        labels = self._annotated(tree)
        made = tree.fold(
            lambda leaf: leaf, lambda node, below: self._binarized(node, below, labels[id(node)])
        )
        assert isinstance(made, Tree)
        return made

    def _annotated(self, tree: Tree) -> dict[int, str]:
        """The label of every node with its ancestors behind it."""
        labels: dict[int, str] = {}
        todo: list[tuple[Tree, tuple[str, ...]]] = [(tree, ())]
        while todo:
            node, above = todo.pop()
            check_label(node.label)
            shown = above if self.tags or not node.is_preterminal else ()
            labels[id(node)] = ANCESTOR.join((node.label, *shown))
            below = (node.label, *above)[: self.vertical - 1]
            todo += [(child, below) for child in node.children if isinstance(child, Tree)]
        return labels

    def _binarized(self, node: Tree, below: list[Child], label: str) -> Child:
        """The node of two children at most, the others below made nodes."""
        if len(below) <= 2:
            return Tree(label, below, node.note)
        inward = below[::-1] if self.leftward else below
        names = [child.word if isinstance(child, Leaf) else _bare(child.label) for child in inward]
        rest: Child = inward[-1]
        for i in range(len(inward) - 2, 0, -1):
            first = 0 if self.horizontal is None else max(0, i - self.horizontal)
            made = f"{MADE}{label}|{'-'.join(names[first:i])}"
            rest = Tree(made, [inward[i], rest])
        return Tree(label, [inward[0], rest], node.note)


def check_label(label: str) -> None:
    """ValueError if a label has a sign that only binarized trees may have."""
    if label.startswith(MADE) or ANCESTOR in label[1:]:
        raise ValueError(
            f"The label {label!r} cannot be binarized: {MADE!r} at its beginning and {ANCESTOR!r} are our signs."
        )


def is_made(label: str) -> bool:
    """Whether binarization made the node of this label."""
    return label.startswith(MADE)


def _bare(label: str) -> str:
    """A label without its ancestors."""
    end = label.find(ANCESTOR, 1)
    return label if end < 0 else label[:end]


def unbinarized(tree: Tree, original: Callable[[str], str] = _bare) -> Tree:
    """The tree without made nodes, every other label as `original` has it: by default, without its ancestors."""

    def restored(node: Tree, below: list[list[Child]]) -> list[Child]:
        children = [child for part in below for child in part]
        return children if is_made(node.label) else [Tree(original(node.label), children, node.note)]

    def alone(leaf: Leaf) -> list[Child]:
        return [leaf]

    (whole,) = tree.fold(alone, restored)
    assert isinstance(whole, Tree)
    return whole
