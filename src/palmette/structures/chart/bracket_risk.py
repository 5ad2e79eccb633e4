"""The tree with the most expected right brackets, given the probability of every bracket.

    argmax over trees y of  Σ over brackets b of y of  (p(b) - offset)

With offset 0, labelled recall (Goodman 1996; CSC 448, §10.4, algorithm 10): a bracket that may be right costs
nothing. A wrong bracket lowers precision, so F1 is served by an offset of about F / 2: a bracket must be worth its
risk. Any model that gives marginals can be decoded so, and so can the average of several models' marginals. O(n³).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from palmette import _native
from palmette.trees.tree import Child, Tree, unchecked_leaf, unchecked_tree

Marginals = Mapping[tuple[int, int, str], float]  # (start, end, label): probability


def best_brackets(
    n: int,
    marginals: Mapping[Any, float],
    *,
    offset: float = 0.0,
    second: float = 0.5,
) -> list[tuple[int, int, str]]:
    """The brackets (start, end, label) of the best tree over n words, in preorder; words are 0 … n - 1.

    marginals: the probability of each (start, end, label). second: a span has its most probable label, and further
    ones above or below it only if they are at least as probable as this.

    >>> best_brackets(3, {(0, 3, "S"): 1.0, (0, 2, "NP"): 0.6, (1, 3, "VP"): 0.4})
    [(0, 3, 'S'), (0, 2, 'NP')]
    """
    worth = []
    met: set[tuple[int, int]] = set()
    for bracket, p in sorted(marginals.items(), key=lambda pair: -pair[1]):
        if p > offset and (bracket[:2] not in met or p >= second):
            met.add(bracket[:2])
            worth.append((p - offset, bracket))
    starts, ends = (np.array([b[side] for _, b in worth], dtype=np.int32) for side in (0, 1))
    values = np.array([value for value, _ in worth], dtype=np.float64)
    chosen = _native.best_bracketing(n, starts, ends, values)
    found = []
    for k in chosen.tolist():
        start, end, label = worth[k][1]
        found.append((start, end, label or ""))
    return found


def tree_of_brackets(
    words: Sequence[str],
    tags: Sequence[str],
    brackets: Iterable[tuple[int, int, str]],
    *,
    root: str = "TOP",
    heights: Mapping[str, float] | None = None,
) -> Tree:
    """The tree of brackets that nest, below the root; of labels of one span the one of greater height is above.

    >>> print(tree_of_brackets(["time", "flies"], ["NN", "VBZ"], [(0, 2, "S"), (0, 1, "NP"), (1, 2, "VP")]))
    (TOP (S (NP (NN time)) (VP (VBZ flies))))
    """
    order = heights or {}
    inner = [bracket for bracket in brackets if bracket[2] != root]
    inner.sort(key=lambda b: (b[0], -b[1], -order.get(b[2], 0.0)))
    open_: list[tuple[int, str, list[Child]]] = [(len(words), root, [])]
    following = 0

    def close_until(position: int) -> None:
        while len(open_) > 1 and open_[-1][0] <= position:
            _, label, children = open_.pop()
            open_[-1][2].append(unchecked_tree(label, tuple(children)))

    for position, (word, tag) in enumerate(zip(words, tags)):
        close_until(position)
        while following < len(inner) and inner[following][0] == position:
            _, end, label = inner[following]
            if end > open_[-1][0]:
                raise ValueError(f"The brackets {label!r} and {open_[-1][1]!r} cross at word {position}.")
            open_.append((end, label, []))
            following += 1
        open_[-1][2].append(unchecked_tree(tag, (unchecked_leaf(word, position),)))
    close_until(len(words))
    return Tree(root, open_[0][2])


def chain_heights(trees: Iterable[Tree]) -> dict[str, float]:
    """For every label how often it is above another over the same words, minus how often below, per chain."""
    above: dict[str, float] = {}
    seen: dict[str, int] = {}
    for tree in trees:
        for node in tree.preorder():
            child = node.children[0]
            if len(node.children) == 1 and isinstance(child, Tree) and not child.is_preterminal:
                for label, step in ((node.label, 1.0), (child.label, -1.0)):
                    above[label] = above.get(label, 0.0) + step
                    seen[label] = seen.get(label, 0) + 1
    return {label: value / seen[label] for label, value in above.items()}


def averaged(
    marginals: Sequence[Marginals], weights: Sequence[float] | None = None
) -> dict[tuple[int, int, str], float]:
    """The mean of the marginals of several models: what their committee believes."""
    shares = [1.0] * len(marginals) if weights is None else list(weights)
    whole = sum(shares)
    mean: dict[tuple[int, int, str], float] = {}
    for share, table in zip(shares, marginals, strict=True):
        for bracket, p in table.items():
            mean[bracket] = mean.get(bracket, 0.0) + share * p / whole
    return mean
