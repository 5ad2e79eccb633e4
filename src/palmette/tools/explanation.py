"""Why a tagger chose a label: the best sequence against the best one with another label there.

For a token with label a, the runner-up is the best sequence whose label there is not a. The margin, the difference
of the two scores, is exactly the sum of the contributions of the features in which they differ: each is a weight
times how much oftener its feature comes in the chosen sequence.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from palmette.features import FeatureMap, Instances
from palmette.formats.corpus import Corpus
from palmette.tools.sequence_model import SequenceModel


@dataclass(frozen=True)
class Contribution:
    """A feature, the labels it is about, and what it adds to the margin."""

    feature: str
    labels: str
    amount: float


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
        lines = [f"   {c.amount:+8.3f}  {c.feature:<{width}}  {c.labels}" for c in self.contributions]
        if self.others:
            lines.append(f"   {self.others:+8.3f}  all others")
        return "\n".join([head, *lines])


@dataclass(frozen=True)
class Explanation:
    """The decisions of one sentence, token by token."""

    decisions: tuple[Decision, ...]

    def of(self, token: int | None = None, top: int | None = None) -> Explanation:
        """The part about one token (from 1), with so many contributions each."""
        chosen = self.decisions if token is None else self.decisions[token - 1 : token]
        return Explanation(chosen if top is None else tuple(d.first(top) for d in chosen))

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {"tokens": [decision.to_dict() for decision in self.decisions]}

    def __str__(self) -> str:
        return "\n".join(map(str, self.decisions))


def explain_sentence(model: SequenceModel, instances: Instances, corpus: Corpus | None) -> Explanation:
    """The decisions for a single sentence. One constrained Viterbi pass per token."""
    if len(instances) != 1:
        raise ValueError(f"One sentence can be explained at a time. Got {len(instances)}.")
    structure, n = model.structure, len(model.structure.labels)
    best = model.decode(instances)
    probabilities = model.probabilities(instances)
    words = _words(corpus, instances.n_tokens)
    names = _SentenceNames(model, corpus)
    decisions = []
    for t, label in enumerate(best.tolist()):
        allowed = np.ones((instances.n_tokens, n), dtype=bool)
        allowed[t, label] = False
        other = None
        if n > 1:
            constrained = structure.problem(instances, allowed=allowed)
            found, score = constrained.constrained(model.weights)
            other = found if np.isfinite(score[0]) else None
        decisions.append(_decision(model, instances, names, words[t], t, best, other, probabilities[t]))
    return Explanation(tuple(decisions))


def _decision(
    model: SequenceModel,
    instances: Instances,
    names: _SentenceNames,
    word: str,
    t: int,
    best: np.ndarray,
    other: np.ndarray | None,
    p: np.ndarray,
) -> Decision:
    labels = model.structure.labels
    label = int(best[t])
    if other is None:
        return Decision(t + 1, word, labels[label], float(p[label]), None, 0.0, float("inf"), ())
    indices, counts = model.structure.problem(instances).difference(0, best, other)
    amounts = counts.astype(np.float64) * model.weights[indices]
    order = np.argsort(-np.abs(amounts), kind="stable")
    contributions = tuple(
        Contribution(*names.of(int(indices[k])), float(amounts[k]))
        for k in order.tolist()
        if amounts[k] != 0
    )
    runner_up = int(other[t])
    return Decision(
        t + 1,
        word,
        labels[label],
        float(p[label]),
        labels[runner_up],
        float(p[runner_up]),
        float(amounts.sum()),
        contributions,
    )


class _SentenceNames:
    """What weights stand for. Where a model has no names, its attributes are named again from the sentence."""

    def __init__(self, model: SequenceModel, corpus: Corpus | None) -> None:
        self._model = model
        features = model.features
        self._found: tuple[dict[int, str], dict[int, str]] = ({}, {})
        if corpus is not None and isinstance(features, FeatureMap) and not features.has_names:
            here, _ = FeatureMap.fit(features.templates, corpus)
            self._found = (self._named(features, here, False), self._named(features, here, True))

    @staticmethod
    def _named(features: FeatureMap, here: FeatureMap, pairs: bool) -> dict[int, str]:
        ids = features.ids_of(here.keys(pairs=pairs), pairs=pairs)
        named: dict[int, str] = {}
        for i, name in zip(ids.tolist(), here.name_table(pairs=pairs)):
            named[i] = f"{named[i]} or {name}" if i in named else name  # hashed features may share an id
        return named

    def of(self, index: int) -> tuple[str, str]:
        """The name of a weight's feature, and the labels it is for."""
        name, labels = self._model.name_of(index)
        kind, _, number = name.rpartition(":")
        if kind in ("attribute", "hash") and number.isdecimal():
            pair = index >= self._model.rows_end
            return self._found[pair].get(int(number), name), labels
        return name, labels


def _words(corpus: Corpus | None, n: int) -> list[str]:
    if corpus is None:
        return [str(t + 1) for t in range(n)]
    return list(corpus[0]["form" if "form" in corpus.names else corpus.names[0]])
