"""Span schemes: reading, writing, converting, and which labels may follow each other."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.conlleval import chunks
from palmette.structures import schemes
from palmette.structures.schemes import convert, first_violation, guess_scheme, labels, spans, transitions

ALL = ("IOB1", "IOB2", "IOBES", "BILOU")
LETTERS = {"IOB1": "BI", "IOB2": "BI", "IOBES": "BIES", "BILOU": "BILU"}
anything = st.lists(
    st.sampled_from(["O", *(f"{tag}-{kind}" for tag in "BIESLU" for kind in ("PER", "geo-loc"))]), max_size=9
)


@st.composite
def sentences_of_spans(draw):
    n = draw(st.integers(0, 12))
    found, i = [], 0
    while i < n:
        length = draw(st.integers(0, 3))
        if length and i + length <= n:
            found.append((i, i + length, draw(st.sampled_from(["PER", "LOC", ""]))))
        i += max(length, 1)
    return found, n


def interned(sentences):
    return schemes._intern(sentences)


@given(sentences_of_spans(), st.sampled_from(ALL))
def test_spans_to_labels_to_spans(sentence, scheme):
    found, n = sentence
    written = labels(found, n, scheme)
    assert len(written) == n
    assert spans(written, scheme) == found


@given(anything)
def test_reading_is_conlleval(sentence):
    assert spans(sentence) == chunks(sentence)


@given(anything, st.sampled_from(ALL), st.sampled_from(ALL))
def test_converting_keeps_the_spans_and_is_valid(sentence, first, second):
    once = convert(sentence, first)
    assert spans(once, first) == spans(sentence)
    assert convert(once, second) == convert(sentence, second)
    assert convert(once, first) == once


@given(st.lists(anything, max_size=6))
@settings(deadline=None)
def test_a_corpus_is_its_sentences(sentences):
    ids, strings, offsets = interned(sentences)
    found = schemes.corpus_spans(ids, strings, offsets)
    assert [found.of(i) for i in range(len(sentences))] == [spans(s) for s in sentences]
    assert found.sentences.tolist() == [i for i, s in enumerate(sentences) for _ in spans(s)]
    for scheme in ALL:
        new, names = schemes.convert_corpus(ids, strings, offsets, scheme)
        assert [names[i] for i in new.tolist()] == [x for s in sentences for x in convert(s, scheme)]


@pytest.mark.parametrize("scheme", ALL)
def test_transitions_allow_exactly_what_spans_can_be_written_as(scheme):
    """Every sequence of up to four labels is allowed iff it is the writing of its own spans."""
    names = ["O", *(f"{tag}-{kind}" for kind in "XY" for tag in LETTERS[scheme])]
    start, pairs, end = transitions(names, scheme)
    for n in range(1, 5 if len(names) < 6 else 4):
        for ids in product(range(len(names)), repeat=n):
            allowed = start[ids[0]] and end[ids[-1]] and all(pairs[a, b] for a, b in pairwise(ids))
            sentence = [names[i] for i in ids]
            assert allowed == (convert(sentence, scheme) == sentence), sentence
            assert allowed == (first_violation(ids, names, [0, n], scheme) is None)


def test_labels_of_another_scheme_are_never_allowed():
    start, pairs, end = transitions(["O", "B-X", "E-X", "S-X"], "IOB2")
    assert start.tolist() == end.tolist() == [True, True, False, False]
    assert not pairs[2:].any()
    assert not pairs[:, 2:].any()


@pytest.mark.parametrize(
    ("sentences", "scheme", "want"),
    [
        ([["O", "B-X"], ["O", "I-X"]], "IOB2", "sentence 2, token 2: I-X cannot follow O in IOB2"),
        ([["O"], ["I-X"]], "BIO", "sentence 2, token 1: I-X cannot begin a sentence in IOB2"),
        ([["B-X", "I-Y"]], "IOB2", "sentence 1, token 2: I-Y cannot follow B-X in IOB2"),
        ([["I-X", "B-X"], ["O", "B-X"]], "IOB1", "sentence 2, token 2: B-X cannot follow O in IOB1"),
        ([["S-X"], [], ["O", "B-X"]], "BIOES", "sentence 3, token 2: B-X cannot end a sentence in IOBES"),
        ([["U-X", "S-X"]], "BILOU", "sentence 1, token 2: the label S-X does not exist in BILOU"),
    ],
)
def test_the_first_violation(sentences, scheme, want):
    ids, strings, offsets = interned(sentences)
    assert str(first_violation(ids, strings, offsets, scheme)) == want
    with pytest.raises(ValueError, match=want):
        schemes.check(ids, strings, offsets, scheme)


@given(sentences_of_spans())
def test_guessing_finds_a_scheme_that_fits(sentence):
    for scheme in ALL:
        written = labels(*sentence, scheme)
        ids, strings, offsets = interned([written])
        assert first_violation(ids, strings, offsets, guess_scheme(ids, strings, offsets)) is None


def test_guessing():
    for scheme in ALL:
        written = labels([(0, 2, "X"), (2, 3, "X"), (4, 5, "Y")], 5, scheme)
        assert guess_scheme(*interned([written])) == scheme
    assert guess_scheme(*interned([["O"]])) == guess_scheme(*interned([])) == "IOB2"
    assert guess_scheme(*interned([["B-X", "I-X", "O", "I-X", "B-Y", "B-X"]])) == "IOB2"  # one slip


def test_unused_labels_may_be_anything():
    assert schemes.corpus_spans([1, 2], ["_", "O", "B-X"], [0, 2]).of(0) == [(1, 2, "X")]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: spans(["PER-B"]), "The label 'PER-B' is not of a span"),
        (lambda: spans(["O-PER"]), "The label 'O-PER' is not of a span"),
        (lambda: spans([""]), "The label '' is not of a span"),
        (lambda: transitions(["O"], "IOB3"), "The scheme must be one of IOB1, IOB2"),
        (lambda: labels([(0, 2, "X"), (1, 3, "X")], 4), "overlaps the one before it"),
        (lambda: labels([(2, 5, "X")], 4), "does not lie in a sentence of 4 tokens"),
        (lambda: labels([(2, 2, "X")], 4), "does not lie in a sentence of 4 tokens"),
        (lambda: schemes.corpus_spans([0, 1], ["O"], [0, 2]), "must lie between 0 and 0"),
        (lambda: schemes.corpus_spans([0], ["O"], [0, 2]), "must run from 0 to the 1 label ids"),
        (lambda: schemes.corpus_spans([0], ["O"], [0, 1, 0, 1]), "must never fall"),
        (lambda: spans(["O", "I-X"], "IOB2"), "In sentence 1, token 2: I-X cannot follow O in IOB2"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_empty_sentences_between_spans():
    found = schemes.corpus_spans([0, 0], ["I-X"], [0, 0, 1, 1, 2, 2])
    assert [found.of(i) for i in range(5)] == [[], [(0, 1, "X")], [], [(0, 1, "X")], []]
    assert isinstance(found.begins, np.ndarray)
