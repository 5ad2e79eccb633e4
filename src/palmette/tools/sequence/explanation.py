"""Why a tagger chose a label: the best sequence against the best one with another label there.

For a token with label a, the runner-up is the best sequence whose label there is not a. The margin, the difference
of the two scores, is exactly the sum of what each feature gives the one more than the other.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from palmette.features import FeatureMap, Instances
from palmette.formats.corpus import Corpus
from palmette.tools.explanation import Contribution, Decision, Explanation, summed, without_opposites
from palmette.tools.sequence.model import SequenceModel

Labels = NDArray[np.int32]


def explain_sentence(model: SequenceModel, instances: Instances, corpus: Corpus | None) -> Explanation:
    """The decisions for a single sentence. One constrained Viterbi pass per token."""
    if len(instances) != 1:
        raise ValueError(f"One sentence can be explained at a time. Got {len(instances)}.")
    structure, n = model.structure, len(model.structure.labels)
    network = None
    if model.network is not None and corpus is not None:
        from palmette.tools.sequence.network_explanation import NetworkExplainer

        network = NetworkExplainer(model.network, corpus)
    given = model.scored(instances) if network is None or corpus is None else model.encode(corpus)
    weights = model.weights_for(given)
    decoder = structure.decoder(given)
    best, best_score = decoder.decode(weights, 1)
    probabilities = decoder.probabilities(weights, 1)[0].reshape(-1, n)
    words = _words(corpus, instances.n_tokens)
    names = SentenceNames(model, corpus)
    decisions = []
    for t, label in enumerate(best.tolist()):
        allowed = np.ones((instances.n_tokens, n), dtype=bool)
        allowed[t, label] = False
        other = None
        if n > 1:
            constrained = structure.decoder(given, allowed=allowed)
            found, score = constrained.constrained(weights)
            other = found if np.isfinite(score[0]) else None
        normalised = None
        if structure.local and other is not None:
            normalised = float(best_score[0] - score[0])
        p = probabilities[t]
        decision = _decision(model, instances, names, words, t, best, other, p, normalised)
        if network is not None and other is not None:
            decision = network.completed(decision, best, other, t)
        decisions.append(decision)
    return Explanation(tuple(decisions))


def _decision(
    model: SequenceModel,
    instances: Instances,
    names: SentenceNames,
    words: list[str],
    t: int,
    best: Labels,
    other: Labels | None,
    p: NDArray[np.float32],
    normalised: float | None,
) -> Decision:
    labels = model.structure.labels
    label = int(best[t])
    found = [] if other is None else _contributions(model, instances, names, words, t, best, other)
    if normalised is not None:  # what the sums of weights of a local model lack is what normalising took off
        lacking = normalised - math.fsum(c.amount for c in found)
        found.append(Contribution("normalisation", lacking, (t + 1,), "of every position"))
        found.sort(key=lambda c: -abs(c.amount))
    extra: dict[str, Any] = {"number": t + 1, "probability": float(p[label]), "rival_probability": 0.0}
    text = f"{t + 1}  {words[t]}  {labels[label]} {float(p[label]):.3f}"
    if other is None:
        return Decision(
            words[t],
            labels[label],
            None,
            math.inf,
            extra=extra,
            text=f"{text}, the only label that is possible here",
        )
    rival = int(other[t])
    margin = math.fsum(c.amount for c in found)
    extra["rival_probability"] = float(p[rival])
    text += f", runner-up {labels[rival]} {float(p[rival]):.3f}, margin {margin:+.3f}"
    return Decision(words[t], labels[label], labels[rival], margin, tuple(found), extra=extra, text=text)


def _contributions(
    model: SequenceModel,
    instances: Instances,
    names: SentenceNames,
    words: list[str],
    t: int,
    best: Labels,
    other: Labels,
) -> list[Contribution]:
    """What each feature gives the best labels more than the others, for the decision at token t."""
    left = without_opposites(
        (
            use
            for sequence, sign in ((best, 1.0), (other, -1.0))
            for use in _uses(model, instances, names, sequence, sign, best != other)
        ),
        lambda use: ((use.feature, use.labels, use.value), use.amount),
    )
    parts: list[tuple[tuple[str, str], float]] = []
    where: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for one, two in _paired(left):
        key = one.feature, names.labels(one.labels, () if two is None else two.labels)
        parts.append((key, one.amount + (0.0 if two is None else two.amount)))
        where[key].append(one.place)
    found = []
    for (feature, labels), amount in summed(parts):
        first, *more = sorted(set(where[feature, labels]), key=lambda place: (place != t, place))
        at = (first + 1, *(place + 1 for place in more))
        told = ", ".join([f"{at[0]} {words[first]}", *map(str, at[1:])])
        detail = f"{labels}, at {told}" if at != (t + 1,) else labels
        found.append(Contribution(feature, amount, at, detail))
    return found


class _Use(NamedTuple):
    """A feature with labels at a place, and what it gives: to the runner-up with the sign turned."""

    feature: str
    labels: tuple[int, ...]
    place: int
    value: float
    sign: float
    amount: float


def _uses(
    model: SequenceModel,
    instances: Instances,
    names: SentenceNames,
    y: Labels,
    sign: float,
    differs: NDArray[np.bool_],
) -> Iterator[_Use]:
    """All that is added up for the labels of one sequence, wherever the two sequences differ."""
    for t in np.flatnonzero(differs).tolist():
        here = instances.attributes[instances.rows[t] : instances.rows[t + 1]]
        column = model.rows_of(here)[:, y[t]].tolist()
        found = _row(instances.rows, instances.attributes, instances.values, t)
        for (attribute, value), weight in zip(found, column):
            amount = sign * value * weight
            yield _Use(names.of(attribute), (int(y[t]),), t, value, sign, amount)
    for t in range(1, len(y)):
        run = tuple(y[t - 1 : t + 1].tolist())
        if instances.pair_rows is None or instances.pair_attributes is None:
            break
        if differs[t - 1 : t + 1].any():
            for attribute, value in _row(
                instances.pair_rows, instances.pair_attributes, instances.pair_values, t
            ):
                amount = sign * value * float(model.pair_rows[attribute][run])
                yield _Use(names.of(attribute, True), run, t, value, sign, amount)
    for t, name, h, weight in model.label_uses(y.tolist()):
        # the state of an automaton may differ long after the labels do
        if differs[: t + 1].any() if model.structure.states is not None else differs[t - h : t + 1].any():
            yield _Use(name, tuple(y[t - h : t + 1].tolist()), t, 1.0, sign, sign * weight)


def _paired(uses: Sequence[_Use]) -> Iterator[tuple[_Use, _Use | None]]:
    """Pair each use of the best sequence with one of the same feature in the runner-up, at its place if any.

    Histories that are states of an automaton, or n-grams of several lengths, may have no such partner.
    """
    others: defaultdict[tuple[str, int], list[_Use]] = defaultdict(list)
    for use in uses:
        if use.sign < 0:
            others[use.feature, len(use.labels)].append(use)
    waiting = []
    for use in uses:
        if use.sign > 0:
            rivals = others[use.feature, len(use.labels)]
            here = next((rival for rival in rivals if rival.place == use.place), None)
            if here is None:
                waiting.append(use)
                continue
            rivals.remove(here)
            yield use, here
    for use in waiting:
        rivals = others[use.feature, len(use.labels)]
        yield use, rivals.pop(0) if rivals else None
    for rivals in others.values():
        yield from ((rival._replace(labels=(-1, *rival.labels)), None) for rival in rivals)


def _row(
    rows: NDArray[np.int64], attributes: NDArray[np.int32], values: NDArray[np.float32] | None, t: int
) -> Iterator[tuple[int, float]]:
    begin, end = int(rows[t]), int(rows[t + 1])
    for k in range(begin, end):
        yield int(attributes[k]), 1.0 if values is None else float(values[k])


class SentenceNames:
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

    def of(self, attribute: int, pair: bool = False) -> str:
        """The name of an attribute."""
        if attribute in self._found[pair]:
            return self._found[pair][attribute]
        return self._model.pair_name(attribute) if pair else self._model.features.names([attribute])[0]

    def labels(self, here: Sequence[int], there: Sequence[int]) -> str:
        """Labels of one sequence against those of the other; -1 before labels of the other alone."""
        of = self._model.structure.labels
        if not there:
            return ("not " if here[0] < 0 else "") + "→".join(of[y] for y in here if y >= 0)
        return " not ".join("→".join(of[y] for y in run) for run in (here, there))


def _words(corpus: Corpus | None, n: int) -> list[str]:
    if corpus is None:
        return [str(t + 1) for t in range(n)]
    return list(corpus[0]["form" if "form" in corpus.names else corpus.names[0]])
