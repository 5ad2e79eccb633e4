"""A tree for words that no tree of a grammar covers: the best sequence of fragments, side by side below the root.

    best(j) = max over fragments (i, j) of  best(i) + score - cost

The cost of a fragment makes few and long ones win. Linear in the number of fragments.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf

from palmette.trees.tree import Child, Tree

NOTE = "No tree of the grammar covers these words; this one joins the best fragments."


def best_fragments(
    n: int, starts: Sequence[int], ends: Sequence[int], scores: Sequence[float], *, cost: float = 10.0
) -> list[int]:
    """The numbers of the fragments that cover words 0 … n - 1, from left to right; empty if no sequence does.

    A fragment covers the words from its start to its end - 1; its score is a log-probability.

    >>> best_fragments(3, [0, 0, 1, 2], [1, 2, 3, 3], [-1.0, -5.0, -2.0, -1.0])
    [0, 2]
    """
    by_end: list[list[int]] = [[] for _ in range(n + 1)]
    for k, end in enumerate(ends):
        by_end[end].append(k)
    best = [0.0] + [-inf] * n
    last = [-1] * (n + 1)
    for end in range(1, n + 1):
        for k in by_end[end]:
            score = best[starts[k]] + scores[k] - cost
            if score > best[end]:
                best[end], last[end] = score, k
    if last[n] < 0:
        return []
    chosen = []
    end = n
    while end > 0:
        chosen.append(last[end])
        end = starts[last[end]]
    return chosen[::-1]


def tree_of_fragments(fragments: Sequence[Child], *, root: str = "TOP") -> Tree:
    """The fragments below the root; one that is the root itself gives its children."""
    children: list[Child] = []
    for fragment in fragments:
        if isinstance(fragment, Tree) and fragment.label == root:
            children.extend(fragment.children)
        else:
            children.append(fragment)
    return Tree(root, children)


def fragment_tree(
    n: int,
    starts: Sequence[int],
    ends: Sequence[int],
    scores: Sequence[float],
    tree: Callable[[int], Child],
    *,
    cost: float = 10.0,
    root: str = "TOP",
) -> Tree | None:
    """The tree of the best fragments, each made by `tree(k)`; None if they do not reach over all words."""
    chosen = best_fragments(n, starts, ends, scores, cost=cost)
    return tree_of_fragments([tree(k) for k in chosen], root=root) if chosen else None
