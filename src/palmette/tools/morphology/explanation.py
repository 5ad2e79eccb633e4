"""Why words got their analyses: each against the best other analysis of that word, the other words as they are.

margin = Σ over features of the word (weights of the parts of the choice − those of the rival) + transitions
         + Σ over taggers that count too, weight · log (p(value of the choice) / p(value of the rival))
"""

from __future__ import annotations

import numpy as np

from palmette.features import FeatureMap
from palmette.formats.corpus import Corpus
from palmette.tools.explanation import Contribution, Decision, Explanation, summed
from palmette.tools.morphology.analyser import Allowed, Analyser
from palmette.tools.morphology.analyses import Analysis
from palmette.tools.morphology.votes import Votes, votes_on
from palmette.tools.sequence.explanation import SentenceNames


def explain_analyses(
    model: Analyser, corpus: Corpus, allowed: Allowed | None, votes: Votes | None = None
) -> Explanation:
    """The decisions about the words of one sentence, with the columns that templates look at."""
    table, words = model.table, corpus.column("form").values()
    problem = model.problem(corpus, allowed, votes=votes)
    heard = [] if votes is None else votes_on(table, votes)
    labels = problem.decode(model.weights, 1)[0].tolist()
    p = problem.probabilities(model.weights, 1)[0].reshape(-1, len(table))
    assert isinstance(model.parts.features, FeatureMap)
    instances = model.parts.features.transform(corpus)
    names = SentenceNames(model.parts, corpus)
    classes = [*table.classes[labels].tolist(), None]
    before = [len(table.class_names), *classes[:-2]] if labels else []
    own = np.zeros((len(table), len(table.parts)), dtype=np.float64)
    owners = np.repeat(np.arange(len(table)), np.diff(table.label_rows))
    own[owners, table.label_parts] = 1
    decisions = []
    for t, (word, label) in enumerate(zip(words, labels)):
        attributes = instances.attributes[instances.rows[t] : instances.rows[t + 1]]
        rows = model.parts.rows_of(attributes).astype(np.float64)
        arcs = model.transitions[before[t]][table.classes].astype(np.float64)
        arcs_after = np.zeros(len(table))
        if classes[t + 1] is not None:
            arcs_after = model.transitions[table.classes, classes[t + 1]].astype(np.float64)
        said = {f"tagger for {one.column}": one.scores[t].astype(float)[one.of_labels] for one in heard}
        scores = own @ rows.sum(axis=0) + arcs + arcs_after + sum(said.values())
        others = np.where((p[t] > 0) | (np.arange(len(table)) == label), scores, -np.inf)
        others[label] = -np.inf
        chosen = table.analyses[label]
        extra = {"token": t + 1, "probability": float(p[t, label])}
        if not len(others) or not np.isfinite(others.max()):
            text = f"{t + 1} {word}: {told(chosen)} ({p[t, label]:.2f}), the only analysis"
            decisions.append(Decision(word, list(chosen), None, float("inf"), extra=extra, text=text))
            continue
        other = int(others.argmax())
        rival = table.analyses[other]
        parts = rows @ (own[label] - own[other])
        amounts = [(names.of(int(a)), float(amount)) for a, amount in zip(attributes, parts)]
        amounts.append(("class before", float(arcs[label] - arcs[other])))
        amounts.append(("class after", float(arcs_after[label] - arcs_after[other])))
        amounts += [(name, float(of[label] - of[other])) for name, of in said.items()]
        margin = float(scores[label] - scores[other])
        contributions = tuple(Contribution(name, amount, (t + 1,)) for name, amount in summed(amounts))
        rest = margin - sum(one.amount for one in contributions)
        extra["rival_probability"] = float(p[t, other])
        text = (
            f"{t + 1} {word}: {told(chosen)} ({p[t, label]:.2f}), not {told(rival)} ({p[t, other]:.2f}); "
            f"margin {margin:.3f}"
        )
        decisions.append(Decision(word, list(chosen), list(rival), margin, contributions, rest, extra, text))
    return Explanation(tuple(decisions))


def told(analysis: Analysis) -> str:
    """An analysis in one word."""
    return "/".join(value for value in analysis if value != "_") or "_"
