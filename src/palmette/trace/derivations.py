"""How the general engine found each value: the edges of a forest with what they multiply."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from palmette.inference.facts import Item
from palmette.inference.forest import Forest
from palmette.inference.semiring import MAX


@dataclass(frozen=True)
class Way:
    """One way to derive an item: the items it uses, the log-weights of its facts, and its value."""

    items: tuple[Item, ...]
    facts: tuple[tuple[Item, float], ...]
    value: float


@dataclass(frozen=True)
class Derived:
    """An item, its value, and the ways to it in the order of the engine."""

    item: Item
    node: int
    value: float
    ways: tuple[Way, ...]

    @property
    def best(self) -> Way:
        """The way of the greatest value, the first of equals."""
        return max(self.ways, key=lambda way: way.value)


def derived(forest: Forest, semiring: Any = MAX) -> Iterator[Derived]:
    """Yield the derived items, what they use before them, with the values of an inside pass."""
    graph, scores = forest.graph, forest.scores
    values = graph.inside(scores, semiring)
    names = {node: item for item, node in forest.items.items()}
    bounds = graph.edge_start
    leaves = {node for node in names if _is_leaf(forest, node)}
    for node in graph.order.tolist():
        if node == graph.root or node in leaves:
            continue
        ways = []
        for edge in range(int(bounds[node]), int(bounds[node + 1])):
            tails = graph.tails_of(edge).tolist()
            part = int(graph.labels[edge])
            fact = forest.fact(part)
            facts = [] if fact is None else [(fact, float(scores[part]))]
            facts += [(names[tail], float(values[tail])) for tail in tails if tail in leaves]
            items = tuple(names[tail] for tail in tails if tail not in leaves)
            value = float(scores[part]) + sum(float(values[tail]) for tail in tails)
            ways.append(Way(items, tuple(facts), value))
        if ways:
            yield Derived(names[node], node, float(values[node]), tuple(ways))


def _is_leaf(forest: Forest, node: int) -> bool:
    """Is a node a fact: one edge without tails, which carries the fact itself?"""
    first, last = int(forest.graph.edge_start[node]), int(forest.graph.edge_start[node + 1])
    if last - first != 1 or len(forest.graph.tails_of(first)):
        return False
    return forest.fact(int(forest.graph.labels[first])) == forest.item(node)
