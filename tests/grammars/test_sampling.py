"""Samples: their shares against probabilities, and the same ones for the same seed."""

from __future__ import annotations

import math
from collections import Counter

import pytest

from oracles.grammars import random_grammar, string_weights
from palmette.grammars.grammar import Grammar

pytestmark = pytest.mark.native


@pytest.mark.parametrize("seed", range(4))
def test_strings_come_as_often_as_they_should(seed: int) -> None:
    grammar = random_grammar(seed, n=3, proper=seed % 2 == 0)
    n = 4000
    counts = Counter(tuple(sample.words) for sample in grammar.samples(n, random_state=seed))
    total = grammar.partition().total
    for string, weight in string_weights(grammar, 2).items():
        p = weight / total
        assert abs(counts[string] / n - p) < 5 * math.sqrt(p * (1 - p) / n) + 1e-12


def test_seeds() -> None:
    grammar = Grammar("S -> S S [0.4] | 'a' [0.3] | 'b' [0.3]")
    assert grammar.samples(20, random_state=1) == grammar.samples(20, random_state=1)
    assert grammar.samples(20, random_state=1) != grammar.samples(20, random_state=2)
    assert grammar.samples(0) == []


def test_what_does_not_end_is_not_drawn() -> None:
    """Half of the derivations of this grammar never end; those that do are drawn as the tightened grammar says."""
    grammar = Grammar("S -> S S [0.75] | 'a' [0.25]")
    lengths = [len(sample.words) for sample in grammar.samples(3000)]
    assert sum(lengths) / 3000 == pytest.approx(1.5, abs=0.1)


def test_nothing_to_draw() -> None:
    with pytest.raises(ValueError, match="S derives no string"):
        Grammar("S -> S").samples(1)
    with pytest.raises(ValueError, match="no finite total weight"):
        Grammar("S -> S | 'a'").samples(1)
