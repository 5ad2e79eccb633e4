"""The subset-tree kernel in Python: by recursion over all pairs of nodes, and over productions that are sorted."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from palmette.trees.tree import Leaf, Tree

Production = tuple[str, ...]


@dataclass(eq=False)
class Node:
    """A node with its production; `children` are the nodes below it, words left out."""

    production: Production
    children: list[Node] = field(default_factory=list)


def nodes_of(tree: Tree) -> list[Node]:
    """In postfix order."""
    found: list[Node] = []

    def node(item: Tree, below: list[tuple[str, Node | None]]) -> tuple[str, Node | None]:
        made = Node((item.label, *(name for name, _ in below)), [child for _, child in below if child])
        found.append(made)
        return item.label, made

    def leaf(item: Leaf) -> tuple[str, Node | None]:
        return f'"{item.word}"', None

    tree.fold(leaf, node)
    return found


def naive(one: list[Node], two: list[Node], decay: float) -> float:
    """Σ over all pairs of nodes, each by recursion."""

    def delta(a: Node, b: Node) -> float:
        if a.production != b.production:
            return 0.0
        product = decay
        for c, d in zip(a.children, b.children):
            product *= 1 + delta(c, d)
        return product

    return sum(delta(a, b) for a in one for b in two)


@dataclass
class SortedTree:
    """Nodes by production, and the productions in order."""

    productions: list[int]
    nodes: dict[int, list[Node]]


def sorted_tree(nodes: list[Node], ids: dict[Production, int]) -> SortedTree:
    by_production: dict[int, list[Node]] = defaultdict(list)
    for node in nodes:
        by_production[ids.setdefault(node.production, len(ids))].append(node)
    return SortedTree(sorted(by_production), dict(by_production))


def by_sorted_productions(one: SortedTree, two: SortedTree, decay: float) -> float:
    """A merge of the productions finds the pairs that match; Δ is kept for each."""
    memo: dict[tuple[Node, Node], float] = {}

    def delta(a: Node, b: Node) -> float:
        if a.production != b.production:
            return 0.0
        key = (a, b)
        known = memo.get(key)
        if known is None:
            known = decay
            for c, d in zip(a.children, b.children):
                known *= 1 + delta(c, d)
            memo[key] = known
        return known

    total = 0.0
    i = j = 0
    left, right = one.productions, two.productions
    while i < len(left) and j < len(right):
        if left[i] < right[j]:
            i += 1
        elif right[j] < left[i]:
            j += 1
        else:
            for a in one.nodes[left[i]]:
                for b in two.nodes[right[j]]:
                    total += delta(a, b)
            i += 1
            j += 1
    return total
