"""Decoding under what is known of the labels, against enumeration of all sequences that agree with it."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from palmette.learning.latent import LatentCRF
from palmette.learning.learner import Learner
from palmette.learning.loglinear import CRF
from palmette.learning.perceptron import Perceptron
from palmette.structures.span_labels import alternatives
from palmette.tools.sequence.memm import MEMM
from palmette.tools.sequence.span_tagger import SpanTagger
from palmette.tools.sequence.tagger import Tagger
from samples.sequences import random_sentences

pytestmark = pytest.mark.native

WORDS = ["a1", "x", "b2", "c0"]
KNOWN: list[list[Any]] = [["B", None, {"A", "C"}, None], [None] * 4, [None, "C", "A", {"B"}]]

X = [["Jack", "London", "went", "to", "Paris"], ["Paris", "Hilton", "saw", "Anna"], ["in", "New", "York"]]
Y = [["B-PER", "I-PER", "O", "O", "B-LOC"], ["B-PER", "I-PER", "O", "B-PER"], ["O", "B-LOC", "I-LOC"]]


def agrees(labels: tuple[str, ...], known: list[Any]) -> bool:
    return all(
        k is None or label == k or (isinstance(k, set) and label in k) for label, k in zip(labels, known)
    )


@pytest.mark.parametrize("learner", [CRF(n_iter=5), Perceptron(n_iter=3), MEMM(n_iter=5)])
@pytest.mark.parametrize("options", [{"order": 1}, {"order": 2}, {"order": 0}, {"hash_bits": 12}])
@pytest.mark.parametrize("known", KNOWN)
def test_against_all_sequences_that_agree(learner: Learner, options: Any, known: list[Any]) -> None:
    tagger = Tagger(learner, templates="w[-1..1]\ny", **options).fit(*random_sentences(60))
    ((chain, scores),) = tagger.chains([WORDS])
    labels = tagger.classes_
    every = {
        y: chain.score(scores, [labels.index(label) for label in y])
        for y in itertools.product(labels, repeat=len(WORDS))
        if agrees(y, known)
    }
    log_z = np.logaddexp.reduce(list(every.values()))
    p = {y: np.exp(score - log_z) for y, score in every.items()}
    assert tuple(tagger.predict([WORDS], known=[known])[0]) == max(p, key=lambda y: p[y])
    (proba,) = tagger.predict_proba([WORDS], known=[known])
    expected = [[sum(q for y, q in p.items() if y[t] == label) for label in labels] for t in range(4)]
    np.testing.assert_allclose(proba, expected, atol=1e-4)
    risk = tagger.predict([WORDS], minimum_risk=True, known=[known])[0]
    assert risk == [labels[k] for k in np.argmax(expected, axis=1)]
    kbest = tagger.kbest([WORDS], 3, known=[known])[0]
    assert [q for _, _, q in kbest] == pytest.approx(np.log(sorted(p.values())[::-1][: len(kbest)]), abs=1e-3)


def test_hidden_variants_keep_to_what_is_known() -> None:
    tagger = Tagger(LatentCRF(n_iter=3), templates="w[0]\ny").fit(*random_sentences(40))
    assert tagger.predict([WORDS, []], known=[["C", "B", "A", None], []])[0][:3] == ["C", "B", "A"]


def test_what_cannot_be() -> None:
    tagger = Tagger(CRF(n_iter=2), templates="w[0]").fit(*random_sentences(20))
    with pytest.raises(ValueError, match="The model has no label 'Z'"):
        tagger.predict([WORDS], known=[["Z", None, None, None]])
    with pytest.raises(ValueError, match="Sentence 1 has 4 tokens and 1 labels"):
        tagger.predict([WORDS], known=[["A"]])
    with pytest.raises(ValueError, match=r"no label sequence|allowed"):
        SpanTagger(CRF(n_iter=2)).fit(X, Y).predict([["Jack", "x"]], known=[["O", "I-PER"]])


@pytest.mark.parametrize("scheme", ["IOB2", "IOBES", "BILOU"])
@pytest.mark.parametrize("minimum_risk", [False, True])
def test_known_labels_of_spans_are_in_the_scheme_of_the_data(scheme: str, minimum_risk: bool) -> None:
    tagger = SpanTagger(CRF(n_iter=10), scheme=scheme).fit(X, Y)
    known = [[None, "B-LOC", "I-LOC", "O", None]]
    labels = tagger.predict(X[:1], known=known, minimum_risk=minimum_risk)[0]
    if not minimum_risk:  # which may rather say nothing than something improbable, but here it is certain
        assert [(s.begin, s.end, s.type) for s in tagger.spans(X[:1], known=known)[0]][-2][:2] == (1, 3)
    assert labels[1:4] == ["B-LOC", "I-LOC", "O"]
    (ranked,) = tagger.kbest(X[:1], 4, known=known)
    assert all(names[1:4] == ["B-LOC", "I-LOC", "O"] for names, _, _ in ranked)


@pytest.mark.parametrize("scheme", ["IOB1", "IOB2", "IOBES", "BILOU"])
def test_partly_labelled_spans_train_in_every_scheme(scheme: str) -> None:
    holes = [["B-PER", None, "O", "O", "B-LOC"], ["B-PER", {"I-PER", "O"}, "O", "B-PER"], Y[2]]
    tagger = SpanTagger(CRF(l2=0.1, n_iter=30), scheme=scheme, templates="w[-1..1]\ny").fit(X, holes)
    assert tagger.predict(X)[2] == Y[2]
    assert tagger.predict(X)[0][2:] == Y[0][2:]


def test_alternatives() -> None:
    assert alternatives("I-X", "IOB1", "IOBES") == ("B-X", "I-X", "E-X", "S-X")
    assert alternatives("I-X", "IOB2", "BILOU") == ("I-X", "L-X")
    assert alternatives("U", "BILOU", "IOB2") == ("B",)
    assert alternatives("S-X", "IOBES", "BILOU") == ("U-X",)
    with pytest.raises(ValueError, match="not of the scheme IOB2"):
        alternatives("S-X", "IOB2", "IOBES")
