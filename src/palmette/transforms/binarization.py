"""Binarization and markovization: trees whose nodes have at most two children, and back.

    A → c1 c2 c3 c4   becomes   A → c1 @A|c1,  @A|c1 → c2 @A|c1-c2,  @A|c1-c2 → c3 c4

A made node remembers only the last `horizontal` siblings, so rules of a length that was never seen get a
probability too; `vertical - 1` ancestors are written behind each phrase's label, as in `NP^S^VP`
(CSC 448, §10.10). Names are enough to undo it: what begins with `@` is spliced out, what follows `^` is cut off.
O(nodes).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from palmette.trees.tree import Child, Leaf, Tree, first_position, unchecked_tree

MADE = "@"  # begins the label of a node that binarization made
ANCESTOR = "^"  # is before each ancestor


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
        if tree.is_preterminal:
            return unchecked_tree(_annotated(tree.label, ()), tree.children, tree.note)
        order: list[tuple[Tree, str]] = []  # phrases with their new labels, each before its children
        tags: dict[int, str] = {}
        todo: list[tuple[Tree, tuple[str, ...]]] = [(tree, ())]
        while todo:
            node, above = todo.pop()
            order.append((node, _annotated(node.label, above)))
            below = (node.label, *above)[: self.vertical - 1]
            for child in node.children:
                if type(child) is not Tree:
                    continue
                if child.is_preterminal:
                    tags[id(child)] = _annotated(child.label, below if self.tags else ())
                else:
                    todo.append((child, below))
        made: dict[int, Tree] = {}  # by the identity of what they are made of
        for node, label in reversed(order):
            children = tuple([self._below(child, made, tags) for child in node.children])
            made[id(node)] = self._binarized(node, children, label)
        return made[id(tree)]

    def _below(self, child: Child, made: dict[int, Tree], tags: dict[int, str]) -> Child:
        if type(child) is not Tree:
            return child
        tag = tags.get(id(child))
        if tag is None:
            return made[id(child)]
        return child if tag == child.label else unchecked_tree(tag, child.children, child.note)

    def _binarized(self, node: Tree, below: tuple[Child, ...], label: str) -> Tree:
        """The node of two children at most, the others below made nodes."""
        if len(below) <= 2:
            return unchecked_tree(label, below, node.note)
        inward = below[::-1] if self.leftward else below
        names = [child.word if isinstance(child, Leaf) else child.label for child in node.children]
        if self.leftward:
            names.reverse()
        rest: Child = inward[-1]
        for i in range(len(inward) - 2, 0, -1):
            first = 0 if self.horizontal is None else max(0, i - self.horizontal)
            rest = unchecked_tree(f"{MADE}{label}|{'-'.join(names[first:i])}", self._pair(inward[i], rest))
        return unchecked_tree(label, self._pair(inward[0], rest), node.note)

    def _pair(self, child: Child, rest: Child) -> tuple[Child, Child]:
        return (rest, child) if self.leftward else (child, rest)


@lru_cache(1 << 14)
def _annotated(label: str, above: tuple[str, ...]) -> str:
    """A label with its ancestors behind it."""
    check_label(label)
    return ANCESTOR.join((label, *above))


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
    done: list[list[Child]] = []  # what is in the place of a node: itself, or the children of a made one
    for item in tree.upwards():
        if type(item) is Leaf:
            done.append([item])
            continue
        assert type(item) is Tree
        k = len(item.children)
        children = done[-1] if k == 1 else [child for part in done[-k:] for child in part]
        del done[-k:]
        if is_made(item.label):
            done.append(children)
            continue
        if len(children) > 2:
            children.sort(key=first_position)  # the parts of a discontinuous tree may be interleaved
        done.append([unchecked_tree(original(item.label), tuple(children), item.note)])
    if len(done[0]) != 1 or type(whole := done[0][0]) is not Tree:
        raise ValueError(
            f"The root {tree.label!r} is a node that binarization made: this is a part of a tree."
        )
    return whole
