"""CSC 448, §9: context-free grammars, probabilities of strings, consistency, first words."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from palmette.grammars.consistency import expected_counts
from palmette.grammars.grammar import Grammar
from palmette.grammars.hidden_markov import HiddenMarkovModel
from palmette.grammars.prefixes import left_corners
from palmette.grammars.regular import regular_grammar
from palmette.grammars.spectrum import expectation_matrix
from palmette.grammars.trimming import productive, reachable

pytestmark = pytest.mark.native


def test_the_grammar_of_b_star_c_star() -> None:
    """S → A, A → B C, B → b B | ε, C → c C | ε: the language is b*c*."""
    grammar = Grammar("S -> A\nA -> B C\nB -> 'b' B | ε\nC -> 'c' C | ε")
    assert grammar.start == "S"
    assert set(grammar.nonterminals) == {"S", "A", "B", "C"}
    assert grammar.terminals == ("b", "c")
    assert productive(grammar) == reachable(grammar) == {"S", "A", "B", "C"}
    for n in range(6):
        for word in itertools.product("bc", repeat=n):
            assert (grammar.parse(word).best() is not None) == (list(word) == sorted(word))


def test_an_example_that_is_not_regular() -> None:
    """aⁿ bⁿ (§9.2)."""
    grammar = Grammar("S -> 'a' S 'b' | ε")
    for n in range(7):
        for word in itertools.product("ab", repeat=n):
            wanted = n % 2 == 0 and word == ("a",) * (n // 2) + ("b",) * (n // 2)
            assert (grammar.parse(word).best() is not None) == wanted


def test_weights_of_a_left_side_sum_to_one() -> None:
    """§9.3: .7 S → A, .3 S → a."""
    grammar = Grammar(".7: S -> A\n.3: S -> 'a'\nA -> 'b'")
    assert grammar.sums == pytest.approx({"S": 1.0, "A": 1.0})
    assert grammar.is_proper


def test_hmms_are_probabilistic_regular_languages() -> None:
    """§9.3: P(A → a A) = P(a | A) P(A | A)."""
    model = HiddenMarkovModel(
        ("A",), ("a", "b"), np.ones(1), np.array([[0.75]]), np.array([[0.6, 0.4]]), np.array([0.25])
    )
    weights = {rule.arrow(): rule.weight for rule in regular_grammar(model).rules}
    assert weights["A -> 'a' A"] == pytest.approx(0.6 * 0.75)
    assert weights["A -> 'b' A"] == pytest.approx(0.4 * 0.75)


def test_the_probability_of_a_string_is_a_sum_over_derivations() -> None:
    """§9.4: P(derivation) = Π P(r), P(string) = Σ_d P(d)."""
    grammar = Grammar("S -> S S [0.3] | 'a' [0.7]")
    forest = grammar.parse(["a"] * 5)
    derivations = forest.kbest(100)
    assert len(derivations) == 14  # Catalan
    for derivation in derivations:
        assert derivation.probability == pytest.approx(math.prod(rule.weight for rule in derivation.rules))
    assert forest.probability == pytest.approx(math.fsum(d.probability for d in derivations))
    assert forest.probability == pytest.approx(14 * 0.3**4 * 0.7**5)


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
def test_a_regular_language_sums_to_one(p: float) -> None:
    """§9.4: S → a S (p), S → a (1 - p): P(aⁿ) is geometric, and sums to one for every p < 1."""
    grammar = Grammar(f"{p}: S -> 'a' S\n{1 - p}: S -> 'a'")
    for n in range(1, 6):
        assert grammar.parse(["a"] * n).probability == pytest.approx(p ** (n - 1) * (1 - p))
    assert grammar.partition().total == 1.0
    assert grammar.consistency().is_consistent


@pytest.mark.parametrize("p", [0.2, 0.5, 0.8])
def test_the_expected_number_of_nonterminals(p: float) -> None:
    """§9.4: S → S S (p), S → a (1 - p). After n steps there are (2p)ⁿ⁻¹ S: the sum is one for 2p <= 1."""
    grammar = Grammar(f"{p}: S -> S S\n{1 - p}: S -> 'a'")
    C = expectation_matrix(grammar)
    numbers = [1.0]  # E[N] = (Cᵀ)ⁿ⁻¹ S
    for _ in range(5):
        numbers.append(float(C[0, 0] * numbers[-1]))
    assert numbers == pytest.approx([2**n * p**n for n in range(6)])
    assert grammar.consistency().spectral_radius == pytest.approx(2 * p)
    assert grammar.consistency().is_consistent == (2 * p <= 1)
    if 2 * p < 1:
        assert expected_counts(grammar)["S"] == pytest.approx(sum((2 * p) ** n for n in range(200)))


def test_first_words_by_the_left_corner_matrix() -> None:
    """§9.4: P(w …) = Uᵀ L* S with L* = I + Lᵀ + (Lᵀ)² + … = (I - Lᵀ)⁻¹."""
    grammar = Grammar(
        "S -> NP VP\nNP -> NP PP [0.25] | 'time' [0.5] | 'flies' [0.25]\nVP -> 'ends'\nPP -> 'soon'"
    )
    L, U = left_corners(grammar)
    S = np.eye(len(L))[0]
    series = sum(np.linalg.matrix_power(L.T, n) @ S for n in range(60))
    want = dict(zip(grammar.terminals, (U.T @ series).tolist()))
    assert grammar.first_words() == pytest.approx(want)
    assert want["time"] == pytest.approx(2 / 3)
    # Σ_S' P(S → w S') is not enough for a context-free grammar: no rule of S begins with a word at all.
    assert not U[0].any()
    assert math.fsum(want.values()) == pytest.approx(1.0)
