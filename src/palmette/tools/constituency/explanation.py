"""Why a tree has a bracket: the best tree against the best one without it.

The margin is the difference of the two trees' scores, and exactly the sum of what each feature or rule gives the
one more than the other, wherever they differ.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from palmette.tools.constituency.model import (
    Bracket,
    ConstituencyModel,
    Constraints,
    Contribution,
    Marginals,
    Parse,
)
from palmette.tools.explanation import Explanation, summed, without_opposites
from palmette.trees.tree import Tree

_RANKED = 50  # trees that are looked through where a model cannot use constraints
_RISKY = (
    "The margin is negative: the other tree scores higher, but the parser chooses the tree of minimum risk, "
    "with the most expected right brackets."
)
_PRUNED = (
    "The margin is negative: the other tree scores higher, but the search for the best tree had pruned it; "
    "the search for the other tree looked at more."
)
_DIFFERS = (
    "This explains the tree with the highest score; the parser predicts the tree of minimum risk, which is one {} "
    "this bracket."
)


@dataclass(frozen=True)
class BracketDecision:
    """One bracket: its words from start to end - 1, its probability if there is one, the rival, and why.

    present: whether the best tree has the bracket; the rival is then the best tree without it, else the best with
    it. instead: the brackets that the rival has and the best tree has not, or `missing` the other way round.
    `contributions` come largest first and sum to `margin`; `others` is what those add that were left out. Without
    a rival, every tree has the bracket (or none has it). note: sentences about a negative margin, and about a
    bracket in which the best tree and the tree that `predict` gives differ; mostly empty.
    """

    label: str
    start: int
    end: int
    words: str
    present: bool
    probability: float | None
    rival: str | None
    instead: tuple[Bracket, ...]
    missing: tuple[Bracket, ...]
    margin: float
    contributions: tuple[Contribution, ...]
    others: float = 0.0
    note: str = ""

    def first(self, top: int) -> BracketDecision:
        """The decision with its largest contributions only, and what the others add in one number."""
        rest = math.fsum(part.amount for part in self.contributions[top:])
        return replace(self, contributions=self.contributions[:top], others=self.others + rest)

    def to_dict(self) -> dict[str, Any]:
        """As plain data; a margin without a rival is None."""
        return {
            **asdict(self),
            "instead": [bracket._asdict() for bracket in self.instead],
            "missing": [bracket._asdict() for bracket in self.missing],
            "contributions": [part._asdict() for part in self.contributions],
            "margin": self.margin if math.isfinite(self.margin) else None,
        }

    def __str__(self) -> str:
        head = f"{_shown(Bracket(self.start, self.end, self.label))}  {self.words}"
        if self.probability is not None:
            head += f"  {self.probability:.3f}"
        if self.rival is None:
            where = "in every tree that there is" if self.present else "in no tree that there is"
            return "\n".join([f"{head}, {where}", *([f"   {self.note}"] if self.note else [])])
        other = ", ".join(map(_shown, self.instead)) or "nothing"
        head += (f", else {other}" if self.present else ", not in the tree") + f", margin {self.margin:+.3f}"
        lines = [f"   {part.amount:+8.3f}  {part.feature}{_place(part)}" for part in self.contributions]
        if self.others:
            lines.append(f"   {self.others:+8.3f}  all others")
        if self.note:
            lines.append(f"   {self.note}")
        return "\n".join([head, *lines])


def explain_brackets(
    model: ConstituencyModel, words: Sequence[str], asked: Bracket | None = None
) -> Explanation[BracketDecision]:
    """The decisions for a sentence, one search for each bracket; or for one that is asked for."""
    if not words:
        raise ValueError("There is no word to explain.")
    if len(words) > model.max_words:
        raise ValueError(
            f"The sentence has {len(words):,} words, and an explanation is for at most {model.max_words:,}: "
            "explain a part of it, or raise the option 'max_words'."
        )
    ((best, *_),) = model.kbest([words], 1)
    there = brackets_of(best.tree)
    if asked is not None and not 0 <= asked.start < asked.end <= len(words):
        raise ValueError(f"The sentence has {len(words)} words, and no bracket {_shown(asked)}.")
    wanted = list(dict.fromkeys(there)) if asked is None else [asked]
    try:
        (likely,) = model.marginals([words])
    except ValueError:
        likely = None
    mine = model.contributions(words, best.tree)
    rivals = _rivals(model, words, wanted, set(there))
    (predicted,) = model.parse([words])
    has = set(brackets_of(predicted.tree))
    found = []
    for bracket, rival in zip(wanted, rivals, strict=True):
        made = _decision(model, words, bracket, bracket in there, best, mine, rival, likely)
        notes = []
        if made.margin < 0:
            notes.append(_why_negative(model, words, rival))
        if made.present is not (bracket in has):
            notes.append(_DIFFERS.format("without" if made.present else "with"))
        found.append(replace(made, note=" ".join(notes)))
    return Explanation(tuple(found), "brackets")


def _why_negative(model: ConstituencyModel, words: Sequence[str], rival: Parse | None) -> str:
    """Return why a tree was chosen that has a lower score than its rival."""
    ranked = model.kbest([words], _RANKED)[0]
    return _RISKY if rival is not None and any(one.tree == rival.tree for one in ranked) else _PRUNED


def brackets_of(tree: Tree) -> list[Bracket]:
    """The brackets of a tree in preorder, that of the root and tags apart; one with gaps by its ends."""
    return [
        Bracket(span.segments[0][0], span.segments[-1][1], span.label)
        for node, span in zip((node for node in tree.preorder() if not node.is_preterminal), tree.spans())
        if node is not tree
    ]


def _rivals(
    model: ConstituencyModel, words: Sequence[str], wanted: Sequence[Bracket], there: set[Bracket]
) -> list[Parse | None]:
    """For each bracket the best tree without it, or with it if the best tree has it not; None if there is none."""
    found: list[Parse | None] = []
    ranked: list[Parse] | None = None
    for bracket in wanted:
        required, forbidden = ((), (bracket,)) if bracket in there else ((bracket,), ())
        try:
            (rival,) = model.parse(
                [words], constraints=[Constraints(required, forbidden)], minimum_risk=False
            )
            fits = (bracket in brackets_of(rival.tree)) is bool(required)
            found.append(rival if fits and not rival.note else None)
        except ValueError:  # no such tree, or the method cannot use constraints
            ranked = model.kbest([words], _RANKED)[0] if ranked is None else ranked
            fitting = (one for one in ranked if (bracket in brackets_of(one.tree)) is bool(required))
            found.append(next(fitting, None))
    return found


def _decision(
    model: ConstituencyModel,
    words: Sequence[str],
    bracket: Bracket,
    present: bool,
    best: Parse,
    mine: Sequence[Contribution],
    rival: Parse | None,
    likely: Marginals | None,
) -> BracketDecision:
    p = None if likely is None else likely.get(bracket, 0.0)
    below = " ".join(words[bracket.start : bracket.end])
    label = bracket.label or ""
    if rival is None:
        return BracketDecision(
            label, bracket.start, bracket.end, below, present, p, None, (), (), math.inf, ()
        )
    here, there = brackets_of(best.tree), brackets_of(rival.tree)
    parts = _difference(mine, model.contributions(words, rival.tree))
    return BracketDecision(
        label,
        bracket.start,
        bracket.end,
        below,
        present,
        p,
        str(rival.tree),
        tuple(one for one in there if one not in here),
        tuple(one for one in here if one not in there),
        math.fsum(part.amount for part in parts),
        tuple(parts),
    )


def _difference(one: Sequence[Contribution], other: Sequence[Contribution]) -> list[Contribution]:
    """What each feature gives one tree more than the other; "not" stands before what only the other has.

    What a feature gives both trees cancels, also where its words are others.
    """
    mine = {(part.feature, part.start, part.end) for part in one}
    places = summed(
        ((part.feature, part.start, part.end), sign * part.amount)
        for sign, parts in ((1.0, one), (-1.0, other))
        for part in parts
    )
    return [
        Contribution(place[0] if place in mine else f"not {place[0]}", amount, place[1], place[2])
        for place, amount in without_opposites(places, lambda part: (part[0][0], part[1]))
    ]


def _shown(bracket: Bracket) -> str:
    return f"{bracket.label} {bracket.start + 1}-{bracket.end}"


def _place(part: Contribution) -> str:
    return f"  at {part.start + 1}" if part.end - part.start == 1 else f"  at {part.start + 1}-{part.end}"
