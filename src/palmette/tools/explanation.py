"""Why a tagger chose a label: the best sequence against the best one with another label there.

For a token with label a, the runner-up is the best sequence whose label there is not a. The margin, the difference
of the two scores, is exactly the sum of the contributions of the features in which they differ: each is a weight
times how much oftener its feature comes in the chosen sequence.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from palmette.features import Instances
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

    `contributions` come largest first and sum to `margin`. With one label only there is no runner-up.
    """

    token: str
    label: str
    probability: float
    runner_up: str | None
    runner_up_probability: float
    margin: float
    contributions: tuple[Contribution, ...]


@dataclass(frozen=True)
class Explanation:
    """The decisions of one sentence, token by token."""

    decisions: tuple[Decision, ...]

    def __str__(self) -> str:
        lines = []
        for d in self.decisions:
            lines.append(
                f"{d.token}\t{d.label} {d.probability:.3f}\tnot {d.runner_up} ({d.runner_up_probability:.3f})"
            )
            lines += [f"\t{c.amount:+.3f}\t{c.feature}\t{c.labels}" for c in d.contributions[:5]]
        return "\n".join(lines)


def explain_sentence(model: SequenceModel, instances: Instances, corpus: Corpus | None) -> Explanation:
    """The decisions for a single sentence. One constrained Viterbi pass per token."""
    if len(instances) != 1:
        raise ValueError(f"One sentence can be explained at a time. Got {len(instances)}.")
    structure, n = model.structure, len(model.structure.labels)
    best = model.decode(instances)
    probabilities = model.probabilities(instances)
    words = _words(corpus, instances.n_tokens)
    decisions = []
    for t, label in enumerate(best.tolist()):
        allowed = np.ones((instances.n_tokens, n), dtype=bool)
        allowed[t, label] = False
        other = None
        if n > 1:
            constrained = structure.problem(instances, allowed=allowed)
            found, score = constrained.constrained(model.weights)
            other = found if np.isfinite(score[0]) else None
        decisions.append(_decision(model, instances, words[t], t, best, other, probabilities[t]))
    return Explanation(tuple(decisions))


def _decision(
    model: SequenceModel,
    instances: Instances,
    word: str,
    t: int,
    best: np.ndarray,
    other: np.ndarray | None,
    p: np.ndarray,
) -> Decision:
    labels = model.structure.labels
    label = int(best[t])
    if other is None:
        return Decision(word, labels[label], float(p[label]), None, 0.0, float("inf"), ())
    indices, counts = model.structure.problem(instances).difference(0, best, other)
    amounts = counts.astype(np.float64) * model.weights[indices]
    order = np.argsort(-np.abs(amounts), kind="stable")
    contributions = tuple(
        Contribution(*model.name_of(int(indices[k])), float(amounts[k]))
        for k in order.tolist()
        if amounts[k] != 0
    )
    runner_up = int(other[t])
    return Decision(
        word,
        labels[label],
        float(p[label]),
        labels[runner_up],
        float(p[runner_up]),
        float(amounts.sum()),
        contributions,
    )


def _words(corpus: Corpus | None, n: int) -> list[str]:
    if corpus is None:
        return [str(t + 1) for t in range(n)]
    return list(corpus[0]["form" if "form" in corpus.names else corpus.names[0]])
