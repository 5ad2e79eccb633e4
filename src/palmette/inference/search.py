"""Orders of search: in which order items leave the agenda of a deduction, and which of them never do.

CSC 448, §7. `Exhaustive` derives everything; the others look at the scores on the way and stop early.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy.typing as npt

from palmette.inference.semiring import checked_count


@dataclass(frozen=True)
class Exhaustive:
    """Every item that can be derived."""


@dataclass(frozen=True)
class BestFirst:
    """The best item first until the goal is reached (Dijkstra; Knuth 1977). Weights must not exceed one.

    A condition `?item` holds from when that item was reached: where a good derivation waits for a condition of
    lower weight, a worse one may come first.
    """


@dataclass(frozen=True)
class AStar:
    """By score + weight · heuristic, until the goal is reached.

    `heuristic` is an upper bound of the log-score that completing an item to the goal can add: a function of
    the item, or an array with one number per bucket (the rules then say which bucket an item belongs to). With
    weight 1 and a true bound the result is exact; a greater weight finds the goal sooner, and a cost of at most
    `weight` times the best.
    """

    heuristic: Callable[[Any], float] | npt.ArrayLike
    weight: float = 1.0

    def __post_init__(self) -> None:
        if not 0 <= self.weight < math.inf:
            raise ValueError(
                f"the weight of the heuristic must be a finite number of at least 0, got {self.weight}"
            )


@dataclass(frozen=True)
class Beam:
    """Multi-stack search: the buckets in ascending order, each down to its `top` best items or to those within
    `width` of its best log-score, whichever ends first. Not exact. Items without a bucket come last.
    """

    top: int | None = None
    width: float = math.inf

    def __post_init__(self) -> None:
        if self.top is not None:
            checked_count(self.top, "top", least=1)
        if not self.width >= 0:
            raise ValueError(f"width must not be negative, got {self.width}")


Search: TypeAlias = Exhaustive | BestFirst | AStar | Beam
