"""Why a tree has a bracket: the best tree against the best one without it.

The margin is the difference of the two trees' scores, and exactly the sum of what each feature or rule gives the
one more than the other, wherever they differ.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from palmette.tools.constituency.model import (
    Bracket,
    ConstituencyModel,
    Constraints,
    Contribution,
    Parse,
)
from palmette.tools.explanation import Decision, Explanation, places, summed, without_opposites
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


def explain_brackets(
    model: ConstituencyModel, words: Sequence[str], asked: Bracket | None = None
) -> Explanation:
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
        present = bracket in there
        parts = [] if rival is None else _difference(mine, model.contributions(words, rival.tree))
        notes = []
        if rival is not None and math.fsum(part.amount for part in parts) < 0:
            notes.append(_why_negative(model, words, rival))
        if present is not (bracket in has):
            notes.append(_DIFFERS.format("without" if present else "with"))
        p = None if likely is None else likely.get(bracket, 0.0)
        found.append(_decision(words, bracket, present, p, best, rival, parts, " ".join(notes)))
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
    """For each bracket the best tree without it, or with it if the best tree lacks it; None if there is none."""
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
    words: Sequence[str],
    bracket: Bracket,
    present: bool,
    probability: float | None,
    best: Parse,
    rival: Parse | None,
    parts: Sequence[Contribution],
    note: str,
) -> Decision:
    """Return the decision about a bracket, with its words from start to end - 1.

    present: whether the best tree has the bracket; the rival is then the best tree without it, else the best with
    it. instead: the brackets that the rival has and the best tree has not; missing: the other way round. Without
    a rival, every tree has the bracket (or none has it). note: sentences about a negative margin, and about a
    bracket in which the best tree and the tree that `predict` gives differ; mostly empty.
    """
    here, there = brackets_of(best.tree), [] if rival is None else brackets_of(rival.tree)
    instead = [one for one in there if one not in here]
    missing = [] if rival is None else [one for one in here if one not in there]
    below = " ".join(words[bracket.start : bracket.end])
    margin = math.inf if rival is None else math.fsum(part.amount for part in parts)
    text = f"{_shown(bracket)}  {below}" + ("" if probability is None else f"  {probability:.3f}")
    if rival is None:
        text += ", in every possible tree" if present else ", in no possible tree"
    else:
        other = ", ".join(map(_shown, instead)) or "nothing"
        text += (f", else {other}" if present else ", not in the tree") + f", margin {margin:+.3f}"
    return Decision(
        _shown(bracket),
        str(best.tree),
        None if rival is None else str(rival.tree),
        margin,
        tuple(parts),
        extra={
            "label": bracket.label or "",
            "start": bracket.start,
            "end": bracket.end,
            "words": below,
            "present": present,
            "probability": probability,
            "instead": [one._asdict() for one in instead],
            "missing": [one._asdict() for one in missing],
            "note": note,
        },
        text=f"{text}\n   {note}" if note else text,
    )


def _difference(one: Sequence[Contribution], other: Sequence[Contribution]) -> list[Contribution]:
    """What each feature gives one tree more than the other; "not" is before what only the other has.

    What a feature gives both trees cancels, also where its words are others.
    """
    mine = {(part.feature, part.where) for part in one}
    differences = summed(
        ((part.feature, part.where), sign * part.amount)
        for sign, parts in ((1.0, one), (-1.0, other))
        for part in parts
    )
    return [
        Contribution(
            place[0] if place in mine else f"not {place[0]}", amount, place[1], f"at {places(place[1])}"
        )
        for place, amount in without_opposites(differences, lambda part: (part[0][0], part[1]))
    ]


def _shown(bracket: Bracket) -> str:
    return f"{bracket.label} {bracket.start + 1}-{bracket.end}"
