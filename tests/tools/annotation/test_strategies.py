"""The choice of examples: each strategy against a plain definition of it."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from palmette.tools.annotation.strategies import STRATEGIES, Candidate, choose, word_vectors


def candidates(n: int, seed: int = 0) -> list[Candidate]:
    rng = np.random.default_rng(seed)
    return [
        Candidate(
            i,
            rng.choice(list("abcdefghijkl"), size=rng.integers(3, 8)).tolist(),
            float(rng.random()),
            float(rng.random()),
            i,
        )
        for i in range(1, n + 1)
    ]


def numbers(chosen: list[Candidate]) -> list[int]:
    return [one.number for one in chosen]


def test_the_least_confident_and_the_largest_changes() -> None:
    given = candidates(40)
    by_confidence = sorted(given, key=lambda one: one.confidence)
    by_change = sorted(given, key=lambda one: -one.change)
    assert numbers(choose(given, 5, "least-confident")) == numbers(by_confidence[:5])
    assert numbers(choose(given, 5, "change")) == numbers(by_change[:5])


@pytest.mark.parametrize("strategy", ["diverse", "mixed"])
def test_the_greedy_choice_is_the_one_of_the_definition(strategy: str) -> None:
    given, known = candidates(30), [["a", "b", "c"], ["d", "d", "e"]]
    found = choose(given, 8, strategy, annotated=known)
    vectors = word_vectors([*(one.words for one in given), *known]).toarray()
    confidence = np.array([one.confidence for one in given])
    done, kept = list(range(30, 32)), []
    for _ in range(8):
        worth = []
        for i in range(30):
            distance = 1 - max(vectors[i] @ vectors[j] for j in done)
            doubt = (confidence >= confidence[i]).mean() if strategy == "mixed" else 1.0
            worth.append(-1.0 if i in done else doubt * distance)
        done.append(int(np.argmax(worth)))
        kept.append(done[-1] + 1)
    assert sorted(numbers(found)) == sorted(kept)


def test_greedy_centres_are_at_most_twice_as_far_as_the_best() -> None:
    """Gonzalez 1985, for distances that are a metric: the angles between vectors order as the cosines do."""
    given = candidates(12, seed=3)
    vectors = word_vectors([one.words for one in given]).toarray()
    angles = np.arccos(np.clip(vectors @ vectors.T, 0, 1))
    chosen = [one.number - 1 for one in choose(given, 3, "diverse")]
    best = min(angles[list(some)].min(axis=0).max() for some in combinations(range(12), 3))
    assert angles[chosen].min(axis=0).max() <= 2 * best + 1e-9


def test_word_vectors_have_length_one_and_prefer_rare_words() -> None:
    vectors = word_vectors([["the", "dog"], ["the", "cat"], ["THE", "the"], []]).toarray()
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1, 1, 0])
    assert vectors[0, 1] > vectors[0, 0]
    assert vectors[2, 0] == pytest.approx(1)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_equal_and_annotated_examples_are_not_chosen_again(strategy: str) -> None:
    given = [Candidate(i, words, 0.5, 0.5, i) for i, words in enumerate([["a"], ["b"], ["a"], ["c"]], 1)]
    assert sorted(numbers(choose(given, 9, strategy))) == [1, 2, 4]
    assert sorted(numbers(choose(given, 9, strategy, annotated=[["b"]]))) == [1, 4]


def test_a_random_choice_follows_its_seed() -> None:
    first, again, other = (numbers(choose(candidates(50), 5, "random", random_state=s)) for s in (1, 1, 2))
    assert first == again != other


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="must be one of mixed"):
        choose([], 3, "best")
    with pytest.raises(ValueError, match="at least 1"):
        choose([], 0)
    assert choose([], 3) == []
