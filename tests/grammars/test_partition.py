"""Sums over all strings: against closed forms and plain iteration."""

from __future__ import annotations

import math

import numpy as np
import pytest

from oracles.grammars import random_grammar, string_weights, totals
from palmette.grammars.grammar import Grammar
from palmette.grammars.partition import empty_weights, partition, tightened

pytestmark = pytest.mark.native


@pytest.mark.parametrize("p", [0.05, 0.3, 0.49, 0.499999, 0.500001, 0.51, 0.75, 0.99])
def test_a_branching_process(p: float) -> None:
    """S → S S (p) | a (1 - p): Z = min(1, (1 - p) / p)."""
    found = partition(Grammar(f"S -> S S [{p}] | 'a' [{1 - p}]"))
    assert abs(found.total - min(1.0, (1 - p) / p)) <= max(1e-12, 100 * found.error)
    assert found.error <= 1e-9


def test_the_critical_case_is_exact() -> None:
    assert partition(Grammar("S -> S S [0.5] | 'a' [0.5]")).total == 1.0
    nested = Grammar("S -> A A [0.5] | 'a' [0.5]\nA -> S [0.5] | B [0.5]\nB -> S S [0.5] | 'b' [0.5]")
    assert partition(nested).total == 1.0
    # Critical, but no PCFG: x = 2 x² / 4 + 1/2, of which half the digits can be had, and that is said.
    half = partition(
        Grammar("S -> S S [0.5] | 'a' [0.5] | 'b' [0.0]\nT -> S S [0.25] | T T [1]", weighted=True)
    )
    assert half.values["T"] == pytest.approx(0.5, abs=10 * half.error)
    assert half.error == pytest.approx(math.sqrt(np.finfo(float).eps))


@pytest.mark.parametrize("seed", range(12))
def test_random_grammars_against_plain_iteration(seed: int) -> None:
    grammar = random_grammar(seed, proper=seed % 2 == 0)
    assert dict(partition(grammar).values) == pytest.approx(totals(grammar), rel=1e-9)
    empty = dict(zip(grammar.nonterminals, empty_weights(grammar).tolist()))
    assert empty["S"] == pytest.approx(string_weights(grammar, 0).get((), 0.0), rel=1e-12)


def test_nothing_is_derived() -> None:
    assert partition(Grammar("S -> S")).total == 0.0
    assert partition(Grammar("S -> S 'a'")).total == 0.0


def test_sums_that_diverge_are_said_with_their_nonterminals() -> None:
    with pytest.raises(ValueError, match="The derivations of S have no finite total weight"):
        partition(Grammar("S -> S | 'a'"))
    with pytest.raises(ValueError, match="The derivations of S have no finite total weight"):
        partition(Grammar("S -> S S [2] | 'a' [2]", weighted=True))


def test_sums_beyond_the_range_of_numbers() -> None:
    grammar = Grammar("S -> S S [1e-320] | 'a' [1e308] | 'b' [1e308]", weighted=True)
    with pytest.raises(ValueError, match=r"The derivations of S have a total weight above 10\^308"):
        partition(grammar)
    assert grammar.consistency().total == math.inf
    assert grammar.expected_length() > 1e308


@pytest.mark.parametrize("seed", range(6))
def test_tightening_keeps_proportions(seed: int) -> None:
    grammar = random_grammar(seed, proper=False)
    tight = tightened(grammar)
    assert tight.is_proper
    assert tight.consistency().is_consistent
    z = partition(grammar).total
    want = {string: weight / z for string, weight in string_weights(grammar, 3).items()}
    assert string_weights(tight, 3) == pytest.approx(want, rel=1e-9)


def test_an_inconsistent_grammar_is_tightened() -> None:
    tight = Grammar("S -> S S [0.75] | 'a' [0.25]").tightened()
    assert tight.weights == pytest.approx([0.25, 0.75])
    assert tight.expected_length() == pytest.approx(1.5)
