"""Why a question gets its answer: its tree against the best tree with another answer."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from palmette.tools.explanation import Contribution, Decision, summed
from palmette.tools.semantics.model import Reading, SemanticModel
from palmette.tools.semantics.words import cut


def answer_decision(model: SemanticModel, question: str, readings: Sequence[Reading]) -> Decision:
    """Explain the first of the readings against the second; amounts are of the best tree of each."""
    first = readings[0]
    chosen = model.answer(first)
    assert chosen.tree is not None
    rival = model.answer(readings[1]) if len(readings) > 1 else None
    triggers = [
        {"words": words, "means": t.meaning.name, "by": t.match}
        for t, words in zip(first.best.triggers, first.best.words)
    ]
    named = {word for words in first.best.words for word in cut(words)}
    passed_over = [word for word in cut(question) if word not in named]
    counts = Counter(first.best.features)
    if rival is not None:
        counts.subtract(Counter(readings[1].best.features))
    amounts = summed((name, n * model.weights.get(name, 0.0)) for name, n in counts.items() if n)
    margin = first.best.score - readings[1].best.score if rival is not None else math.inf
    lines = [
        f"{question}",
        f"   answer   {chosen.text}",
        f"   meaning  {chosen.meaning}",
        f"   tree     {chosen.tree.text}",
        *(f"   word     {t['words']} = {t['means']} ({t['by']})" for t in triggers),
        *([f"   without  {', '.join(passed_over)}"] if passed_over else []),
    ]
    if rival is not None and rival.tree is not None:
        lines += [f"   rival    {rival.text[:80]}: {rival.meaning}", f"   margin   {margin:+.3f}"]
    return Decision(
        question,
        chosen.text,
        None if rival is None else rival.text,
        margin,
        tuple(Contribution(name, amount) for name, amount in amounts) if rival is not None else (),
        extra={
            "meaning": chosen.meaning,
            "tree": chosen.tree.text,
            "probability": chosen.probability,
            "triggers": triggers,
            "passed_over": passed_over,
            "rival_tree": None if rival is None or rival.tree is None else rival.tree.text,
        },
        text="\n".join(lines),
    )


def no_decision(question: str, reason: str) -> Decision:
    """Explain why there is no answer."""
    return Decision(question, "I do not know", None, math.inf, text=f"{question}\n   I do not know: {reason}")
