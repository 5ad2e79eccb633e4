"""Leftmost derivations: words, trees and weights of a sequence of rules."""

from __future__ import annotations

import math

import pytest

from oracles.grammars import random_grammar
from palmette.grammars.derivation import LeftmostDerivation
from palmette.grammars.grammar import Grammar
from palmette.trees.tree import Tree

GRAMMAR = Grammar("S -> 'a' S 'b' E [0.4] | E [0.6]\nE -> ε [0.5] | 'e' [0.5]")


def test_words_tree_and_weight() -> None:
    derivation = LeftmostDerivation(GRAMMAR, (0, 1, 3, 2))
    assert derivation.words == ["a", "e", "b"]
    assert str(derivation.tree()) == "(S a (S (E e)) b)"
    assert derivation.probability == pytest.approx(0.4 * 0.6 * 0.5 * 0.5)
    assert derivation.score == pytest.approx(math.log(0.06))
    assert len(derivation) == 4
    assert str(derivation).split("\n")[0] == "0.4: S -> 'a' S 'b' E"
    assert "'a e b'" in repr(derivation)
    assert derivation == LeftmostDerivation(GRAMMAR, (0, 1, 3, 2))


def test_the_empty_string_has_a_derivation_and_no_tree() -> None:
    derivation = LeftmostDerivation(GRAMMAR, (1, 2))
    assert derivation.words == []
    with pytest.raises(ValueError, match="empty string"):
        derivation.tree()


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ((0,), "must rewrite S; there is none"),
        ((2,), "must rewrite S; it is E"),
        ((1, 2, 2), "more rules than"),
    ],
)
def test_what_is_no_derivation(numbers: tuple[int, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        _ = LeftmostDerivation(GRAMMAR, numbers).words


@pytest.mark.parametrize("seed", range(5))
def test_trees_and_back(seed: int) -> None:
    grammar = random_grammar(seed, empty=False)
    for sample in grammar.samples(20, random_state=seed):
        assert LeftmostDerivation.of_tree(grammar, sample.tree()) == sample
        assert sample.tree().words == sample.words


def test_trees_that_the_grammar_does_not_have() -> None:
    grammar = Grammar("S -> A A\nA -> 'a'")
    with pytest.raises(ValueError, match="no rule A -> 'b'"):
        LeftmostDerivation.of_tree(grammar, Tree.parse("(S (A a) (A b))"))
    with pytest.raises(ValueError, match="The root of the tree is A"):
        LeftmostDerivation.of_tree(grammar, Tree.parse("(A a)"))


def test_very_deep_derivations() -> None:
    grammar = Grammar("S -> 'a' S [0.5] | 'b' [0.5]")
    derivation = LeftmostDerivation(grammar, (0,) * 20000 + (1,))
    assert len(derivation.words) == 20001
    assert derivation.tree().words == derivation.words
    assert derivation.probability == 0.0
    assert derivation.score == pytest.approx(20001 * math.log(0.5))
