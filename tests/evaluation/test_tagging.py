"""Scores of tags: by hand and against plain loops."""

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmette.evaluation.tagging import evaluate_tags

GOLD = [["D", "N", "V"], ["N", "V"], [], ["X"]]
GUESS = [["D", "N", "N"], ["N", "V"], [], ["N"]]
WORDS = [["the", "dog", "barks"], ["dogs", "bark"], [], ["hm"]]


def test_worked_by_hand():
    scores = evaluate_tags(GOLD, GUESS, words=WORDS, vocabulary={"the", "dog", "bark"}, known_labels="DNV")
    assert (scores.tokens, scores.correct) == (6, 4)
    assert scores.accuracy == 4 / 6
    assert scores.known == (3, 3)
    assert scores.unknown_accuracy == 1 / 3
    assert scores.sentence_accuracy == 1 / 3
    assert scores.labels["N"].to_dict()["precision"] == 0.5
    assert scores.labels["N"].recall == 1
    assert scores.unknown_labels == ("X",)
    assert scores.names == ("N", "V", "D", "X")
    assert scores.confusion.tolist() == [[2, 0, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 0]]
    assert scores.most_confused() == [("V", "N", 1), ("X", "N", 1)]
    assert scores.most_confused(1) == [("V", "N", 1)]
    assert scores.per_sentence.tolist() == [[2, 3], [2, 2], [0, 0], [0, 1]]
    assert scores.macro_f1 == pytest.approx((2 / 3 + 2 / 3 + 1 + 0) / 4)
    assert str(scores) == (
        "accuracy 66.67 % of 6 tokens; known words 100.00, unknown words 33.33; whole sentences 33.33 % of 3"
    )
    assert scores.to_dict()["confused"] == [["V", "N", 1], ["X", "N", 1]]


@given(st.lists(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abcd")), max_size=5), max_size=5))
def test_against_loops(sentences):
    gold = [[g for g, _ in s] for s in sentences]
    guess = [[h for _, h in s] for s in sentences]
    scores = evaluate_tags(gold, guess)
    flat = [pair for s in sentences for pair in s]
    table = Counter(flat)
    for name, counts in scores.labels.items():
        assert counts.gold == sum(g == name for g, _ in flat)
        assert counts.guess == sum(h == name for _, h in flat)
        assert counts.correct == table[name, name]
    assert scores.correct == sum(g == h for g, h in flat)
    assert scores.correct_sentences == sum(bool(s) and all(g == h for g, h in s) for s in sentences)
    mistakes = {(g, h): n for g, h, n in scores.most_confused(100)}
    assert mistakes == {pair: n for pair, n in table.items() if pair[0] != pair[1]}


def test_without_a_vocabulary():
    scores = evaluate_tags(GOLD, GUESS)
    assert scores.known_accuracy is scores.unknown_accuracy is None
    assert scores.unknown_labels == ()
    assert evaluate_tags([], []).accuracy == 0
    assert evaluate_tags([], []).most_confused() == []


def test_words_must_match():
    with pytest.raises(ValueError, match="one word for each label"):
        evaluate_tags(GOLD, GUESS, words=WORDS[:3], vocabulary=set())


def test_accuracy_of_no_words_is_not_a_number() -> None:
    scores = evaluate_tags([["A"]], [["A"]], words=[["the"]], vocabulary={"the"})
    assert scores.known_accuracy == 1.0
    assert scores.unknown_accuracy is not None
    assert math.isnan(scores.unknown_accuracy)
    assert (scores.to_dict()["unknown_accuracy"], scores.to_dict()["unknown_tokens"]) == (None, 0)
    assert "unknown" not in str(scores)
