"""Prefixes: the left-corner matrix, the chart and the general engine agree, and with sums over strings."""

from __future__ import annotations

import math

import pytest

from oracles.grammars import random_grammar, string_weights, strings
from palmette.grammars.binarize import binarized
from palmette.grammars.grammar import Grammar
from palmette.grammars.partition import partition
from palmette.grammars.prefixes import PrefixReader, first_words
from palmette.grammars.rule import Terminal
from palmette.inference.deduction import Deduction

pytestmark = pytest.mark.native

# The grammar intersected with the automaton of w₁ … w_n and then anything, whose loops make cycles.
INTERSECTION = Deduction(
    """
    [A, i, k] <- rule(A, B, C) * [B, i, j] * [C, j, k]
    [A, i, k] <- rule(A, B) * [B, i, k]
    [A, i, k] <- emit(A, w) * arc(w, i, k)
    [A, i, i] <- rule(A) * ?state(i)
    """
)


def intersected(grammar: Grammar, words: tuple[str, ...]) -> float:
    """The weight of all strings that begin with the words, by the general engine."""
    rules, emit = {}, {}
    for rule in binarized(grammar).grammar.rules:
        if len(rule.right) == 1 and isinstance(rule.right[0], Terminal):
            emit[rule.left, rule.right[0].word] = rule.weight
        else:
            rules[rule.left, *rule.nonterminals] = rule.weight
    n = len(words)
    arcs = [(word, i, i + 1) for i, word in enumerate(words)] + [(word, n, n) for word in grammar.terminals]
    facts = {"rule": rules, "emit": emit, "arc": arcs, "state": range(n + 1)}
    return math.exp(INTERSECTION.run(facts, f"['{grammar.start}', 0, {n}]").log_z())


@pytest.mark.parametrize("seed", range(10))
def test_matrix_chart_and_engine_agree(seed: int) -> None:
    grammar = random_grammar(seed, n=3, proper=seed % 2 == 0)
    reader = PrefixReader(grammar)
    assert reader.read([]).probability == pytest.approx(partition(grammar).total)
    for word, p in first_words(grammar).items():
        assert reader.read([word]).probability == pytest.approx(p, rel=1e-9)
    for words in strings("ab", 4):
        assert reader.read(words).probability == pytest.approx(intersected(grammar, words), rel=1e-8)


def test_prefixes_of_a_finite_language() -> None:
    grammar = Grammar("S -> A A [0.5] | A 'c' A [0.3] | ε [0.2]\nA -> 'a' [0.6] | 'a' 'b' [0.3] | ε [0.1]")
    everything = string_weights(grammar, 9)
    assert math.fsum(everything.values()) == pytest.approx(1.0)
    for words in strings("abc", 4):
        want = math.fsum(p for string, p in everything.items() if string[: len(words)] == words)
        assert grammar.prefix_probability(words) == pytest.approx(want, abs=1e-15)


@pytest.mark.parametrize("seed", range(6))
def test_what_comes_next_sums_to_one(seed: int) -> None:
    grammar = random_grammar(seed, n=3, proper=False)
    reader = PrefixReader(grammar)
    for words in strings("ab", 3):
        prefix = reader.read(words)
        if prefix.probability == 0:
            continue
        following = prefix.next_words()
        assert math.fsum(following.values()) == pytest.approx(1.0)
        assert following[None] == pytest.approx(grammar.parse(words).probability / prefix.probability)
        for word, p in following.items():
            if word is not None:
                assert prefix.read([word]).probability == pytest.approx(p * prefix.probability)


def test_closed_forms() -> None:
    grammar = Grammar("S -> 'a' S 'b' [0.5] | ε [0.5]")
    assert grammar.prefix_probability(["a"] * 5) == pytest.approx(0.5**5)
    assert grammar.next_words(["a", "b"]) == pytest.approx({None: 1.0, "a": 0.0, "b": 0.0})
    left = Grammar("S -> S 'a' [0.5] | 'b' [0.5]")  # left-recursive: only the matrix knows how to end
    assert left.first_words() == pytest.approx({"a": 0.0, "b": 1.0})
    assert left.prefix_probability(["b", "a", "a"]) == pytest.approx(0.25)


def test_words_of_rules_that_are_not_used() -> None:
    grammar = Grammar("S -> 'a' [1.0] | B [0.0]\nB -> B [1.0]\nC -> 'c'")
    assert grammar.first_words() == {"a": 1.0, "c": 0.0}
    with pytest.raises(ValueError, match="S derives no string"):
        Grammar("S -> S").first_words()


def test_long_prefixes_do_not_underflow() -> None:
    reader = PrefixReader(Grammar("S -> 'a' S [0.001] | 'b' [0.999]"))
    assert reader.read(["a"] * 200).log_probability == pytest.approx(200 * math.log(0.001))
    assert reader.read(["a"] * 200).next_words() == pytest.approx({None: 0.0, "a": 0.001, "b": 0.999})


def test_prefixes_that_no_string_has() -> None:
    prefix = PrefixReader(Grammar("S -> 'a' 'b'")).read(["b"])
    assert prefix.probability == 0.0
    assert prefix.read(["a"]).log_probability == -math.inf
    with pytest.raises(ValueError, match="No string begins with these words"):
        prefix.next_words()
    assert PrefixReader(Grammar("S -> 'a' 'b'")).read(["unknown"]).probability == 0.0


def test_memory_is_bounded_and_told() -> None:
    with pytest.raises(
        ValueError,
        match=r"A prefix of 20,000 words .* raise max_matrix",
    ):
        PrefixReader(Grammar("S -> 'a' [0.5] | S S [0.5]")).read(["a"] * 20000)
