"""Why two paths are similar: the words that both have in their slots, and what each adds."""

from __future__ import annotations

import math

from palmette.tools.explanation import Contribution, Decision
from palmette.tools.inference_rules.model import RuleModel


def path_decision(model: RuleModel, a: int, b: int, measure: str = "mean") -> Decision:
    """Return the similarity of two paths as a sum over the words that their slots share.

    Half of a geometric mean belongs to each slot, and a word has the share of it that it has of the slot's
    similarity. A sum (eq. 139) has a part for each pair of instances with a word in common.
    """
    mean = model.similarity(a, b, "mean")
    similarity = mean if measure == "mean" else model.similarity(a, b, measure)
    parts: list[Contribution] = []
    slots = []
    for slot, letter in ((0, "X"), (1, "Y")):
        one, two = a ^ slot, b ^ slot
        shared = model.shared(one, two)
        whole = math.fsum(left + right for _, left, right in shared)
        slots.append(whole / max(model.total(one) + model.total(two), 1e-12))
        parts += [
            Contribution(
                f"{letter}={word}",
                mean / 2 * (left + right) / whole,
                (),
                f"information {left:.2f} and {right:.2f}",
            )
            for word, left, right in shared
        ]
    parts.sort(key=lambda part: -part.amount)
    if not mean:
        parts = []
    if measure == "sum":
        parts = [Contribution(name, amount, (), "") for name, amount in model.sum_parts(a, b)]
    found = model.similar(a, b, similarity)
    name = "similarity" if measure == "mean" else "sum"
    head = f"{model.wording(a)} {found.direction} {model.wording(b)}: {name} {similarity:.4f}"
    head += f" (X {slots[0]:.4f}, Y {slots[1]:.4f})"
    if found.direction != "↔":
        first, second = (a, b) if found.direction == "→" else (b, a)
        head += f"\n direction: rather from {model.wording(first)!r} to {model.wording(second)!r}"
    if found.opposite:
        head += f"\n these paths may be opposites: {found.opposite}"
    extra = {
        "similarity": mean,
        "sum": model.similarity(a, b, "sum"),
        "slots": slots,
        "direction": found.direction,
        "opposite": found.opposite,
    }
    rest = similarity - math.fsum(part.amount for part in parts)
    subject = f"{model.wording(a)}, {model.wording(b)}"
    return Decision(subject, similarity, None, similarity, tuple(parts), rest, extra, head)
