"""Random grammars for charts, and all trees of a sentence by recursion."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from functools import cache
from itertools import product

from palmette.structures.chart import Rule

Flat = tuple[str, ...]


def random_rules(seed: int, *, unary: bool = True) -> list[Rule]:
    """A grammar of four symbols, without cycles of unary rules: these lead from a letter to a later one."""
    choose = random.Random(seed)
    symbols = ["S", "A", "B", "C"]
    rules: list[Rule] = []
    for parent, left, right in product(symbols, repeat=3):
        if choose.random() < 0.15:
            rules.append((parent, (left, right), math.log(choose.random())))
    for a, b in ((a, b) for k, a in enumerate(symbols) for b in symbols[k + 1 :]):
        if unary and choose.random() < 0.5:
            rules.append((a, (b,), math.log(choose.random())))
    for symbol, word in product(symbols, "xy"):
        if choose.random() < 0.7 or symbol == "C":
            rules.append((symbol, (word,), math.log(choose.random())))
    rules.append(("S", ("A", "x", "B"), math.log(choose.random())))
    known = {(parent, children) for parent, children, _ in rules}
    return rules + [(a, ("C", "C"), -1.0) for a in "SC" if (a, ("C", "C")) not in known]


def every_tree(rules: list[Rule], words: Flat, root: str) -> list[tuple[str, float, tuple[int, ...]]]:
    """All trees as brackets, with their scores and rules."""
    parents = {rule[0] for rule in rules}

    @cache
    def trees(symbol: str, i: int, j: int) -> list[tuple[str, float, tuple[int, ...]]]:
        if symbol not in parents:
            return [(symbol, 0.0, ())] if (j == i + 1 and words[i] == symbol) else []
        found = []
        for k, (parent, children, weight) in enumerate(rules):
            if parent == symbol:
                for below in sequences(tuple(children), i, j):
                    text = " ".join(part[0] for part in below)
                    used = tuple(r for part in below for r in part[2])
                    found.append((f"({symbol} {text})", weight + sum(p[1] for p in below), (k, *used)))
        return found

    def sequences(children: Flat, i: int, j: int) -> Iterator[list[tuple[str, float, tuple[int, ...]]]]:
        if len(children) == 1:
            yield from ([tree] for tree in trees(children[0], i, j))
            return
        for k in range(i + 1, j - len(children) + 2):
            for first in trees(children[0], i, k):
                for rest in sequences(children[1:], k, j):
                    yield [first, *rest]

    return trees(root, 0, len(words))
