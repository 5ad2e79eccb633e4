"""From nodes of native code to trees, and from trees to nodes.

A node is seven numbers: kind, rule or word, symbol, start, end, left and right child; children come before it.
"""

from __future__ import annotations

from collections.abc import Sequence, Sized
from itertools import chain
from math import inf

import numpy as np
from numpy.typing import NDArray

from palmette._native import PhraseForests
from palmette.tools.constituency.latent.grammar import Rules
from palmette.tools.constituency.latent.trees import BINARY, UNARY, WORD, FlatTrees
from palmette.tools.constituency.treebank import ROOT
from palmette.transforms.binarization import is_made
from palmette.trees.tree import Leaf, Tree

Nodes = NDArray[np.int32]
Spot = tuple[str, float, int, int]  # a rule's name, its amount, where it is


class TreeMaker:
    """Makes trees of nodes."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.is_made = [is_made(symbol.label) for symbol in rules.symbols]
        self.tags = {symbol.label: k for k, symbol in enumerate(rules.symbols) if symbol.is_tag}
        chains = [rule.between for rule in rules.unary]
        names = {ROOT, *(symbol.label for symbol in rules.symbols), *chain.from_iterable(chains)}
        self._names = sorted(names)
        number = {name: k for k, name in enumerate(self._names)}
        symbols = [-1 if made else number[s.label] for s, made in zip(rules.symbols, self.is_made)]
        self._labels = (
            np.array(symbols, dtype=np.int32),
            np.cumsum([0, *map(len, chains)], dtype=np.int64),
            np.array([number[name] for own in chains for name in own], dtype=np.int32),
            number[ROOT],
        )

    def trees(
        self,
        nodes: Sequence[Nodes],
        roots: Sequence[Sequence[Sequence[int]]],
        sentences: Sequence[Sequence[str]],
    ) -> list[list[Tree]]:
        """The trees of every sentence among its nodes, which they share; the roots of one are side by side."""
        flat = [own for trees in roots for own in trees]
        forests = PhraseForests.of_latent(
            np.array([len(words) for words in sentences], dtype=np.int64),
            _ends(roots),
            _ends(flat),
            np.fromiter(chain.from_iterable(flat), dtype=np.int32),
            _ends(nodes),
            np.concatenate([np.zeros(0, dtype=np.int32), *(own.ravel() for own in nodes)]),
            *self._labels,
        )
        made: list[list[Tree]] = forests.trees((Tree, Leaf), self._names, sentences)
        return made

    def labels(self, symbol: int, rule: int) -> list[str]:
        """The brackets of what is above a span: a symbol that stays the same, or a unary rule."""
        label, is_tag = self.rules.symbols[symbol]
        found = [] if is_tag or self.is_made[symbol] else [label]
        if rule >= 0:
            _, lower, between = self.rules.unary[rule]
            found += [*between, *self.labels(lower, -1)]
        return found


def _ends(parts: Sequence[Sized]) -> NDArray[np.int64]:
    return np.cumsum([0, *map(len, parts)], dtype=np.int64)


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
