"""Binarization of trees with gaps: from the head outwards, such that the made nodes have few gaps.

A node keeps its head for last. What is split off first, on the outside, is the child without which the words
of the rest make the fewest segments; of equals the last right of the head, or, with none there, the first.
Made nodes remember the last `horizontal` siblings, as in `binarization.py`, whose `unbinarized` undoes this
too. O(nodes · k²) for nodes of k children.

Heads are those of the treebank itself: of a node's children the one whose label most nodes of that label have.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from palmette.transforms.binarization import ANCESTOR, MADE, check_label
from palmette.trees.tree import Child, Leaf, Tree


@dataclass(frozen=True)
class CommonHeads:
    """For every phrase label, how many of its nodes have a child of each label: the more, the likelier the head.

    >>> trees = [Tree.parse("(NP (D the) (N dog))"), Tree.parse("(NP (A big) (N dogs))")]
    >>> CommonHeads.of(trees).head(trees[1])
    1
    """

    counts: dict[str, dict[str, int]]

    @classmethod
    def of(cls, trees: Iterable[Tree]) -> CommonHeads:
        """Counted in trees."""
        counts: dict[str, Counter[str]] = {}
        for tree in trees:
            for node in tree.preorder():
                if not node.is_preterminal:
                    counts.setdefault(node.label, Counter()).update(
                        {_label(child) for child in node.children}
                    )
        return cls({label: dict(counter) for label, counter in counts.items()})

    def head(self, node: Tree) -> int:
        """Which child is the head: the first of those of the commonest label."""
        counts = self.counts.get(node.label, {})
        values = [counts.get(_label(child), 0) for child in node.children]
        return values.index(max(values))


@dataclass(frozen=True)
class FanOutBinarization:
    """How trees with gaps are binarized; the parameters are those of `Binarization`.

    >>> tree = Tree.parse("(S (V 1=is) (VP (N 0=what) (V 2=done)) (N 3=here))", positions=True)
    >>> print(FanOutBinarization(CommonHeads.of([tree]), horizontal=1)(tree))
    (S (@S|N (VP (N 0=what) (V 2=done)) (V 1=is)) (N 3=here))
    """

    heads: CommonHeads = field(repr=False)
    horizontal: int | None = None
    vertical: int = 1
    tags: bool = False

    def __post_init__(self) -> None:
        if self.horizontal is not None and self.horizontal < 0:
            raise ValueError(
                f"The 'horizontal' parameter must be None or at least 0. Got {self.horizontal} instead."
            )
        if self.vertical < 1:
            raise ValueError(f"The 'vertical' parameter must be at least 1. Got {self.vertical} instead.")

    def __call__(self, tree: Tree) -> Tree:
        """The tree with two children a node at most; ValueError for a label that has our signs."""
        labels = self._annotated(tree)

        def binarized(node: Tree, below: list[tuple[Child, int]]) -> tuple[Child, int]:
            return self._binarized(node, below, labels[id(node)])

        made, _ = tree.fold(lambda leaf: (leaf, 1 << leaf.position), binarized)
        assert isinstance(made, Tree)
        return made

    def _annotated(self, tree: Tree) -> dict[int, str]:
        """The label of every node with its ancestors behind it."""
        labels: dict[int, str] = {}
        todo: list[tuple[Tree, tuple[str, ...]]] = [(tree, ())]
        while todo:
            node, above = todo.pop()
            check_label(node.label)
            shown = above[: int(self.tags) if node.is_preterminal else self.vertical - 1]
            labels[id(node)] = ANCESTOR.join((node.label, *shown))
            below = (node.label, *above)[: max(self.vertical - 1, self.tags)]
            todo += [(child, below) for child in node.children if isinstance(child, Tree)]
        return labels

    def _binarized(self, node: Tree, below: list[tuple[Child, int]], label: str) -> tuple[Child, int]:
        cover = sum(bits for _, bits in below)  # no two share a word
        if len(below) <= 2:
            return Tree(label, [child for child, _ in below], node.note), cover
        order = self._order(self.heads.head(node), [bits for _, bits in below], cover)
        names = [_label(node.children[i]) for i in order]
        rest = below[order[-1]][0]
        for k in range(len(order) - 2, -1, -1):
            first = 0 if self.horizontal is None else max(0, k - self.horizontal)
            made = f"{MADE}{label}|{'-'.join(names[first:k])}" if k else label
            rest = Tree(made, [below[order[k]][0], rest])
        assert isinstance(rest, Tree)
        return Tree(rest.label, rest.children, node.note), cover

    def _order(self, head: int, covers: list[int], cover: int) -> list[int]:
        """The children in the order in which they are split off, the head last."""
        left, right = list(range(head)), list(range(len(covers) - 1, head, -1))
        outside = right + left
        order: list[int] = []
        while outside:
            best = min(outside, key=lambda i: segments_in(cover & ~covers[i]))  # the first of equals
            order.append(best)
            outside.remove(best)
            cover &= ~covers[best]
        return [*order, head]


def segments_in(cover: int) -> int:
    """The number of maximal runs of bits."""
    return (cover & ~(cover << 1)).bit_count()


def _label(child: Child) -> str:
    return child.word if isinstance(child, Leaf) else child.label
