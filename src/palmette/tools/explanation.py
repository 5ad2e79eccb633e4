"""Explanations of decisions, as data: what each feature adds for the choice and against its rival.

Every tool explains with the same records. A `Decision` says what was chosen, what the rival was, and by what
margin; its contributions and the rest sum to the margin. A feature counts once in an explanation, wherever it
occurs: what it gives both sides cancels (`without_opposites`), and what it gives one side in several places is
one amount (`summed`).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from html import escape
from itertools import groupby
from typing import Any, TypeVar

_NEGLIGIBLE = 1e-9
MOST_DRAWN, MOST_BARS = 12, 8  # decisions, and amounts of each, in a picture


@dataclass(frozen=True)
class Contribution:
    """A feature, and what it adds to a margin.

    where: the numbers of the tokens where it is, from 1; the amount is for all of them. detail: what else there
    is to say, such as the labels it speaks for and against.
    """

    feature: str
    amount: float
    where: tuple[int, ...] = ()
    detail: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data; an infinite amount is None."""
        return {
            "feature": self.feature,
            "amount": _finite(self.amount),
            "where": list(self.where),
            "detail": self.detail,
        }


@dataclass(frozen=True)
class Decision:
    """One choice of a tool, and why it was made.

    subject: what the choice is about: a word, an item, a bracket. chosen: what was chosen; rival: the best
    alternative, or the one that was asked for; None where there is none. margin: the score of the choice minus
    that of the rival, infinite without a rival; of a language model, the log-probability of the word.
    contributions: the largest first; with `rest`, what those add that were left out, they sum to the margin.
    extra: what this kind of tool knows beside, by name. text: the choice in words, for people.
    """

    subject: str
    chosen: Any
    rival: Any
    margin: float
    contributions: tuple[Contribution, ...] = ()
    rest: float = 0.0
    extra: Mapping[str, Any] = field(default_factory=dict)
    text: str = field(default="", repr=False)

    def first(self, top: int) -> Decision:
        """Return the decision with its largest contributions only, and the others in the rest."""
        left_out = math.fsum(part.amount for part in self.contributions[top:])
        return replace(self, contributions=self.contributions[:top], rest=self.rest + left_out)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data, with what is extra beside the rest; an infinite margin is None."""
        return {
            "subject": self.subject,
            "chosen": self.chosen,
            "rival": self.rival,
            "margin": _finite(self.margin),
            "contributions": [part.to_dict() for part in self.contributions],
            "rest": self.rest,
            **self.extra,
        }

    def __str__(self) -> str:
        width = max((len(part.feature) for part in self.contributions if part.detail), default=0)
        amounts = [*(part.amount for part in self.contributions), self.rest]
        digits = 3 if max(map(abs, amounts)) >= 0.1 else 5
        lines = [
            f"   {part.amount:+8.{digits}f}  " + f"{part.feature:<{width}}  {part.detail}".rstrip()
            for part in self.contributions
        ]
        if abs(self.rest) > _NEGLIGIBLE:
            lines.append(f"   {self.rest:+8.{digits}f}  all others")
        return "\n".join([self.text, *lines])


K = TypeVar("K", bound=Hashable)
P = TypeVar("P")
_DIGITS = 9  # after the point: amounts that differ by less are equal


@dataclass(frozen=True)
class Explanation:
    """The decisions about one input: token by token, or about whatever the noun says."""

    decisions: tuple[Decision, ...]
    noun: str = "tokens"

    def of(self, token: int | None = None, top: int | None = None) -> Explanation:
        """Return the part about one token (from 1), with at most `top` contributions to each decision."""
        chosen = self.decisions if token is None else self.decisions[token - 1 : token]
        return replace(self, decisions=chosen if top is None else tuple(d.first(top) for d in chosen))

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {self.noun: [decision.to_dict() for decision in self.decisions]}

    def svgs(self, most: int = MOST_DRAWN) -> list[str]:
        """Return an SVG image for each of the first decisions: what speaks for it, and what against it."""
        return [_bars(decision) for decision in self.decisions[:most]]

    def _repr_html_(self) -> str:
        left_out = len(self.decisions) - MOST_DRAWN
        more = f"<p>… and {left_out:,} more {escape(self.noun)}</p>" if left_out > 0 else ""
        return "".join(f"<div>{image}</div>" for image in self.svgs()) + more

    def __str__(self) -> str:
        return "\n".join(map(str, self.decisions))


def _bars(decision: Decision) -> str:
    """Return a decision as bars of the largest amounts; the others are one bar, so that all sum to the margin."""
    from palmette.drawing.amounts import Amount, draw_amounts_svg

    first = decision.first(MOST_BARS)
    bars = [Amount(one.feature, one.amount, one.detail) for one in first.contributions]
    if abs(first.rest) > _NEGLIGIBLE:
        bars.append(Amount("all others", first.rest))
    title = decision.text.strip() or f"{decision.subject}: {decision.chosen}"
    return draw_amounts_svg(title.splitlines()[0], [one for one in bars if math.isfinite(one.amount)])


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def ranked(amounts: Mapping[str, float]) -> tuple[Contribution, ...]:
    """Return the contributions of features by name, the largest first; those that add nothing are left out."""
    ordered = sorted(amounts.items(), key=lambda pair: (-abs(pair[1]), pair[0]))
    return tuple(Contribution(name, amount) for name, amount in ordered if amount)


def places(where: Iterable[int]) -> str:
    """Return numbers of tokens in words, runs of them by their ends.

    >>> places([1, 3, 4, 5])
    '1, 3-5'
    """
    runs = groupby(enumerate(sorted(where)), key=lambda pair: pair[1] - pair[0])
    ends = [[number for _, number in run] for _, run in runs]
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in ends)


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
