"""Span scores: worked by hand, and against a walk over the tokens."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.conlleval import chunks, count
from palmette.evaluation.spans import evaluate_spans
from palmette.formats.column import Column
from palmette.formats.columns import read_columns
from samples.corpora import corpus_file

GOLD = [["B-NP", "I-NP", "O", "B-VP", "I-VP", "B-NP"], ["B-PP", "B-NP", "O"]]
GUESS = [["B-NP", "I-NP", "O", "B-VP", "B-VP", "I-NP"], ["B-PP", "I-NP", "I-NP"]]


def test_the_report_worked_by_hand():
    """Gold has 5 chunks. Guessed are NP 0-2, VP 3-4, VP 4-5, NP 5-6 and PP 0-1, NP 1-3: three are right."""
    scores = evaluate_spans(GOLD, GUESS)
    assert scores.report() == (
        "processed 9 tokens with 5 phrases; found: 6 phrases; correct: 3.\n"
        "accuracy:  55.56%; precision:  50.00%; recall:  60.00%; FB1:  54.55\n"
        "               NP: precision:  66.67%; recall:  66.67%; FB1:  66.67  3\n"
        "               PP: precision: 100.00%; recall: 100.00%; FB1: 100.00  1\n"
        "               VP: precision:   0.00%; recall:   0.00%; FB1:   0.00  2\n"
    )
    assert scores.per_sentence.tolist() == [[3, 4, 2], [2, 2, 1]]
    assert str(scores) == scores.report().rstrip("\n")


def test_as_a_dictionary():
    d = evaluate_spans(GOLD, GUESS).to_dict()
    assert (d["precision"], d["recall"], d["tokens"], d["sentences"]) == (0.5, 0.6, 9, 2)
    assert d["types"]["PP"] == {"precision": 1, "recall": 1, "f1": 1, "gold": 1, "guess": 1, "correct": 1}


names = st.sampled_from(["O", "B-X", "I-X", "E-X", "S-X", "B-Y", "I-Y", "E-Y", "S-Y", "L-Y", "U-X"])
pairs = st.lists(st.lists(st.tuples(names, names), max_size=8), max_size=5)


@given(pairs)
@settings(deadline=None)
def test_against_a_walk_over_the_tokens(sentences):
    gold = [[g for g, _ in s] for s in sentences]
    guess = [[h for _, h in s] for s in sentences]
    scores = evaluate_spans(gold, guess)
    for i, want in enumerate(count(gold, guess)):
        have = {t: (c.gold, c.guess, c.correct)[i] for t, c in scores.types.items()}
        assert +Counter(have) == want
    sets = [(set(chunks(g)), set(chunks(h))) for g, h in zip(gold, guess)]
    assert scores.per_sentence.tolist() == [[len(g), len(h), len(g & h)] for g, h in sets]
    assert scores.overall.correct == scores.per_sentence[:, 2].sum()


def test_columns_are_the_same_as_lists():
    flat = [Column.of(label for s in side for label in s) for side in (GOLD, GUESS)]
    assert evaluate_spans(*flat, offsets=[0, 6, 9]) == evaluate_spans(GOLD, GUESS)


def test_labels_that_the_model_never_saw():
    scores = evaluate_spans([["B-X", "B-Z", "B-Z"]], [["B-X", "O", "B-X"]], known_labels=["O", "B-X"])
    assert scores.unknown_labels == ("B-Z",)
    assert scores.types["Z"].recall == 0


def test_nothing():
    scores = evaluate_spans([], [])
    assert scores.report() == "processed 0 tokens with 0 phrases; found: 0 phrases; correct: 0.\n"
    assert (scores.f1, scores.accuracy) == (0, 0)
    assert evaluate_spans([[]], [[]]).per_sentence.tolist() == [[0, 0, 0]]


def test_a_real_corpus_with_noise():
    corpus = read_columns(corpus_file("chunk_en_conll2000/test.txt"))
    column = corpus.column(-1)
    rng = np.random.default_rng(0)
    noisy = np.where(rng.random(corpus.n_words) < 0.1, rng.permutation(column.ids), column.ids)
    guess = Column(noisy.astype(np.int32), column.strings)
    scores = evaluate_spans(column, guess, corpus.offsets)
    edges = list(pairwise(corpus.offsets.tolist()))
    cut = [[values[a:b] for a, b in edges] for values in (column.values(), guess.values())]
    want = [sum(counter.values()) for counter in count(*cut)]
    assert [scores.overall.gold, scores.overall.guess, scores.overall.correct] == want
    assert want[0] == 23852  # the number of chunks that the shared task gives


@pytest.mark.parametrize(
    ("gold", "guess", "message"),
    [
        ([["O"]], [["O"], ["O"]], "There are 1 gold sentences, but 2 guessed ones"),
        ([["O"], ["O", "O"]], [["O"], ["O"]], "Sentence 2 has 2 gold labels, but 1 guessed ones"),
        ([["NOUN"]], [["O"]], "The label 'NOUN' is not of a span"),
        (Column.of(["O"]), Column.of(["O"]), "needs the offsets of its sentences"),
    ],
)
def test_bad_input(gold, guess, message):
    with pytest.raises(ValueError, match=message):
        evaluate_spans(gold, guess)


def test_a_sentence_must_be_a_list():
    with pytest.raises(TypeError, match="must be a list of strings"):
        evaluate_spans(["O"], [["O"]])
