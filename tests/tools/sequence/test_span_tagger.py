"""SpanTagger: schemes, legal output, probabilities of whole spans against enumeration."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from oracles import conlleval
from palmette.errors import FormatError
from palmette.formats.columns import parse_columns
from palmette.learning.loglinear import CRF
from palmette.structures.schemes import convert, first_violation, spans
from palmette.tools.sequence.span_tagger import SpanTagger
from samples.sequences import NER

pytestmark = pytest.mark.native

X = [["Jack", "London", "went", "to", "Paris"], ["Paris", "Hilton", "saw", "Anna"], ["in", "New", "York"]]
Y = [["B-PER", "I-PER", "O", "O", "B-LOC"], ["B-PER", "I-PER", "O", "B-PER"], ["O", "B-LOC", "I-LOC"]]


def fitted(scheme: str = "IOBES", data: str = "IOB2", **options) -> SpanTagger:
    given = [convert(row, data) for row in Y]
    return SpanTagger(CRF(l2=0.3, n_iter=10), templates="w[-1..1]\ny", scheme=scheme, **options).fit(X, given)


@pytest.mark.parametrize("scheme", ["IOB1", "IOB2", "IOBES", "BILOU"])
@pytest.mark.parametrize("data", ["IOB1", "IOB2", "IOBES"])
def test_the_model_has_its_scheme_and_the_data_keep_theirs(scheme: str, data: str) -> None:
    tagger = fitted(scheme, data)
    assert tagger.data_scheme_ == data
    guess = tagger.predict(X)
    assert [spans(row) for row in guess] == [spans(row) for row in Y]
    assert guess == [convert(row, data) for row in Y]
    assert tagger.score(X, Y) == 1.0
    scores = tagger.evaluate(X, [convert(row, data) for row in Y])
    assert (scores.f1, scores.accuracy) == (1.0, 1.0)
    assert tagger.evaluate(X, Y).accuracy == 1.0  # whatever the scheme of the gold labels


@pytest.mark.parametrize("scheme", ["IOB1", "IOB2", "IOBES"])
@pytest.mark.parametrize("data", ["IOB1", "IOB2", "IOBES", "BILOU"])
@pytest.mark.parametrize("order", [1, 2])
def test_probabilities_speak_the_scheme_of_predictions(scheme: str, data: str, order: int) -> None:
    touching = [["Jack", "Anna", "saw", "Paris"]], [convert(["B-PER", "B-PER", "O", "B-LOC"], data)]
    given = X + touching[0], [convert(row, data) for row in Y] + touching[1]
    tagger = SpanTagger(CRF(l2=0.3, n_iter=10), templates="w[-1..1]\ny", scheme=scheme, order=order).fit(
        *given
    )
    tagger.data_scheme_ = data  # a few labels may look like those of another scheme
    sentences = [["Anna", "Jack", "York"], ["Paris"], [], ["Jack", "London", "Paris", "Hilton"]]
    known = [["B-PER", None, None], [None], [], [None] * 4] if data == "IOB2" else None
    for fixed in (None, known):
        every = tagger.kbest(sentences, 5000, known=fixed)
        for words, ranked, p in zip(
            sentences, every, tagger.predict_proba(sentences, known=fixed), strict=True
        ):
            want = np.zeros((len(words), len(tagger.classes_)))
            for names, _, log_p in ranked:
                for t, name in enumerate(names):
                    want[t, tagger.classes_.index(name)] += np.exp(log_p)
            assert p.dtype == np.float32
            assert p == pytest.approx(want, abs=1e-5)
    predicted = {label for row in tagger.predict(given[0]) for label in row}
    assert predicted <= set(tagger.classes_)
    (first, *_) = tagger.marginals(sentences)
    assert list(first[0]) == tagger.classes_


@pytest.mark.parametrize("scheme", ["IOB1", "IOB2", "IOBES", "BILOU"])
@pytest.mark.parametrize("order", [1, 2])
def test_probabilities_of_spans_against_all_sequences(scheme: str, order: int) -> None:
    tagger = fitted(scheme, order=order)
    words = ["Paris", "London", "Jack", "York"]
    ((chain, scores),) = list(tagger.chains([words]))
    labels, weights = list(chain.labels), {}
    for y in itertools.product(range(len(labels)), repeat=len(words)):
        names = [labels[k] for k in y]
        if first_violation(np.array(y), labels, [0, len(y)], scheme) is None:
            weights[tuple(names)] = chain.score(scores, y)
    log_z = np.logaddexp.reduce(list(weights.values()))
    every = {names: float(np.exp(score - log_z)) for names, score in weights.items()}
    read = {names: spans(names) for names in every}
    (found,) = tagger.spans([words])
    best = max(every, key=lambda names: every[names])
    assert [(s.begin, s.end, s.type) for s in found] == read[best]
    for span in found:
        want = sum(p for names, p in every.items() if (span.begin, span.end, span.type) in read[names])
        assert span.probability == pytest.approx(want, abs=1e-5)
    column = tagger.predict_column([words])
    confidence = tagger.confidence([words], column)
    outside = [sum(p for names, p in every.items() if names[t] == "O") for t in range(len(words))]
    for t in range(len(words)):
        inside = [span.probability for span in found if span.begin <= t < span.end]
        assert confidence[t] == pytest.approx(inside[0] if inside else outside[t], abs=1e-5)
    for names, _, log_probability in tagger.kbest([words], 4)[0]:
        assert first_violation(*_ids(names), "IOB2") is None
        said = spans(names)
        want = sum(p for other, p in every.items() if read[other] == said)
        assert np.exp(log_probability) == pytest.approx(want, rel=1e-3)


def _ids(names):
    strings = sorted(set(names))
    return [strings.index(name) for name in names], strings, [0, len(names)]


def test_no_output_is_illegal() -> None:
    rng = np.random.default_rng(1)
    tagger = fitted()
    tagger.model_.weights[:] = rng.normal(size=tagger.model_.weights.size) * 5
    rows = [
        [str(w) for w in rng.choice(["Jack", "to", "York", "zzz"], rng.integers(1, 9))] for _ in range(200)
    ]
    for minimum_risk in (False, True):
        for names in tagger.predict(rows, minimum_risk=minimum_risk):
            assert first_violation(*_ids(names), "IOB2") is None


def test_scores_are_those_of_conlleval() -> None:
    tagger = SpanTagger(CRF(n_iter=1), templates="w[0]\ny").fit(X, Y)
    test = [["Jack", "went", "to", "New", "York"], ["Anna", "London"]]
    gold = [["B-PER", "O", "O", "B-LOC", "I-LOC"], ["B-PER", "B-LOC"]]
    scores = tagger.evaluate(test, gold)
    n_gold, n_guess, n_right = conlleval.count(gold, tagger.predict(test))
    overall = scores.overall
    assert (overall.gold, overall.guess, overall.correct) == (
        n_gold.total(),
        n_guess.total(),
        n_right.total(),
    )
    for kind, counts in scores.types.items():
        assert (counts.gold, counts.guess, counts.correct) == (n_gold[kind], n_guess[kind], n_right[kind])


@pytest.mark.parametrize("compact", [False, True])
def test_a_saved_tagger_is_the_same(tmp_path: Path, compact: bool) -> None:
    tagger = fitted(data="IOB1")
    tagger.save(tmp_path / "s.palm", compact=compact)
    loaded = SpanTagger.load(tmp_path / "s.palm")
    assert loaded.predict(X) == tagger.predict(X)
    assert (loaded.scheme, loaded.data_scheme_) == ("IOBES", "IOB1")
    for have, want in zip(loaded.spans(X), tagger.spans(X)):
        assert [s.probability for s in have] == pytest.approx([s.probability for s in want], abs=2e-2)


def test_labels_that_break_their_scheme() -> None:
    text = "Jack\tB-PER\nwent\tO\nParis\tI-LOC\n\nAnna\tB-PER\nHilton\tI-PER\nto\tO\nParis\tB-LOC\n\n"
    corpus = parse_columns(text)
    with pytest.raises(FormatError, match="I-LOC cannot follow O in IOB2") as caught:
        SpanTagger().fit(corpus)
    assert caught.value.line == 3
    with pytest.raises(ValueError, match="In sentence 1, token 2: I-X cannot follow O in IOB2"):
        SpanTagger().fit([["a", "b"], ["a", "b"]], [["O", "I-X"], ["B-X", "I-X"]])
    lenient = SpanTagger(lenient=True).fit(corpus)
    assert lenient.predict(corpus)[0] == ["B-PER", "O", "B-LOC"]
    with pytest.raises(FormatError, match="<dev>:3: I-LOC"):
        SpanTagger().fit(parse_columns(NER), dev=corpus)


def test_partly_labelled_spans() -> None:
    holes = [[None, *row[1:]] for row in Y]
    tagger = SpanTagger(CRF(l2=0.1), scheme="IOB2", templates="w[-1..1]\ny").fit(X, holes)
    assert tagger.predict(X)[0][1:] == Y[0][1:]
    with pytest.raises(ValueError, match="Spans can be counted where all labels are known"):
        SpanTagger(scheme="IOBES").fit(X, Y, dev=(X, holes))


@pytest.mark.parametrize("scheme", ["IOB1", "IOB2", "IOBES", "BILOU"])
def test_spans_without_a_type(scheme: str, tmp_path: Path) -> None:
    bare = [[label[0] for label in row] for row in Y]
    tagger = SpanTagger(CRF(l2=0.1, n_iter=20), scheme=scheme, templates="w[-1..1]\ny").fit(X, bare)
    assert tagger.predict(X) == bare
    assert tagger.score(X, bare) == 1.0
    assert [(s.begin, s.end, s.type) for s in tagger.spans(X)[2]] == [(1, 3, "")]
    tagger.save(tmp_path / "bare.palm")
    assert SpanTagger.load(tmp_path / "bare.palm").predict(X) == bare


def test_only_outside() -> None:
    tagger = SpanTagger().fit([["a", "b"]], [["O", "O"]])
    assert tagger.predict([["c"]]) == [["O"]]
    assert tagger.spans([["c"]]) == [[]]
    assert tagger.score([["a"]], [["O"]]) == 0.0
