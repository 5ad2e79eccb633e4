"""Bootstrap intervals: closed forms, enumeration of all resamples, and a fixed seed."""

from itertools import product
from math import sqrt

import numpy as np
import pytest

from palmette.evaluation.bootstrap import compare, interval
from palmette.evaluation.spans import evaluate_spans
from palmette.evaluation.tagging import evaluate_tags


def test_a_proportion_has_the_normal_interval():
    """900 of 3000 one-token sentences right: p ± 1.96 sqrt(p (1 - p) / n), up to the noise of resampling."""
    ratios = np.stack([np.arange(3000) < 900, np.ones(3000)], axis=1)
    found = interval(ratios, n_resamples=4000)
    half = 1.96 * sqrt(0.3 * 0.7 / 3000)
    assert found.value == 0.3
    assert found.low == pytest.approx(0.3 - half, abs=0.1 * half)
    assert found.high == pytest.approx(0.3 + half, abs=0.1 * half)


def test_against_all_resamples_of_four_sentences():
    ratios = np.array([[1, 4], [3, 3], [0, 2], [5, 6]])
    every = [ratios[list(drawn)].sum(axis=0) for drawn in product(range(4), repeat=4)]
    exact = np.quantile([a / b for a, b in every], [0.1, 0.9])
    found = interval(ratios, level=0.8, n_resamples=20000)
    np.testing.assert_allclose([found.low, found.high], exact, atol=0.03)


def test_the_same_seed_gives_the_same_interval():
    ratios = np.random.default_rng(1).integers(1, 9, size=(50, 2))
    assert interval(ratios, random_state=3) == interval(ratios, random_state=3)
    assert interval(ratios, random_state=3) != interval(ratios, random_state=4)


def test_many_sentences_are_drawn_in_parts(monkeypatch):
    ratios = np.random.default_rng(1).integers(1, 9, size=(50, 2))
    monkeypatch.setattr("palmette.evaluation.bootstrap._DRAWS_AT_ONCE", 120)
    assert interval(ratios, n_resamples=7).level == 0.95


def test_scores_have_intervals():
    gold = [["B-X"], ["B-Y", "O"], ["O"]] * 20
    guess = [["B-X"], ["O", "O"], ["O"]] * 20
    scores = evaluate_spans(gold, guess)
    assert scores.interval().value == pytest.approx(scores.f1)
    assert scores.interval().low < scores.f1 < scores.interval().high
    assert str(evaluate_tags(gold, guess).interval()).startswith("75.00 (")


def test_two_like_systems_and_two_unlike():
    rng = np.random.default_rng(0)
    tokens = rng.integers(5, 30, size=400)
    good, bad = rng.binomial(tokens, 0.95), rng.binomial(tokens, 0.90)
    other = rng.binomial(tokens, 0.95)
    a, b, c = (np.stack([right, tokens], axis=1) for right in (good, bad, other))
    assert compare(a, b).p_value == 1 / 1001
    assert compare(a, b).difference.low > 0
    assert compare(a, c).p_value > 0.05
    assert compare(a, a).p_value == 1
    assert compare(b, a).difference.value == -compare(a, b).difference.value
    assert compare(a, b).to_dict()["difference"]["level"] == 0.95
    assert str(compare(a, a)).endswith("p = 1.0000")


def test_the_p_value_of_a_difference_is_uniform_when_there_is_none():
    """Both systems have the same accuracy: p < 0.1 happens in about a tenth of the cases."""
    rng = np.random.default_rng(5)
    tokens = np.full(200, 20)
    draws = [np.stack([rng.binomial(tokens, 0.9), tokens], axis=1) for _ in range(200)]
    small = sum(compare(a, b, n_resamples=200).p_value < 0.1 for a, b in zip(draws[::2], draws[1::2]))
    assert 2 <= small <= 20


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: interval([]), "two numbers for each of one or more sentences"),
        (lambda: interval([[1, 2, 3]]), "two numbers for each"),
        (lambda: interval([[1, float("nan")]]), "finite and not negative"),
        (lambda: interval([[1, 1]], level=1.0), "The level must lie between 0 and 1"),
        (lambda: interval([[1, 1]], n_resamples=0), "at least 1"),
        (lambda: compare([[1, 1]], [[1, 1], [0, 1]]), "the same sentences. Got 1 and 2"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
