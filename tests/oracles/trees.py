"""The conditions on dependency graphs as they are defined, by trying everything: oracles for small graphs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise, product

Heads = Sequence[int]


def all_heads(n: int, lowest: int = -1, highest: int | None = None) -> Iterator[tuple[int, ...]]:
    """Every assignment of heads to n words."""
    return product(range(lowest, (n if highest is None else highest) + 1), repeat=n)


def arcs(heads: Heads) -> list[tuple[int, int]]:
    return [(h, m) for m, h in enumerate(heads, 1) if 0 <= h <= len(heads)]


def dominated(heads: Heads, node: int) -> set[int]:
    found = {node}
    while True:
        more = {m for h, m in arcs(heads) if h in found} - found
        if not more:
            return found
        found |= more


def is_connected(heads: Heads) -> bool:
    found = {0}
    while True:
        more = {b for h, m in arcs(heads) for a, b in ((h, m), (m, h)) if a in found} - found
        if not more:
            return len(found) == len(heads) + 1
        found |= more


def is_acyclic(heads: Heads) -> bool:
    return not any(h in dominated(heads, m) for h, m in arcs(heads))


def crossed(heads: Heads) -> list[bool]:
    """Which words have an arc that is not projective."""
    wrong = {m for h, m in arcs(heads) if not set(range(min(h, m) + 1, max(h, m))) <= dominated(heads, h)}
    return [m in wrong for m in range(1, len(heads) + 1)]


def gap_degree(heads: Heads) -> int:
    def gaps(words: set[int]) -> int:
        ordered = sorted(words)
        return sum(b - a > 1 for a, b in pairwise(ordered))

    return max(gaps(dominated(heads, node)) for node in range(len(heads) + 1))


def interleave(first: set[int], second: set[int]) -> bool:
    def alternate(a: set[int], b: set[int]) -> bool:
        return any(w < x < y < z for w in a for x in b for y in a for z in b)

    return alternate(first, second) or alternate(second, first)


def is_well_nested(heads: Heads) -> bool:
    sets = {frozenset(dominated(heads, node)) for node in range(len(heads) + 1)}
    return not any(not a & b and interleave(set(a), set(b)) for a, b in combinations(sets, 2))


def depth(heads: Heads) -> int:
    """-1 if it is no tree."""
    if not is_connected(heads):
        return -1

    def below(node: int) -> int:
        return max((1 + below(m) for h, m in arcs(heads) if h == node), default=0)

    return below(0)


def crossings(heads: Heads) -> set[frozenset[tuple[int, int]]]:
    def cross(a: tuple[int, int], b: tuple[int, int]) -> bool:
        return min(a) < min(b) < max(a) < max(b)

    return {frozenset(p) for p in combinations(arcs(heads), 2) if cross(*p) or cross(*p[::-1])}


def projectivised(heads: Heads) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The heads after all lifts, and the lifts of each word."""
    now, lifts = list(heads), [0] * len(heads)
    while any(crossed(now)):
        wrong = [(h, m) for h, m in arcs(now) if crossed(now)[m - 1]]
        h, m = min(wrong, key=lambda arc: (abs(arc[0] - arc[1]), min(arc), arc[1]))
        now[m - 1] = now[h - 1]
        lifts[m - 1] += 1
    return tuple(now), tuple(lifts)
