"""What it costs to collect the nonterminals of a rule in some order, with an n-gram model. CSC 448, §17.1.

While parsing the source, a partial item has the source spans of what is collected, and for each of their target
pieces the first and last m - 1 words, for an m-gram model. A step joins a partial item and one nonterminal. It
costs

    n^(positions + words · (m - 1))

where `positions` are the different ends of source spans in the step, and `words` twice the number of target pieces
before the step, two for each partial piece and two for the new nonterminal. The cost of an order is that of its
most expensive step. All at once, k nonterminals cost n^(k + 1 + 2k(m - 1)). To find the best order is
NP-complete in general; here it is found over all sets of nonterminals, 2ᵏ k steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

MAX_RANK = 16  # of a permutation whose best order is found


class CollectingCost(NamedTuple):
    """The exponents of n: source positions, and groups of m - 1 target words."""

    positions: int
    words: int

    def exponent(self, order: int) -> int:
        """The exponent of n for a language model of this order, 3 for trigrams."""
        return self.positions + self.words * (order - 1)

    def __str__(self) -> str:
        return f"n^({self.positions} + {self.words}(m - 1))"


def cost_at_once(permutation: Sequence[int]) -> CollectingCost:
    """The cost if all nonterminals are joined in one step.

    >>> print(cost_at_once([2, 0, 3, 1]))
    n^(5 + 8(m - 1))
    """
    return CollectingCost(len(permutation) + 1, 2 * len(permutation))


def collecting_cost(permutation: Sequence[int], collected: Iterable[int], order: int = 3) -> CollectingCost:
    """The cost of the most expensive step when nonterminals are collected in this order, for an n-gram order.

    permutation: the numbers of the nonterminals in target order. collected: their numbers, in the order of the
    steps.

    >>> print(collecting_cost([2, 0, 3, 1], [0, 1, 2, 3]))
    n^(3 + 6(m - 1))
    """
    steps = list(collected)
    places = _places(permutation)
    if sorted(steps) != list(range(len(places))):
        raise ValueError(
            f"The order must name each of the {len(places)} nonterminals once. Got {steps!r:.200}."
        )
    if order < 1:
        raise ValueError(f"The order of a language model is at least 1. Got {order}.")
    done = 0
    worst = CollectingCost(2, 2) if len(steps) == 1 else CollectingCost(0, 0)
    for number, step in enumerate(steps):
        if number:
            worst = _worse(worst, _step_cost(places, done, step), order)
        done |= 1 << step
    return worst


def best_order(permutation: Sequence[int], order: int = 3) -> tuple[tuple[int, ...], CollectingCost]:
    """The order with the smallest cost, and its cost; among equals, the first in the order of the source.

    >>> best_order([2, 0, 3, 1], order=3)  # fewer words are worth more positions
    ((0, 2, 3, 1), CollectingCost(positions=5, words=4))
    """
    places = _places(permutation)
    k = len(places)
    if k > MAX_RANK:
        raise ValueError(f"The best order is found for at most {MAX_RANK} nonterminals. Got {k}.")
    if k < 2:
        return tuple(range(k)), collecting_cost(permutation, range(k), order)
    best: dict[int, tuple[tuple[int, int], tuple[int, ...], CollectingCost]] = {
        1 << first: ((0, 0), (first,), CollectingCost(0, 0)) for first in range(k)
    }
    for done in range(1, 1 << k):
        _, steps, cost = best[done]
        for step in range(k):
            if done >> step & 1:
                continue
            worst = _worse(cost, _step_cost(places, done, step), order)
            found = (worst.exponent(order), sum(worst)), (*steps, step), worst
            after = done | 1 << step
            if after not in best or found[:2] < best[after][:2]:
                best[after] = found
    _, steps, cost = best[(1 << k) - 1]
    return steps, cost


def _step_cost(places: Sequence[int], done: int, step: int) -> CollectingCost:
    """The cost of adding a nonterminal to those in the bit set `done`."""
    inside = [number for number in range(len(places)) if done >> number & 1]
    spans = sum(1 for number in inside if not (number and done >> (number - 1) & 1))
    joints = (step > 0 and done >> (step - 1) & 1) + (done >> (step + 1) & 1)
    taken = {places[number] for number in inside}
    pieces = sum(1 for place in taken if place - 1 not in taken)
    return CollectingCost(2 * spans + 2 - joints, 2 * pieces + 2)


def _worse(one: CollectingCost, other: CollectingCost, order: int) -> CollectingCost:
    return max(one, other, key=lambda cost: (cost.exponent(order), sum(cost)))


def _places(permutation: Sequence[int]) -> list[int]:
    """Where each nonterminal is on the target side."""
    if sorted(permutation) != list(range(len(permutation))):
        raise ValueError(
            f"A permutation has each of the numbers 0 … n - 1 once. Got {list(permutation)!r:.200}."
        )
    places = [0] * len(permutation)
    for place, number in enumerate(permutation):
        places[number] = place
    return places
