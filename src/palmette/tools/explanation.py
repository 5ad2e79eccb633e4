"""Explanations of decisions, as data: what each feature adds for the choice and against the runner-up.

A feature counts once in an explanation, wherever it occurs: what it gives both sides cancels
(`without_opposites`), and what it gives one side in several places is one amount (`summed`). Taggers and parsers
share these two.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np


@dataclass(frozen=True)
class Contribution:
    """A feature, the labels it speaks for and against, the token where it is (from 1), and what it adds.

    also: the numbers of the other tokens where it is; the amount is for all of them.
    """

    feature: str
    labels: str
    number: int
    token: str
    amount: float
    also: tuple[int, ...] = ()

    @property
    def places(self) -> str:
        """The tokens where it is, in words."""
        return ", ".join([f"{self.number} {self.token}", *map(str, self.also)])


@dataclass(frozen=True)
class Decision:
    """One token: its label and that label's probability, the runner-up and its, the margin and what it is made of.

    `contributions` come largest first and sum to `margin`; `others` is what those add that were left out. With one
    label only there is no runner-up.
    """

    number: int
    token: str
    label: str
    probability: float
    runner_up: str | None
    runner_up_probability: float
    margin: float
    contributions: tuple[Contribution, ...]
    others: float = 0.0

    def first(self, top: int) -> Decision:
        """The decision with its largest contributions only, and what the others add in one number."""
        rest = sum(c.amount for c in self.contributions[top:])
        return replace(self, contributions=self.contributions[:top], others=self.others + rest)

    def to_dict(self) -> dict[str, Any]:
        """As plain data; a margin without a runner-up is None."""
        return {**asdict(self), "margin": self.margin if np.isfinite(self.margin) else None}

    def __str__(self) -> str:
        head = f"{self.number}  {self.token}  {self.label} {self.probability:.3f}"
        if self.runner_up is None:
            return f"{head}, the only label that can stand here"
        head += f", runner-up {self.runner_up} {self.runner_up_probability:.3f}, margin {self.margin:+.3f}"
        width = max((len(c.feature) for c in self.contributions), default=0)
        lines = [
            f"   {c.amount:+8.3f}  {c.feature:<{width}}  {c.labels}"
            + (f", at {c.places}" if c.number != self.number or c.also else "")
            for c in self.contributions
        ]
        if self.others:
            lines.append(f"   {self.others:+8.3f}  all others")
        return "\n".join([head, *lines])


class Explained(Protocol):
    """A decision of whatever kind."""

    def first(self, top: int) -> Self: ...
    def to_dict(self) -> dict[str, Any]: ...


D = TypeVar("D", bound=Explained)
K = TypeVar("K", bound=Hashable)
P = TypeVar("P")
_DIGITS = 9  # after the point: amounts that differ by less are equal


@dataclass(frozen=True)
class Explanation(Generic[D]):
    """The decisions of one sentence, token by token, or about whatever the noun says."""

    decisions: tuple[D, ...]
    noun: str = "tokens"

    def of(self, token: int | None = None, top: int | None = None) -> Explanation[D]:
        """The part about one token (from 1), with so many contributions each."""
        chosen = self.decisions if token is None else self.decisions[token - 1 : token]
        return replace(self, decisions=chosen if top is None else tuple(d.first(top) for d in chosen))

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {self.noun: [decision.to_dict() for decision in self.decisions]}

    def __str__(self) -> str:
        return "\n".join(map(str, self.decisions))


def without_opposites(parts: Iterable[P], key: Callable[[P], tuple[Hashable, float]]) -> list[P]:
    """Return the parts without the pairs that cancel: the same feature with opposite amounts.

    key: a part's feature and its amount.

    >>> without_opposites([("a", 2.0), ("b", 1.0), ("a", -2.0), ("b", 1.0)], lambda part: part)
    [('b', 1.0), ('b', 1.0)]
    """
    kept: dict[int, P] = {}
    waiting: defaultdict[tuple[Hashable, float], list[int]] = defaultdict(list)
    for i, part in enumerate(parts):
        feature, amount = key(part)
        opposite = waiting[feature, round(-amount, _DIGITS)]
        if opposite and amount:
            del kept[opposite.pop()]
        else:
            kept[i] = part
            waiting[feature, round(amount, _DIGITS)].append(i)
    return list(kept.values())


def summed(parts: Iterable[tuple[K, float]]) -> list[tuple[K, float]]:
    """Return every feature once with all that it adds, the largest first; those that add nothing are left out.

    >>> summed([("a", 2.0), ("b", -3.0), ("a", -1.0), ("c", 1.0), ("c", -1.0)])
    [('b', -3.0), ('a', 1.0)]
    """
    amounts: defaultdict[K, list[float]] = defaultdict(list)
    for feature, amount in parts:
        amounts[feature].append(float(amount))
    sums = ((feature, math.fsum(all_of_it)) for feature, all_of_it in amounts.items())
    return sorted((pair for pair in sums if round(pair[1], _DIGITS)), key=lambda pair: -abs(pair[1]))
