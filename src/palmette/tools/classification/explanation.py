"""Why an item has its class: the class against the runner-up, and the features that make up the margin."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from palmette.tools.classification.model import Reasons
from palmette.tools.explanation import Decision, ranked


def only_class(item: str, label: Any) -> Decision:
    """Return the decision of a model with one class: there is no runner-up."""
    return Decision(item, label, None, math.inf, text=f"{item}\n{label}, the only class there is")


def class_decision(
    item: str, label: Any, rival: Any, reasons: Reasons, scores: tuple[float, float]
) -> Decision:
    """Return the decision with all its contributions.

    scores: those of `decision_function` for the two classes. The extra fact `margin_of` says what the margin is
    the difference of:

    - "scores": these scores.
    - "pair": the two sides of the machine that tells the two classes apart. Scores count the pairs that a class
      wins, so this machine may prefer the runner-up: the margin is then below zero.
    - "mean": the scores of the mean of all vectors that vote. Scores are parts of the votes; where they are close,
      the mean may prefer the runner-up: the margin is then below zero.
    """
    head = f"{label}, runner-up {rival}, margin {reasons.margin:+.3f}"
    return Decision(
        item,
        label,
        rival,
        reasons.margin,
        ranked(reasons.amounts),
        reasons.rest,
        extra={"scores": list(scores), "margin_of": reasons.margin_of},
        text="\n".join([item, head, *_notes(label, rival, reasons, scores)]),
    )


def _notes(label: Any, rival: Any, reasons: Reasons, scores: tuple[float, float]) -> Iterator[str]:
    """What decided, where the margin is not the difference of the scores."""
    if reasons.margin_of == "scores":
        return
    one, two = scores
    if reasons.margin_of == "pair":
        yield f"  pairs won: {label} {round(one)}, {rival} {round(two)}"
        yield f"  the margin is that of the machine {label} against {rival}"
        alone = "that machine alone"
    else:
        yield f"  part of the votes: {label} {one:.3f}, {rival} {two:.3f}"
        yield "  the margin is that of the mean of all vectors that vote"
        alone = "the mean alone"
    if reasons.margin < 0:
        decided = "the other pairs" if reasons.margin_of == "pair" else "the votes"
        yield f"  it is below zero: {alone} prefers {rival}, and {decided} decided for {label}"
