"""Factored grammars derive the same pairs with the same weights, by rules of the smallest rank."""

from __future__ import annotations

import math
from collections import Counter
from random import Random

import pytest

from oracles.synchronous import all_pairs, random_grammar
from palmette.grammars.synchronous.collecting import best_order, collecting_cost, cost_at_once
from palmette.grammars.synchronous.factoring import smallest_rank
from palmette.grammars.synchronous.grammar import SynchronousGrammar

pytestmark = pytest.mark.native


def test_the_example_of_the_notes() -> None:
    grammar = SynchronousGrammar("S -> C1 B2 A3 , A3 B2 C1")
    assert str(grammar.factored()) == "S -> S@a1 A2 , A2 S@a1\nS@a -> C1 B2 , B2 C1\n"


def test_the_rule_without_a_normal_form() -> None:
    grammar = SynchronousGrammar("S -> A1 B2 C3 D4 , C3 A1 D4 B2")
    assert smallest_rank(grammar.rules[0]) == 4
    assert grammar.factored() == grammar


def test_words_stay_where_they_are() -> None:
    grammar = SynchronousGrammar("S -> a C1 x B2 A3 z , q A3 r B2 s C1 t")
    assert str(grammar.factored()) == "S -> a S@a1 A2 z , q A2 r S@a1 t\nS@a -> C1 x B2 , B2 s C1\n"


@pytest.mark.parametrize("seed", range(40))
def test_the_same_pairs(seed: int) -> None:
    grammar = random_grammar(Random(seed), rank=4, levels=3)
    factored = grammar.factored()
    assert factored.rank <= max([2, *(smallest_rank(rule) for rule in grammar.rules)])
    want, have = Counter[object](), Counter[object]()
    for counter, one in ((want, grammar), (have, factored)):
        for pair, weight in all_pairs(one):
            counter[pair] += weight  # type: ignore[assignment]
    assert have.keys() == want.keys()
    assert all(math.isclose(have[pair], want[pair]) for pair in want)


def test_shared_pieces_and_taken_names() -> None:
    grammar = SynchronousGrammar(
        "S -> A1 B2 C3 , C3 B2 A1\nS -> A1 B2 D3 , D3 B2 A1\nS@a -> e , e", weighted=True
    )
    assert str(grammar.factored()) == (
        "S -> S@b1 C2 , C2 S@b1\nS@b -> A1 B2 , B2 A1\nS -> S@b1 D2 , D2 S@b1\nS@a -> e , e\n"
    )


def test_cost_of_collecting_as_the_notes_compute_it() -> None:
    permutation = [2, 0, 3, 1]  # S → A B C D , C A D B
    assert cost_at_once(permutation) == (5, 8)
    assert collecting_cost(permutation, [0, 1, 2, 3]) == (3, 6)
    assert str(collecting_cost(permutation, [0, 1, 2, 3])) == "n^(3 + 6(m - 1))"
    assert collecting_cost([0, 1], [0, 1]) == (3, 4)  # n^(3 + 4(m - 1)), as for binary rules
    assert collecting_cost([0, 1], [0, 1]).exponent(3) == 11


@pytest.mark.parametrize("seed", range(20))
def test_the_best_order_is_the_best_of_all(seed: int) -> None:
    import itertools

    generator = Random(seed)
    n = generator.randint(1, 6)
    permutation = generator.sample(range(n), n)
    order = generator.choice([2, 3, 5])
    best, cost = best_order(permutation, order)
    assert collecting_cost(permutation, best, order) == cost
    assert cost.exponent(order) == min(
        collecting_cost(permutation, steps, order).exponent(order)
        for steps in itertools.permutations(range(n))
    )


def test_bad_orders() -> None:
    with pytest.raises(ValueError, match="each of the 2 nonterminals once"):
        collecting_cost([0, 1], [0, 0])
    with pytest.raises(ValueError, match="at most 16"):
        best_order(range(17))
    with pytest.raises(ValueError, match="each of the numbers"):
        best_order([0, 2])
