"""Trees as latent grammars learn from them: flat arrays of nodes, binarized, chains of unary nodes as one rule.

A node of k > 2 children becomes a chain of made nodes that remember the label and `horizontal` siblings (see
`palmette.transforms.binarization`). A chain of nodes with one child each becomes one unary rule from the highest
label to the lowest; what was between them belongs to the rule. Tags are symbols of their own even where a phrase
has the same label. O(nodes).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from palmette.transforms.binarization import MADE
from palmette.trees.tree import Child, Leaf, Tree

WORD, BINARY, UNARY, SAME = range(4)  # kinds of nodes


class Symbol(NamedTuple):
    """A label of the binarized trees, and whether it is a tag's."""

    label: str
    is_tag: bool


class UnaryRule(NamedTuple):
    """Symbols upper and lower, and the labels between them, from above."""

    upper: int
    lower: int
    between: tuple[str, ...]


class _Part(NamedTuple):
    """A node so far: its place among the nodes, its symbol, the labels of the chain above, from below."""

    node: int
    symbol: int
    chain: tuple[str, ...]


@dataclass
class FlatTrees:
    """Nodes of many trees, each after its children; `tokens` are (tag symbol, word, position) in order."""

    horizontal: int = 0
    leftward: bool = False
    symbols: dict[Symbol, int] = field(default_factory=dict)
    binary: dict[tuple[int, int, int], int] = field(default_factory=dict)
    unary: dict[UnaryRule, int] = field(default_factory=dict)
    begin: list[int] = field(default_factory=lambda: [0])
    kind: list[int] = field(default_factory=list)
    id: list[int] = field(default_factory=list)
    symbol: list[int] = field(default_factory=list)
    left: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    tokens: list[tuple[int, str, int]] = field(default_factory=list)

    @classmethod
    def of(cls, trees: Sequence[Tree], *, horizontal: int = 0, leftward: bool = False) -> FlatTrees:
        """The nodes of trees that all have the same root label, above phrases or tags."""
        flat = cls(horizontal, leftward)
        for tree in trees:
            flat.add(tree)
        return flat

    def add(self, tree: Tree) -> None:
        """Add the nodes of a tree. A root over one child gets none: grammars know what may be below it."""
        part = tree.fold(self._leaf, self._node)
        if part.chain:
            part = part._replace(chain=part.chain[:-1])
        self._above(part)
        self.begin.append(len(self.kind))

    def _leaf(self, leaf: Leaf) -> _Part:
        self.tokens.append((-1, leaf.word, leaf.position))
        return _Part(-1, -1, ())

    def _node(self, node: Tree, below: list[_Part]) -> _Part:
        if len(below) > 1:
            return self._binarized(node, below)
        if below[0].node < 0:
            symbol = self._symbol(node.label, True)
            _, word, position = self.tokens[-1]
            self.tokens[-1] = (symbol, word, position)
            return _Part(self._add(WORD, len(self.tokens) - 1, symbol), symbol, ())
        return below[0]._replace(chain=(*below[0].chain, node.label))

    def _binarized(self, node: Tree, below: list[_Part]) -> _Part:
        parts = [self._above(part) for part in below]
        names = [_name(child) for child in node.children]
        if self.leftward:
            parts, names = parts[::-1], names[::-1]
        at, symbol = parts.pop()
        while parts:
            before = names[max(0, len(parts) - 1 - self.horizontal) : len(parts) - 1]
            label = node.label if len(parts) == 1 else f"{MADE}{node.label}|{'-'.join(before)}"
            other, other_symbol = parts.pop()
            children = (symbol, other_symbol) if self.leftward else (other_symbol, symbol)
            left, right = (at, other) if self.leftward else (other, at)
            symbol = self._symbol(label, False)
            rule = self.binary.setdefault((symbol, *children), len(self.binary))
            at = self._add(BINARY, rule, symbol, left, right)
        return _Part(at, symbol, ())

    def _above(self, part: _Part) -> tuple[int, int]:
        """The node at the top of a chain, and its symbol."""
        if part.chain:
            upper = self._symbol(part.chain[-1], False)
            rule = UnaryRule(upper, part.symbol, part.chain[-2::-1])
            number = self.unary.setdefault(rule, len(self.unary))
            return self._add(UNARY, number, upper, part.node), upper
        if self.kind[part.node] == WORD:
            return part.node, part.symbol
        return self._add(SAME, -1, part.symbol, part.node), part.symbol

    def _symbol(self, label: str, is_tag: bool) -> int:
        return self.symbols.setdefault(Symbol(label, is_tag), len(self.symbols))

    def _add(self, kind: int, number: int, symbol: int, left: int = -1, right: int = -1) -> int:
        self.kind.append(kind)
        self.id.append(number)
        self.symbol.append(symbol)
        self.left.append(left)
        self.right.append(right)
        return len(self.kind) - 1


def _name(child: Child) -> str:
    return child.word if isinstance(child, Leaf) else child.label


def ints(values: Sequence[int] | NDArray[np.int32]) -> NDArray[np.int32]:
    """An array as native code takes it."""
    return np.ascontiguousarray(values, dtype=np.int32)
