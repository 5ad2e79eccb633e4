"""Why words got their lemmas: the best script of the lemma against that of the next, feature by feature.

margin = Σ over features of (weight for the script − weight for the rival's) + bonus − bonus of the rival
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from palmette.features import FeatureMap
from palmette.tools.explanation import Contribution, Decision, Explanation, summed
from palmette.tools.morphology.lemma_model import Candidate, LemmaModel, Word, corpus_of
from palmette.tools.sequence.explanation import SentenceNames


def explain_lemmas(
    model: LemmaModel, words: Sequence[Word], known: Sequence[tuple[str, str] | None]
) -> Explanation:
    """The decisions about words; known: the lemmas that do not come from the model, and where they come from."""
    ranked = list(model.rank(words))
    found = enumerate(zip(words, ranked, known), 1)
    return Explanation(tuple(_decision(model, number, *facts) for number, facts in found))


def _decision(
    model: LemmaModel, number: int, word: Word, ranked: list[Candidate], known: tuple[str, str] | None
) -> Decision:
    best = ranked[0]
    if known is not None or len(ranked) < 2:
        lemma, where = known or (best.lemma, "the only lemma that a script gives")
        text = f"{number} {word.form}: {lemma} ({where})"
        extra = {"token": number, "from": where}
        return Decision(word.form, lemma, None, float("inf"), extra=extra, text=text)
    rival = ranked[1]
    corpus = corpus_of([word])
    features = model.scripts.features
    assert isinstance(features, FeatureMap)
    attributes = features.transform(corpus).attributes
    rows = model.scripts.rows_of(attributes).astype(np.float64)
    labels = {script: y for y, script in enumerate(model.scripts.structure.labels)}
    y, z = labels[best.script], labels[rival.script]
    names = SentenceNames(model.scripts, corpus)
    amounts = [(names.of(int(a)), float(row[y] - row[z])) for a, row in zip(attributes, rows)]
    amounts.append(("known lemma", best.bonus - rival.bonus))
    contributions = tuple(Contribution(name, amount, (number,)) for name, amount in summed(amounts))
    margin = float(sum(amount for _, amount in amounts))
    rest = margin - sum(one.amount for one in contributions)
    extra = {
        "token": number,
        "script": best.script,
        "rival_script": rival.script,
        "probability": best.probability,
        "rival_probability": rival.probability,
    }
    text = (
        f"{number} {word.form}: {best.lemma} by {best.script} ({best.probability:.2f}), "
        f"not {rival.lemma} by {rival.script} ({rival.probability:.2f}); margin {margin:.3f}"
    )
    return Decision(word.form, best.lemma, rival.lemma, margin, contributions, rest, extra, text)
