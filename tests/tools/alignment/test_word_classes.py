"""Word classes by exchange: the sum that never falls, written out, and classes that are there to be found."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest

from palmette._native import Bitext
from palmette.tools.alignment.word_classes import word_classes

pytestmark = pytest.mark.native


def bitext_of(sentences: list[list[int]], n_words: int) -> Bitext:
    offsets = np.cumsum([0, *map(len, sentences)]).astype(np.int64)
    words = np.array(list(itertools.chain(*sentences)), np.int32)
    return Bitext(offsets, words, offsets, words, n_words, n_words)


def bigram_sum(sentences: list[list[int]], classes: list[int]) -> float:
    pairs, left, right = Counter(), Counter(), Counter()
    for sentence in sentences:
        kinds = [-1, *(classes[word] for word in sentence), -1]
        pairs.update(itertools.pairwise(kinds))
        left.update(kinds[:-1])
        right.update(kinds[1:])
    return sum(n * math.log(n) for n in pairs.values()) - sum(
        n * math.log(n) for n in (*left.values(), *right.values())
    )


def test_each_pass_raises_the_sum_until_no_word_gains() -> None:
    rng = np.random.default_rng(3)
    sentences = [rng.integers(0, 12, rng.integers(0, 9)).tolist() for _ in range(60)]
    bitext = bitext_of(sentences, 12)
    before = -math.inf
    for passes in range(6):
        classes, have = bitext.exchange_classes(False, 3, passes)
        assert have == pytest.approx(bigram_sum(sentences, classes.tolist()))
        assert have >= before - 1e-9
        before = have
    classes = bitext.exchange_classes(False, 3, 100)[0].tolist()
    best = bigram_sum(sentences, classes)
    for word, kind in itertools.product(range(12), range(3)):
        assert bigram_sum(sentences, [*classes[:word], kind, *classes[word + 1 :]]) <= best + 1e-6


def test_words_that_stand_in_the_same_places_share_a_class() -> None:
    rng = np.random.default_rng(0)
    # Determiners 0 to 2, nouns 3 to 6, verbs 7 to 9.
    sentences = [
        [int(rng.integers(0, 3)), int(rng.integers(3, 7)), int(rng.integers(7, 10))] for _ in range(200)
    ]
    source, target = word_classes(bitext_of(sentences, 11), 3)
    assert np.array_equal(source, target)
    assert len(source) == 11
    kinds = [set(source[a:b].tolist()) for a, b in ((0, 3), (3, 7), (7, 10))]
    assert all(len(kind) == 1 for kind in kinds)
    assert len(set().union(*kinds)) == 3


def test_a_number_of_classes_that_cannot_be() -> None:
    with pytest.raises(ValueError, match="classes"):
        bitext_of([[0]], 1).exchange_classes(True, 0, 1)
