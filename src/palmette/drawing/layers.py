"""Places for the nodes of a graph in layers, so that most edges lead from a layer to the next and few cross.

Edges that close a cycle are turned round for the layers (depth-first search); the layer of a node is the longest
path to it; an edge over several layers gets a bend in each between. In a layer nodes are ordered by the mean of
their neighbours, forth and back a few times, and are then pulled towards these (Sugiyama, Tagawa and Toda 1981).
O(rounds · (nodes + edges · layers)).
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

_ROUNDS = 12
_BEND = 8.0  # the size of a bend, in pixels

Edge = tuple[int, int]


@dataclass(frozen=True)
class Layers:
    """layer: that of every node; place: the middle of every node across; bends: of every edge (layer, place).

    The bends of an edge are in the order from its first node to its second. size: of the whole, across.
    """

    layer: list[int]
    place: list[float]
    bends: list[list[tuple[int, float]]]
    size: float


def layered(sizes: Sequence[float], edges: Sequence[Edge], gap: float) -> Layers:
    """Return places for nodes of these sizes (across the layers); edges from a node to itself are left out.

    >>> found = layered([10, 10, 10], [(0, 1), (0, 2)], 4)
    >>> found.layer, found.place
    ([0, 1, 1], [12.0, 5.0, 19.0])
    """
    turned = turned_edges(len(sizes), edges)
    downward = [(b, a) if turn else (a, b) for (a, b), turn in zip(edges, turned)]
    layer = _longest_paths(len(sizes), [edge for edge in downward if edge[0] != edge[1]])
    widths, layer_of = list(sizes), list(layer)
    bends: list[list[int]] = []
    steps: set[Edge] = set()
    for a, b in downward:
        path = [a]
        for between in range(layer[a] + 1, layer[b]):
            path.append(len(widths))
            widths.append(_BEND)
            layer_of.append(between)
        if a != b:
            path.append(b)
        steps.update(pairwise(path))
        bends.append(path[1:-1])
    rows = _ordered(layer_of, steps)
    places = _pulled(rows, widths, steps, gap)
    found = [[(layer_of[node], places[node]) for node in path] for path in bends]
    found = [path[::-1] if turn else path for path, turn in zip(found, turned)]
    size = max((place + width / 2 for place, width in zip(places, widths)), default=0.0)
    return Layers(layer, places[: len(sizes)], found, size)


def turned_edges(n: int, edges: Sequence[Edge]) -> list[bool]:
    """Say which edges lead back to a node that a depth-first search has entered and not left."""
    after: defaultdict[int, list[int]] = defaultdict(list)
    for number, (a, _) in enumerate(edges):
        after[a].append(number)
    found, state = [False] * len(edges), [0] * n
    for first in range(n):
        if state[first]:
            continue
        state[first] = 1
        stack = [(first, iter(after[first]))]
        while stack:
            node, rest = stack[-1]
            for number in rest:
                to = edges[number][1]
                if state[to] == 1:
                    found[number] = True
                elif state[to] == 0:
                    state[to] = 1
                    stack.append((to, iter(after[to])))
                    break
            else:
                state[node] = 2
                stack.pop()
    return found


def _longest_paths(n: int, edges: Sequence[Edge]) -> list[int]:
    """Return the length of the longest path to every node of an acyclic graph."""
    after: defaultdict[int, list[int]] = defaultdict(list)
    waiting, layer = [0] * n, [0] * n
    for a, b in edges:
        after[a].append(b)
        waiting[b] += 1
    ready = [node for node in range(n) if not waiting[node]]
    for node in ready:
        for to in after[node]:
            layer[to] = max(layer[to], layer[node] + 1)
            waiting[to] -= 1
            if not waiting[to]:
                ready.append(to)
    return layer


def _neighbours(steps: set[Edge]) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
    above: defaultdict[int, list[int]] = defaultdict(list)
    below: defaultdict[int, list[int]] = defaultdict(list)
    for a, b in sorted(steps):
        above[b].append(a)
        below[a].append(b)
    return above, below


def _ordered(layer: Sequence[int], steps: set[Edge]) -> list[list[int]]:
    """Return the nodes of each layer in an order with few crossings."""
    rows: list[list[int]] = [[] for _ in range(max(layer, default=-1) + 1)]
    for node, at in enumerate(layer):
        rows[at].append(node)
    above, below = _neighbours(steps)
    best, fewest = [list(row) for row in rows], _crossings(rows, below)
    for number in range(_ROUNDS):
        if not fewest:
            break
        rank = {node: float(i) for row in rows for i, node in enumerate(row)}
        neighbours = below if number % 2 else above
        for row in reversed(rows) if number % 2 else rows:
            # A node without neighbours keeps its place.
            free = [i for i, node in enumerate(row) if node in neighbours]
            nodes = sorted(
                (row[i] for i in free), key=lambda node: _mean([rank[o] for o in neighbours[node]], 0)
            )
            for i, node in zip(free, nodes):
                row[i] = node
                rank[node] = float(i)
        crossings = _crossings(rows, below)
        if crossings < fewest:
            best, fewest = [list(row) for row in rows], crossings
    return best


def _crossings(rows: Sequence[Sequence[int]], below: Mapping[int, Sequence[int]]) -> int:
    """Return how many pairs of edges cross."""
    count = 0
    for row, following in pairwise(rows):
        rank = {node: i for i, node in enumerate(following)}
        ends: list[int] = []  # of the edges met until now, in order
        for node in row:
            met = sorted(rank[to] for to in below.get(node, ()))
            count += sum(len(ends) - bisect_right(ends, end) for end in met)
            for end in met:
                insort(ends, end)
    return count


def _pulled(
    rows: Sequence[Sequence[int]], widths: Sequence[float], steps: set[Edge], gap: float
) -> list[float]:
    """Return the places of all nodes: near the mean of their neighbours, and nowhere closer than the gap."""
    above, below = _neighbours(steps)
    places = [0.0] * len(widths)
    for row in rows:
        at = 0.0
        for node in row:
            places[node] = at + widths[node] / 2
            at += widths[node] + gap
    for number in range(_ROUNDS):
        last = number == _ROUNDS - 1
        for row in reversed(rows) if number % 2 else rows:
            sides = (above, below) if last else (below,) if number % 2 else (above,)
            wanted = [
                _mean([places[o] for side in sides for o in side.get(node, ())], places[node]) for node in row
            ]
            _settle(row, wanted, widths, gap, places)
    least = min((place - width / 2 for place, width in zip(places, widths)), default=0.0)
    return [place - least for place in places]


def _settle(
    row: Sequence[int], wanted: Sequence[float], widths: Sequence[float], gap: float, places: list[float]
) -> None:
    """Put a row as near as possible to the wanted places: the mean of pushing to the right and to the left."""
    apart = [(widths[a] + widths[b]) / 2 + gap for a, b in pairwise(row)]
    right, left = list(wanted), list(wanted)
    for i, distance in enumerate(apart):
        right[i + 1] = max(right[i + 1], right[i] + distance)
    for i in reversed(range(len(apart))):
        left[i] = min(left[i], left[i + 1] - apart[i])
    for node, a, b in zip(row, right, left):
        places[node] = (a + b) / 2


def _mean(values: Sequence[float], default: float) -> float:
    return sum(values) / len(values) if values else default
