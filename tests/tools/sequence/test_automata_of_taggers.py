"""Taggers whose labels see the state of an automaton, or only the n-grams that occur: all that taggers do."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from palmette.learning.capabilities import fitting_learners
from palmette.learning.loglinear import CRF
from palmette.learning.registry import make_learner
from palmette.structures.automata import automaton_for
from palmette.tools.sequence import histories
from palmette.tools.sequence.span_tagger import SpanTagger
from palmette.tools.sequence.tagger import Tagger
from samples.sequences import random_sentences

pytestmark = pytest.mark.native
ALTERNATES = "A? (B+ C* A)* (B+ C*)?"


def sentences(n: int = 60) -> tuple[list[list[str]], list[list[str]]]:
    """Random sentences whose labels an automaton accepts, with words that do not tell B from C."""
    machine = automaton_for(ALTERNATES, "ABC")
    X, y = random_sentences(n * 6)
    kept = [(words, labels) for words, labels in zip(X, y) if machine.accepts(labels)][:n]
    return [words for words, _ in kept], [labels for _, labels in kept]


@pytest.mark.parametrize("name", fitting_learners(Tagger().offers))
@pytest.mark.parametrize("order", [0, 1, 2])
def test_every_learner_keeps_to_an_automaton(name: str, order: int, tmp_path: Path) -> None:
    if name == "hmm" and order == 0:
        pytest.skip("an HMM sees at least one label")
    X, y = sentences()
    learner = make_learner(name, {}, random_state=1)
    tagger = Tagger(learner, order=order, automaton=ALTERNATES).fit(X, y, dev=(X, y))
    machine = automaton_for(ALTERNATES, tagger.classes_)
    new = [["x"] * n for n in range(1, 6)] + X[:5]
    for minimum_risk in (False, True):
        for labels in tagger.predict(new, minimum_risk=minimum_risk):
            assert machine.accepts(labels)
    for ranked in tagger.kbest(new, 4):
        assert all(machine.accepts(labels) for labels, _, _ in ranked)
    tagger.save(tmp_path / "t.palm", compact=False)
    loaded = Tagger.load(tmp_path / "t.palm")
    assert loaded.predict(new) == tagger.predict(new)
    for have, want in zip(loaded.predict_proba(new), tagger.predict_proba(new)):
        np.testing.assert_allclose(have, want, atol=1e-5)
        np.testing.assert_allclose(have.sum(axis=1), 1.0, atol=1e-4)
    known = [["B", *[None] * (len(words) - 1)] for words in new]
    assert all(labels[0] == "B" for labels in tagger.predict(new, known=known))
    if tagger.model_.structure.hidden == 1:
        for decision in loaded.explain(["b1", "x", "a2"]).decisions:
            assert sum(c.amount for c in decision.contributions) == pytest.approx(decision.margin, abs=1e-6)


@pytest.mark.parametrize("name", ["crf", "memm", "hmm"])
def test_probabilities_and_margins_are_those_of_all_sequences(name: str) -> None:
    X, y = sentences()
    tagger = Tagger(make_learner(name, {}), order=1, automaton=ALTERNATES).fit(X, y)
    machine = automaton_for(ALTERNATES, tagger.classes_)
    words = ["x", "b1", "x", "a2"]
    ((chain, scores),) = list(tagger.chains([words]))
    every = {y: chain.score(scores, y) for y in itertools.product(range(3), repeat=4)}
    for labels, score in every.items():
        assert machine.accepts(chain.names(labels)) == (score > -np.inf)
    total = np.logaddexp.reduce(list(every.values()))
    marginals = np.zeros((4, 3))
    for labels, score in every.items():
        marginals[np.arange(4), labels] += np.exp(score - total)
    np.testing.assert_allclose(tagger.predict_proba([words])[0], marginals, atol=1e-5)
    best = max(every, key=lambda y: every[y])
    for t, decision in enumerate(tagger.explain(words).decisions):
        other = max(score for y, score in every.items() if y[t] != best[t])
        assert decision.margin == pytest.approx(every[best] - other, abs=1e-4)


def test_only_ngrams_that_occur_give_the_same_crf(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batch learners leave weights of n-grams that do not occur at zero, so both are one model."""
    X, y = random_sentences(40)
    learner = CRF(method="lbfgs", tol=1e-9, n_iter=300)
    dense = Tagger(learner, templates="w[0]\ny", order=3).fit(X, y)
    monkeypatch.setattr(histories, "_MOST_DENSE", 1)
    monkeypatch.setattr(histories, "_COST_OF_STEP", 0)
    sparse = Tagger(learner, templates="w[0]\ny", order=3).fit(X, y)
    assert dense.model_.structure.states is None
    assert sparse.model_.structure.states is not None
    for one, other in zip(dense.predict_proba(X), sparse.predict_proba(X)):
        np.testing.assert_allclose(one, other, atol=2e-3)
    assert sparse.model_.name_of(len(sparse.model_.weights) - 8)[0] == "labels"


def test_spans_with_an_automaton() -> None:
    X = [["Jack", "went", "to", "New", "York"], ["Anna", "saw", "Jack"], ["in", "New", "York"]] * 3
    y = [["B-PER", "O", "O", "B-LOC", "I-LOC"], ["B-PER", "O", "B-PER"], ["O", "B-LOC", "I-LOC"]] * 3
    tagger = SpanTagger(automaton="@at-most(2)").fit(X, y)
    assert tagger.score(X, y) > 0.9
    text = [["Jack", "saw", "Anna", "in", "New", "York"]]
    assert len(SpanTagger().fit(X, y).spans(text)[0]) == 3
    assert len(tagger.spans(text)[0]) == 2
    labels = tagger.predict(text, minimum_risk=True)[0]
    assert sum(label.startswith("B-") for label in labels) <= 2
    assert tagger.predict_proba(text)[0].sum(axis=1) == pytest.approx(np.ones(6), abs=1e-4)


def test_what_cannot_be_learned_or_predicted_is_refused() -> None:
    X, y = random_sentences(20)
    with pytest.raises(ValueError, match="does not accept the labels of"):
        Tagger(automaton="A*").fit(X, y)
    with pytest.raises(ValueError, match="'D' is not a label"):
        Tagger(automaton="D*").fit(X, y)
    pairs = Tagger(automaton="(A B)*").fit([["a", "b"]] * 3, [["A", "B"]] * 3)
    with pytest.raises(ValueError, match="Sentence 2: the automaton accepts no sequence of 3 labels"):
        pairs.predict([["a", "b"], ["a", "b", "a"]])
