"""Sentences under any grammar: against tables of strings, enumerated derivations and NLTK."""

from __future__ import annotations

import math

import numpy as np
import pytest

from oracles.grammars import random_grammar, string_weights, strings
from palmette.grammars.grammar import Grammar
from palmette.grammars.parsing import Parser
from palmette.inference.hypergraph import CycleError

pytestmark = pytest.mark.native

ATTACHMENT = Grammar(
    """
    S -> NP VP
    NP -> 'I' [0.3] | DT NN [0.5] | NP PP [0.2]
    VP -> V NP [0.6] | V NP PP [0.4]
    PP -> 'with' NP
    DT -> 'the' [0.5] | 'a' [0.5]
    NN -> 'man' [0.5] | 'telescope' [0.5]
    V -> 'saw'
    """
)
SENTENCE = "I saw the man with a telescope".split()


@pytest.mark.parametrize("seed", range(8))
def test_strings_have_the_weights_that_iteration_finds(seed: int) -> None:
    grammar = random_grammar(seed, n=3)
    parser = Parser(grammar)
    total, best = string_weights(grammar, 3), string_weights(grammar, 3, best=True)
    for words in strings("ab", 3):
        forest = parser.parse(words)
        assert forest.probability == pytest.approx(total.get(words, 0.0), rel=1e-9)
        found = forest.best()
        if words in best:
            assert found is not None
            assert found.words == list(words)
            assert found.probability == pytest.approx(best[words])
        else:
            assert found is None


def test_two_readings() -> None:
    forest = ATTACHMENT.parse(SENTENCE)
    assert forest.count() == 2
    first, second = forest.kbest(5)
    assert first == forest.best()
    assert "(VP (V saw) (NP (DT the) (NN man)) (PP" in str(first.tree())
    assert first.probability + second.probability == pytest.approx(forest.probability)
    assert first.probability / second.probability == pytest.approx(0.4 / (0.6 * 0.2))
    assert "7 words" in repr(forest)


def test_expected_counts_against_the_readings() -> None:
    forest = ATTACHMENT.parse(SENTENCE)
    want = np.zeros(len(ATTACHMENT))
    for derivation in forest.kbest(2):
        for number in derivation.numbers:
            want[number] += derivation.probability / forest.probability
    np.testing.assert_allclose(forest.expected_counts(), want)


def test_samples_of_one_sentence() -> None:
    forest = ATTACHMENT.parse(SENTENCE)
    drawn = forest.samples(2000, random_state=1)
    share = sum(sample == forest.best() for sample in drawn) / len(drawn)
    p = 0.4 / (0.4 + 0.12)
    assert abs(share - p) < 5 * math.sqrt(p * (1 - p) / 2000)
    assert drawn == forest.samples(2000, random_state=1)


def test_nltk_finds_the_same_best_tree() -> None:
    nltk = pytest.importorskip("nltk")
    text = str(ATTACHMENT)
    suffixed = "\n".join(f"{rule.arrow()} [{rule.weight}]" for rule in ATTACHMENT.rules)
    assert Grammar(suffixed) == Grammar(text)
    (want,) = nltk.ViterbiParser(nltk.PCFG.fromstring(suffixed)).parse(SENTENCE)
    best = ATTACHMENT.parse(SENTENCE).best()
    assert best is not None
    assert str(best.tree()) == " ".join(str(nltk.Tree.convert(want)).split())
    assert best.probability == pytest.approx(want.prob())
    charts = nltk.ChartParser(nltk.PCFG.fromstring(suffixed))
    assert ATTACHMENT.parse(SENTENCE).count() == len(list(charts.parse(SENTENCE)))


def test_nothing_is_found() -> None:
    forest = ATTACHMENT.parse(["I", "unknown"])
    assert forest.log_z == -math.inf
    assert forest.best() is None
    assert forest.kbest(3) == []
    assert not forest.expected_counts().any()
    assert ATTACHMENT.parse([]).probability == 0.0
    assert ATTACHMENT.parse(["only", "unknown", "words"]).best() is None


def test_cycles() -> None:
    grammar = Grammar("S -> A [0.5] | 'a' [0.5]\nA -> S [0.5] | 'a' [0.5]")
    forest = grammar.parse(["a"])
    assert forest.probability == pytest.approx(1.0)
    with pytest.raises(CycleError):
        forest.kbest(3)


def test_a_text_is_no_sentence() -> None:
    with pytest.raises(ValueError, match="split it"):
        ATTACHMENT.parse("I saw the man")


def test_too_many_edges_are_refused() -> None:
    parser = Parser(Grammar("S -> S S [0.4] | 'a' [0.6]"))
    assert parser.parse(["a"] * 200).log_z < 0
    with pytest.raises(ValueError, match="The forest of these 60 words has more than 1,000 edges"):
        parser.parse(["a"] * 60, max_edges=1000)
