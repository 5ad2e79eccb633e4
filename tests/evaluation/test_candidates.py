"""The counts of candidates, and what choices are worth."""

import numpy as np
import pytest

from palmette import Tree
from palmette.evaluation import evaluate_brackets
from palmette.evaluation.candidates import compare_choices, guess_measure, measured
from palmette.evaluation.spans import evaluate_spans
from palmette.formats import Candidates
from samples.ranking_lists import tree_lists

pytestmark = pytest.mark.native


def tagged(text: str) -> tuple[tuple[str, str], ...]:
    return tuple((f"w{i}", label) for i, label in enumerate(text.split()))


def test_brackets_are_those_of_the_evaluation() -> None:
    for given in measured(tree_lists(), "brackets"):
        for output, row in zip(given.outputs, given.counts.tolist()):
            want = evaluate_brackets([given.gold], [output]).overall
            assert row == [want.gold, want.guess, want.correct]


def test_spans_are_those_of_the_evaluation() -> None:
    gold, guess = "B-X I-X O B-Y O", "B-X O I-Y I-Y I-X"
    (given,) = measured([Candidates([tagged(guess)], [0.0], tagged(gold))], "spans")
    want = evaluate_spans([gold.split()], [guess.split()]).overall
    assert given.counts.tolist() == [[want.gold, want.guess, want.correct]]


def test_the_measure_is_guessed() -> None:
    assert guess_measure(tree_lists()) == "brackets"
    assert guess_measure([Candidates([tagged("O B-X")], [0.0])]) == "spans"
    assert guess_measure([Candidates([tagged("O NN")], [0.0])]) == "labels"
    assert guess_measure([Candidates([tagged("O O")], [0.0])]) == "labels"


def test_choices() -> None:
    lists = [*measured(tree_lists(), "brackets"), Candidates([], [])]
    scores = compare_choices(lists, [1, 0, None])
    chosen = [lists[0].outputs[1], lists[1].outputs[0]]
    gold = [given.gold for given in lists[:2]]
    assert scores.f1 == pytest.approx(evaluate_brackets(gold, chosen).f1)
    assert scores.baseline == pytest.approx(evaluate_brackets(gold, [x.outputs[0] for x in lists[:2]]).f1)
    assert scores.oracle == 1.0
    assert scores.lists == scores.with_gold == 2
    assert scores.to_dict()["gain"] == pytest.approx(scores.f1 - scores.baseline)
    assert "F1" in str(scores)
    assert compare_choices([], []).significance is None


def test_bad_lists() -> None:
    given = tree_lists()[0]
    with pytest.raises(ValueError, match="'measure' must be one of"):
        list(measured([given], "bleu"))
    with pytest.raises(ValueError, match="List 1: spans cannot be counted"):
        list(measured([given], "spans"))
    with pytest.raises(ValueError, match=r"Word 1 of sentence 1 is 'a' in gold"):
        list(measured([given.with_gold(Tree.parse("(TOP (S (A a) (B b) (C c) (D d) (E e)))"))], "brackets"))
    with pytest.raises(ValueError, match="other words than the right output"):
        list(measured([Candidates([(("a", "X"),)], [0.0], (("b", "X"),))], "labels"))
    assert np.isclose(next(measured([given], "brackets")).f1[1], 1.0)
