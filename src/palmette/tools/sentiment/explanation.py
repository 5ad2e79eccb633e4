"""Why a document has its polarity: its cut, and what every sentence added to the margin."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

import numpy as np

from palmette.tools.classification.classifier import Classifier
from palmette.tools.classification.explanation import only_class
from palmette.tools.explanation import Contribution, Decision
from palmette.tools.sentiment.documents import Document
from palmette.tools.sentiment.extracts import Extract

_WIDTH = 100


def document_decision(classifier: Classifier, document: Document, cut: Extract) -> Decision:
    """Return the decision between the polarity and the runner-up, with a contribution of every sentence.

    What a feature adds is divided among the sentences that have it. Where a model has no named features, a
    sentence adds what the margin loses without it.
    """
    item = document.item(cut.stays)
    subject = " ".join(document.sentences) or "(empty)"
    if len(classifier.classes_.tolist()) == 1:
        return only_class(subject, classifier.classes_.tolist()[0])
    model = classifier.model_
    scores = classifier.decision_function([item])
    label = int(model.best(scores)[0])
    rest = scores.copy()
    rest[0, label] = -np.inf
    other = int(model.best(rest)[0])
    reasons = model.reasons(item, label, other)
    if model.method in ("linear", "occurrences"):
        amounts = _shared(document, cut, reasons.amounts)
    else:
        amounts = _left_out(classifier, document, cut, label, other)
    margin = reasons.margin
    chosen, rival = classifier.classes_.tolist()[label], classifier.classes_.tolist()[other]
    kept = sum(cut.stays)
    head = f"{chosen}, runner-up {rival}, margin {margin:+.3f}: {kept} of {len(cut.stays)} sentences stay"
    rows = list(zip(range(1, len(cut.stays) + 1), cut.sentences, cut.stays, cut.probabilities))
    lines = [
        f" {'*' if stay else ' '} {i:>3}  {p:.2f}  {f'{amounts[i]:+8.3f}' if stay else ' ' * 8}  {_short(text)}"
        for i, text, stay, p in rows
    ]
    contributions = [
        Contribution(f"sentence {i}", amounts[i], (), _short(text)) for i, text, stay, _ in rows if stay
    ]
    contributions.sort(key=lambda one: -abs(one.amount))
    table: list[dict[str, Any]] = [
        {"number": i, "text": text, "stays": stay, "probability": p, "amount": amounts.get(i, 0.0)}
        for i, text, stay, p in rows
    ]
    return Decision(
        subject,
        chosen,
        rival,
        margin,
        tuple(contributions),
        margin - math.fsum(one.amount for one in contributions),
        extra={"sentences": table, "cost": cut.cost},
        text="\n".join([head, *lines, " sentences that added most:"]),
    )


def _shared(document: Document, cut: Extract, by_feature: Any) -> dict[int, float]:
    """Return what every sentence that stays adds: its share of each of its features."""
    owners: defaultdict[str, list[int]] = defaultdict(list)
    for i, (item, stay) in enumerate(zip(document.items, cut.stays), 1):
        if stay:
            for name in item[0]:
                owners[f"0:{name}"].append(i)
    amounts = {i: 0.0 for i, stay in enumerate(cut.stays, 1) if stay}
    for name, amount in by_feature.items():
        for i in owners.get(name, ()):
            amounts[i] += amount / len(owners[name])
    return amounts


def _left_out(
    classifier: Classifier, document: Document, cut: Extract, label: int, other: int
) -> dict[int, float]:
    """Return what the margin loses without every sentence that stays."""
    inside = [i for i, stay in enumerate(cut.stays) if stay]
    without = [document.item([stay and i != j for i, stay in enumerate(cut.stays)]) for j in inside]
    if not without:
        return {}
    scores = classifier.decision_function([document.item(cut.stays), *without])
    margins = scores[:, label] - scores[:, other]
    return {j + 1: float(margins[0] - margin) for j, margin in zip(inside, margins[1:])}


def _short(text: str) -> str:
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"
