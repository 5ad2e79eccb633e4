"""The k best rows of independent choices: one of each list. O(n · k² log k) for n lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from palmette.tools.ranked import Ranked

T = TypeVar("T")


def best_products(lists: Sequence[Sequence[Ranked[T]]], k: int) -> list[tuple[list[T], float]]:
    """The k rows with the highest sums of scores; each list has its best first.

    >>> best_products([[Ranked("a", 0.0), Ranked("b", -1.0)], [Ranked("c", 0.0), Ranked("d", -0.5)]], 2)
    [(['a', 'c'], 0.0), (['a', 'd'], -0.5)]
    """
    rows: list[tuple[list[T], float]] = [([], 0.0)]
    for choices in lists:
        # Only the first k / (j + 1) rows with the j-th best choice can be among the k best.
        made = [
            ([*row, choice.output], total + choice.score)
            for j, choice in enumerate(choices[:k])
            for row, total in rows[: k // (j + 1)]
        ]
        rows = sorted(made, key=lambda pair: -pair[1])[:k]
    return rows
