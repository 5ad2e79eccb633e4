"""From nodes of native code to trees, and from trees to nodes.

A node is seven numbers: kind, rule or word, symbol, start, end, left and right child; children stand before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import inf

import numpy as np
from numpy.typing import NDArray

from palmette.tools.constituency.latent_grammar import Rules
from palmette.tools.constituency.latent_trees import BINARY, SAME, UNARY, WORD, FlatTrees
from palmette.tools.constituency.treebank import ROOT
from palmette.transforms.binarization import is_made
from palmette.trees import Child, Leaf, Tree

Nodes = NDArray[np.int32]
Spot = tuple[str, float, int, int]  # a rule's name, its amount, where it stands


class TreeMaker:
    """Makes trees of nodes."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.is_made = [is_made(symbol.label) for symbol in rules.symbols]
        self.tags = {symbol.label: k for k, symbol in enumerate(rules.symbols) if symbol.is_tag}

    def trees(self, nodes: Nodes, roots: Sequence[int], words: Sequence[str]) -> list[Tree]:
        """The trees of nodes that they share."""
        made = self._made(nodes, roots, words)
        return [_rooted(made[root]) for root in roots]

    def joined(self, nodes: Nodes, ends: Sequence[int], words: Sequence[str]) -> Tree:
        """The trees of several roots, each the last node before an end, side by side below one."""
        roots = [end - 1 for end in ends]
        made = self._made(nodes, roots, words)
        return _rooted([child for root in roots for child in made[root]])

    def side_by_side(self, trees: Sequence[Tree], starts: Sequence[int]) -> Tree:
        """The children of several roots below one, their words moved to where they stand."""
        children: list[Child] = []
        for tree, start in zip(trees, starts):
            moved = tree.fold(partial(_moved, start), lambda node, below: Tree(node.label, below))
            assert isinstance(moved, Tree)
            children += moved.children
        return Tree(ROOT, children)

    def _made(self, nodes: Nodes, roots: Sequence[int], words: Sequence[str]) -> list[list[Child]]:
        """Of every node below the roots the trees that it stands for: several where binarization made it."""
        rows = nodes.tolist()
        needed = bytearray(len(rows))
        for root in roots:
            needed[root] = 1
        for at in range(len(rows) - 1, -1, -1):
            if needed[at]:
                for child in rows[at][5:]:
                    if child >= 0:
                        needed[child] = 1
        made: list[list[Child]] = []
        for at, (kind, number, symbol, start, _, left, right) in enumerate(rows):
            label = self.rules.symbols[symbol].label
            if not needed[at]:
                made.append([])
            elif kind == WORD:
                made.append([Tree(label, [Leaf(words[start], start)])])
            elif kind == SAME:
                made.append(made[left])
            elif kind == UNARY:
                below = made[left]
                for between in reversed(self.rules.unary[number].between):
                    below = [Tree(between, below)]
                made.append([Tree(label, below)])
            else:
                below = made[left] + made[right]
                made.append(below if self.is_made[symbol] else [Tree(label, below)])
        return made

    def labels(self, symbol: int, rule: int) -> list[str]:
        """The brackets of what stands above a span: a symbol that stays the same, or a unary rule."""
        label, is_tag = self.rules.symbols[symbol]
        found = [] if is_tag or self.is_made[symbol] else [label]
        if rule >= 0:
            _, lower, between = self.rules.unary[rule]
            found += [*between, *self.labels(lower, -1)]
        return found


def _moved(start: int, leaf: Leaf) -> Child:
    return Leaf(leaf.word, leaf.position + start)


def _rooted(children: list[Child]) -> Tree:
    if len(children) == 1 and isinstance(children[0], Tree) and children[0].label == ROOT:
        return children[0]
    return Tree(ROOT, children)


def tree_nodes(rules: Rules, tree: Tree) -> tuple[Nodes | None, list[Spot]]:
    """The nodes of a tree, and the name and place of each; no nodes if a rule of it is not in the grammar.

    The amounts of the names are then minus infinity for such rules, else zero.
    """
    flat = FlatTrees(rules.horizontal, rules.leftward)
    flat.symbols = {symbol: k for k, symbol in enumerate(rules.symbols)}
    flat.binary = {(a, b, c): k for k, (a, b, c) in enumerate(rules.binary.tolist())}
    flat.unary = {rule: k for k, rule in enumerate(rules.unary)}
    flat.add(tree)
    symbols, unary = list(flat.symbols), list(flat.unary)
    rows: list[tuple[int, ...]] = []
    spots: list[Spot] = []
    good = len(symbols) == len(rules.symbols)
    for kind, number, symbol, left, right in zip(flat.kind, flat.id, flat.symbol, flat.left, flat.right):
        label = symbols[symbol].label
        known = True
        if kind == WORD:
            _, word, start = flat.tokens[number]
            end, name, number = start + 1, f"{label} → {word}", start
            known = symbol < len(rules.symbols)
        else:
            start, end = rows[left][3], rows[right if kind == BINARY else left][4]
            below = symbols[flat.symbol[left]].label
            if kind == BINARY:
                name = f"{label} → {below} {symbols[flat.symbol[right]].label}"
                known = number < len(rules.binary)
            elif kind == UNARY:
                name = " → ".join([label, *unary[number].between, below])
                known = number < len(rules.unary)
            else:
                name = f"{label} stays {label}"
        good = good and known
        rows.append((kind, number, symbol, start, end, left, right))
        spots.append((name, 0.0 if known else -inf, start, end))
    return (np.array(rows, dtype=np.int32) if good else None), spots
