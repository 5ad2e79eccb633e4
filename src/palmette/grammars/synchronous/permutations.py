"""Permutations as trees of the smallest rank, by shift and reduce in linear time. Zhang and Gildea 2007.

A set of neighbouring positions x … y is an *interval* if its values are neighbours too: max - min = y - x. A
rule whose nonterminals are permuted can be factored at its intervals, and only there.

    shift y;  while f(x, y) = max(x … y) - min(x … y) - (y - x) = 0 for some x:  reduce x … y, the largest x first

For x₁ < x₂, f(x₁, y) - f(x₂, y) never grows with y (Uno and Yagiura 2000). So once it is negative, x₂ is never
again the beginning of an interval, and leaves the list of candidates; f falls along those that remain, and the
next interval, if there is one, begins at the last of them. The differences between neighbours are stored; a new
maximum or minimum changes them only where blocks of equal maxima or minima meet, and merges these blocks. Every
position and every block is added and removed once: O(n).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class PermutationNode:
    """An interval of positions begin … end - 1; without children, one position.

    The values of the children, from the smallest on, are in the order `permutation`: 1, 0 is a swap of two.
    """

    begin: int
    end: int
    low: int  # the smallest value inside
    children: tuple[PermutationNode, ...] = ()

    @property
    def permutation(self) -> tuple[int, ...]:
        """The numbers of the children in the order of their values."""
        return tuple(sorted(range(len(self.children)), key=lambda k: self.children[k].low))

    def nodes(self) -> list[PermutationNode]:
        """This node and all below it, each before its children, from left to right."""
        found: list[PermutationNode] = []
        todo = [self]
        while todo:
            node = todo.pop()
            found.append(node)
            todo.extend(reversed(node.children))
        return found

    @property
    def rank(self) -> int:
        """The largest number of children of a node; 0 or 1 only if the whole is that short."""
        return max((len(node.children) for node in self.nodes()), default=0) or (self.end - self.begin)

    def __str__(self) -> str:
        parts: list[str] = []
        todo: list[PermutationNode | str] = [self]
        while todo:
            node = todo.pop()
            if isinstance(node, str):
                parts.append(node)
            elif not node.children:
                parts.append(str(node.low + 1))
            else:
                inside: list[PermutationNode | str] = ["("]
                for k, child in enumerate(node.children):
                    inside += [" ", child] if k else [child]
                todo.extend(reversed([*inside, ")"]))
        return "".join(parts)


def permutation_tree(permutation: Sequence[int]) -> PermutationNode:
    """The tree of the smallest rank over the values 0 … n - 1, of which `permutation` has each once.

    >>> print(permutation_tree([2, 1, 0]))
    ((3 2) 1)
    >>> permutation_tree([2, 0, 3, 1]).rank
    4
    """
    values = list(permutation)
    if sorted(values) != list(range(len(values))) or not values:
        raise ValueError(f"A permutation has each of the numbers 0 … n - 1 once. Got {values!r:.200}.")
    stack: list[PermutationNode] = []
    candidates = _Candidates()
    for y, value in enumerate(values):
        stack.append(PermutationNode(y, y + 1, value))
        candidates.shift(y, value)
        while (x := candidates.reduced()) is not None:
            first = len(stack) - 1
            while stack[first].begin > x:
                first -= 1
            children = tuple(stack[first:])
            low = min(child.low for child in children)
            stack[first:] = [PermutationNode(x, y + 1, low, children)]
    (root,) = stack
    return root


def is_binarizable(permutation: Sequence[int]) -> bool:
    """Whether the rule of this permutation can be factored into rules of two nonterminals.

    >>> is_binarizable([2, 1, 0]), is_binarizable([2, 0, 3, 1])
    (True, False)
    """
    return permutation_tree(permutation).rank <= 2


class _Candidates:
    """The positions at which an interval that ends here or later may begin, as a doubly linked list."""

    def __init__(self) -> None:
        self.before: list[int] = []  # the candidate before each; -1 for none
        self.after: list[int] = []
        self.removed: list[bool] = []
        self.difference: list[int] = []  # f of a candidate minus f of the next; the last has none
        self.sides = _Blocks(), _Blocks()  # of the values, and of the negated values
        self.last = -1

    def shift(self, y: int, value: int) -> None:
        """Add a position and its value."""
        changes = [*self.sides[0].push(y, value), *self.sides[1].push(y, -value)]
        for x, less in changes:
            self.difference[x] -= less
        for x, _ in changes:
            while not self.removed[x] and self.difference[x] < 0 and self.after[x] >= 0:
                self._remove(self.after[x])
        if self.last >= 0:
            self.after[self.last] = y
            self.difference[self.last] = sum(side.most(self.last) for side in self.sides) - (y - self.last)
        self.before.append(self.last)
        self.after.append(-1)
        self.removed.append(False)
        self.difference.append(0)
        self.last = y

    def reduced(self) -> int | None:
        """Return where the shortest interval that ends here and is not yet reduced begins, and reduce it."""
        x = self.before[self.last]
        if x < 0 or self.difference[x] != 0:
            return None
        self._remove(self.last)
        return x

    def _remove(self, x: int) -> None:
        """Remove a candidate that is not the first."""
        before, after = self.before[x], self.after[x]
        for side in self.sides:
            side.remove(x, before)
        self.removed[x] = True
        self.difference[before] += self.difference[x]
        self.after[before] = after
        if after >= 0:
            self.before[after] = before
        else:
            self.last = before


class _Blocks:
    """Neighbouring candidates x with the same max(x … y), from left to right: the maxima fall."""

    def __init__(self) -> None:
        self.values: list[int] = []
        self.lasts: list[int] = []  # the last candidate of each block; -1 if all are removed
        self.block: dict[int, int] = {}  # of which block a candidate is the last

    def push(self, y: int, value: int) -> list[tuple[int, int]]:
        """Add a position; return where the difference of two neighbours falls, and by how much."""
        changes = []
        while self.values and (self.lasts[-1] < 0 or self.values[-1] < value):
            below, last = self.values.pop(), self.lasts.pop()
            if last < 0:
                continue
            del self.block[last]
            while self.lasts and self.lasts[-1] < 0:
                self.values.pop()
                self.lasts.pop()
            if self.values:
                changes.append((self.lasts[-1], min(self.values[-1], value) - below))
        self.block[y] = len(self.values)
        self.values.append(value)
        self.lasts.append(y)
        return changes

    def most(self, x: int) -> int:
        """max(x … y) of the candidate before y."""
        return self.values[self.block[x]] if x in self.block else self.values[-1]

    def remove(self, x: int, before: int) -> None:
        """Take a candidate out; `before` is the one before it."""
        block = self.block.pop(x, None)
        if block is None:
            return
        if before in self.block:
            self.lasts[block] = -1
        else:
            self.lasts[block] = before
            self.block[before] = block
