"""Sums in a fixed order: a binary tree over the numbers of the shards, whoever adds and whatever comes first.

Node (level, k) is the sum of the leaves k · 2^level to (k + 1) · 2^level − 1, where present: the sum of its two
children, or its first child alone. Floating-point sums depend on their order; this order depends on the
number of leaves alone, so a sum is the same bytes for every number of workers. A worker that has a run of
leaves adds up the subtrees that lie in it, and sends these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

Add = Callable[[Any, Any], Any]


class Node(NamedTuple):
    """A node of the tree; a leaf has level 0."""

    level: int
    k: int

    @property
    def leaves(self) -> range:
        """The leaves below it, some of which the tree may not have."""
        return range(self.k << self.level, (self.k + 1) << self.level)


class TreeSum:
    """The sum over n leaves, from the values of nodes in any order. Memory: those that wait for others."""

    def __init__(self, n: int, add: Add) -> None:
        self._n, self._add = n, add
        self._waiting: dict[Node, Any] = {}
        self._top = (n - 1).bit_length() if n else 0

    def put(self, node: Node, value: Any) -> None:
        """Take the value of a node, and add up as far as possible."""
        while node.level < self._top:
            left = Node(node.level, node.k & ~1)
            right = Node(node.level, node.k | 1)
            if right.leaves.start < self._n:
                other = self._waiting.pop(left if node == right else right, None)
                if other is None:
                    break
                value = self._add(other[0], value) if node == right else self._add(value, other[0])
            node = Node(node.level + 1, node.k >> 1)
        self._waiting[node] = (value,)

    @property
    def value(self) -> Any:
        """The sum, when all leaves have come."""
        (found,) = self._waiting[Node(self._top, 0)]
        return found


def cover(begin: int, end: int, n: int, *, largest: int | None = None) -> Iterator[Node]:
    """The fewest nodes of a tree with n leaves that have the leaves begin to end − 1 and no others.

    largest: the most leaves of a node.

    >>> [(list(node.leaves), node.level) for node in cover(3, 8, 8)]
    [([3], 0), ([4, 5, 6, 7], 2)]
    """
    while begin < end:
        level = 0
        while True:
            wider = Node(level + 1, begin >> (level + 1))
            stop = min(wider.leaves.stop, n)
            if wider.leaves.start < begin or stop > end or stop <= begin:
                break
            if largest is not None and stop - begin > largest:
                break
            if wider.leaves.start >= n or (1 << level) >= n:
                break
            level += 1
        node = Node(level, begin >> level)
        yield node
        begin = node.leaves.stop


def tree_sum(values: list[Any], add: Add) -> Any:
    """Return the sum of values in the order of the tree.

    >>> tree_sum(["a", "b", "c"], lambda x, y: f"({x}+{y})")
    '((a+b)+c)'
    """
    total = TreeSum(len(values), add)
    for k, value in enumerate(values):
        total.put(Node(0, k), value)
    return total.value
