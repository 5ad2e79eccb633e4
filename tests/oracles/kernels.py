"""Kernels by their definitions, slow and plain, and small random things to try them on."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence

from palmette.trees.tree import Leaf, Tree


def random_tree(rng: random.Random, depth: int = 3, width: int = 3) -> Tree:
    """A small tree over few labels and words; words may stand beside nodes, and a label may be a tag or not."""
    position = itertools.count()

    def grow(depth: int) -> Tree | Leaf:
        if depth == 0 or rng.random() < 0.15:
            return Leaf(rng.choice("xy"), next(position))
        return Tree(rng.choice("ABC"), [grow(depth - 1) for _ in range(rng.randint(1, width))])

    made = grow(depth)
    return made if isinstance(made, Tree) else Tree("A", [made])


def kept_children(node: Tree, words: bool) -> list[Tree | Leaf]:
    return [child for child in node.children if words or isinstance(child, Tree)]


def symbol(node: Tree | Leaf) -> tuple[str, str]:
    return ("node", node.label) if isinstance(node, Tree) else ("word", node.word)


def production(node: Tree, words: bool) -> list[tuple[str, str]]:
    return [symbol(node), *(symbol(child) for child in kept_children(node, words))]


def nodes(tree: Tree, words: bool) -> list[Tree | Leaf]:
    return [*tree.preorder(), *(tree.leaves if words else [])]


def subset_delta(a: Tree | Leaf, b: Tree | Leaf, decay: float, words: bool) -> float:
    if isinstance(a, Leaf) or isinstance(b, Leaf):
        return 0.0
    below = kept_children(a, words), kept_children(b, words)
    if not below[0] or production(a, words) != production(b, words):
        return 0.0
    return decay * math.prod(1 + subset_delta(c, d, decay, words) for c, d in zip(*below))


def complete_delta(a: Tree | Leaf, b: Tree | Leaf, decay: float, words: bool) -> float:
    if isinstance(a, Leaf) or isinstance(b, Leaf) or not kept_children(a, words):
        return 0.0
    return decay ** _n_rules(a, words) if _same(a, b, words) else 0.0


def _same(a: Tree | Leaf, b: Tree | Leaf, words: bool) -> bool:
    if symbol(a) != symbol(b):
        return False
    if isinstance(a, Leaf) or isinstance(b, Leaf):
        return True
    below = kept_children(a, words), kept_children(b, words)
    return len(below[0]) == len(below[1]) and all(_same(c, d, words) for c, d in zip(*below))


def _n_rules(a: Tree | Leaf, words: bool) -> int:
    if isinstance(a, Leaf) or not kept_children(a, words):
        return 0
    return 1 + sum(_n_rules(child, words) for child in kept_children(a, words))


def partial_delta(a: Tree | Leaf, b: Tree | Leaf, decay: float, mu: float, words: bool) -> float:
    """μ (λ² + Σ over pairs of index sequences of λ^(gaps) Π Δ), all of them written out."""
    if symbol(a) != symbol(b):
        return 0.0
    left = kept_children(a, words) if isinstance(a, Tree) else []
    right = kept_children(b, words) if isinstance(b, Tree) else []
    total = decay**2
    for size in range(1, min(len(left), len(right)) + 1):
        for i in itertools.combinations(range(len(left)), size):
            for j in itertools.combinations(range(len(right)), size):
                gaps = (i[-1] - i[0] + 1 - size) + (j[-1] - j[0] + 1 - size)
                deltas = (partial_delta(left[x], right[y], decay, mu, words) for x, y in zip(i, j))
                total += decay**gaps * math.prod(deltas)
    return mu * total


def tree_kernel(a: Tree, b: Tree, kind: str, decay: float, mu: float, words: bool) -> float:
    """Σ over all pairs of nodes, by recursion."""

    def delta(x: Tree | Leaf, y: Tree | Leaf) -> float:
        if kind == "partial":
            return partial_delta(x, y, decay, mu, words)
        return (subset_delta if kind == "subset" else complete_delta)(x, y, decay, words)

    return math.fsum(delta(x, y) for x in nodes(a, words) for y in nodes(b, words))


def subsequence_kernel(s: Sequence[str], t: Sequence[str], n: int, decay: float) -> float:
    total = 0.0
    for i in itertools.combinations(range(len(s)), n):
        for j in itertools.combinations(range(len(t)), n):
            if [s[x] for x in i] == [t[y] for y in j]:
                total += decay ** (i[-1] - i[0] + 1 + j[-1] - j[0] + 1)
    return total


def tagged_kernel(
    s: Sequence[tuple[str, str]], t: Sequence[tuple[str, str]], decay: float, pi, longest: int | None = None
) -> float:
    """Σ_ij Δ(i, j) by the recursion of Kernel Methods; pi(word, word) is 1, 0.5 or 0. longest: of fragments."""

    def delta(i: int, j: int, left: int) -> float:
        if not left or i == len(s) or j == len(t) or s[i][1] != t[j][1]:
            return 0.0
        return (1 + pi(s[i][0], t[j][0])) * (1 + decay * delta(i + 1, j + 1, left - 1))

    left = len(s) if longest is None else longest
    return math.fsum(delta(i, j, left) for i in range(len(s)) for j in range(len(t)))
