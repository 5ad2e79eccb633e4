"""Finite and infinite languages, against the strings written out. CSC 448, §9.2."""

from __future__ import annotations

import functools
import itertools
import operator
import time

import numpy as np
import pytest

from oracles.grammars import string_weights
from palmette.grammars.finiteness import finiteness
from palmette.grammars.grammar import Grammar
from palmette.grammars.rule import Rule, Symbol, Terminal
from palmette.grammars.trimming import useful_rules


def grammar(text: str) -> Grammar:
    return Grammar(text, weighted=True)


@pytest.mark.parametrize(
    ("text", "strings"),
    [
        ("S -> 'a' | 'b' 'c'", 2),
        ("S -> A B | 'a' 'b'\nA -> 'a'\nB -> 'b'", 1),  # ambiguous: one string, two derivations
        ("S -> S | 'a'", 1),  # unary cycles add nothing
        ("S -> A | 'a'\nA -> S | 'b'", 2),
        ("S -> S E | 'a'\nE -> ε", 1),
        ("S -> S S | ε", 1),
        ("S -> A\nA -> E A E | 'a'\nE -> F F | ε\nF -> E", 1),
        ("S -> 'a' | S X\nX -> X 'b'", 1),  # X derives no string
        ("S -> 'a'\nT -> 'b' T | 'b'", 1),  # T is not reached
        ("S -> 'a'\n0: S -> 'a' S", 1),  # a rule of weight zero is absent
        ("S -> ε", 1),
        ("S -> S 'a'", 0),
        ("S -> A A A\nA -> 'a' | ε", 4),
    ],
)
def test_finite_languages(text: str, strings: int) -> None:
    found = finiteness(grammar(text))
    assert (found.is_finite, found.n_strings, found.cycle) == (True, strings, ())
    assert grammar(text).is_finite()


@pytest.mark.parametrize(
    ("text", "cycle"),
    [
        ("S -> 'a' S | 'b'", ["S -> 'a' S"]),
        ("S -> 'a' S 'b' | ε", ["S -> 'a' S 'b'"]),
        ("S -> A 'x'\nA -> B\nB -> C 'b'\nC -> A | 'c'", ["B -> C 'b'", "C -> A", "A -> B"]),
        ("S -> S S | 'a'", ["S -> S S"]),
        (
            "S -> A S | ε\nA -> B\nB -> ε | 'b'",
            ["S -> A S"],
        ),  # beside it something may be empty, but need not
        ("S -> 'a' | T\nT -> E T | 'b'\nE -> ε\nT -> T U\nU -> 'u'", ["T -> T U"]),
    ],
)
def test_infinite_languages(text: str, cycle: list[str]) -> None:
    found = finiteness(grammar(text))
    assert [rule.arrow() for rule in found.cycle] == cycle
    assert (found.is_finite, found.n_strings, found.longest) == (False, None, None)


def random_grammar(seed: int) -> Grammar:
    """Mostly non-recursive rules, with empty and unary rules and useless symbols."""
    rng = np.random.default_rng(seed)
    names = ["S", "A", "B", "C", "D"]
    rules: dict[tuple[str, tuple[Symbol, ...]], float] = {}
    for n, name in enumerate(names):
        for _ in range(int(rng.integers(1, 4))):
            low = n + 1 if rng.random() < 0.85 else int(rng.integers(0, len(names)))
            right: list[Symbol] = []
            for _ in range(int(rng.choice([0, 1, 1, 2, 3]))):
                below = names[low:]
                right.append(
                    str(rng.choice(below))
                    if below and rng.random() < 0.6
                    else Terminal(str(rng.choice(["a", "b"])))
                )
            rules[name, tuple(right)] = 1.0
    return Grammar([Rule(*key, weight) for key, weight in rules.items()], start="S", weighted=True)


def lengths(sample: Grammar, longest: int) -> set[int]:
    """The lengths of all strings up to `longest`: sets of lengths as bits, iterated until they stay the same."""
    every = (1 << (longest + 1)) - 1
    tables = dict.fromkeys(sample.nonterminals, 0)
    while True:
        before = dict(tables)
        for rule in sample.rules:
            total = 1
            for symbol in rule.right:
                right = 2 if isinstance(symbol, Terminal) else tables[symbol]
                shifts = [total << n for n in range(right.bit_length()) if right >> n & 1]
                total = functools.reduce(operator.or_, shifts, 0) & every
            tables[rule.left] |= total
        if tables == before:
            return {n for n in range(longest + 1) if tables[sample.start] >> n & 1}


def test_against_all_strings() -> None:
    """With 5 nonterminals and at most 3 symbols on the right, a tree without a nonterminal above itself has up to
    3⁵ words. So a language is infinite if and only if it has a string of 3⁵ + 1 to 2 · 3⁵ words.
    """
    seen = {True: 0, False: 0}
    for seed in range(300):
        sample = random_grammar(seed)
        found = finiteness(sample)
        seen[found.is_finite] += 1
        possible = lengths(sample, 2 * 3**5)
        assert found.is_finite == (max(possible, default=0) <= 3**5), str(sample)
        if found.is_finite:
            assert (found.shortest, found.longest) == (
                min(possible, default=None),
                max(possible, default=None),
            )
            if (found.longest or 0) <= 9:
                assert found.n_strings == len(string_weights(sample, 9, rounds=30)), str(sample)
        else:
            cycle = list(found.cycle)
            for rule, following in zip(cycle, cycle[1:] + cycle[:1]):
                assert following.left in rule.nonterminals
            assert set(cycle) <= set(useful_rules(sample))
    assert min(seen.values()) > 40


def test_more_strings_than_can_be_listed() -> None:
    digits = " | ".join(f"'{d}'" for d in range(10))
    rules = "S -> " + " ".join(["D"] * 20) + f"\nD -> {digits}"
    found = finiteness(grammar(rules))
    assert found.n_strings == 10**20
    assert str(found) == f"finite: {10**20:,} strings of 20 words"


def test_doubling() -> None:
    """A₀ → A₁ A₁, …: 2³⁰ words in one string, whose automaton would have as many states."""
    rules = "".join(f"A{n} -> A{n + 1} A{n + 1}\n" for n in range(30)) + "A30 -> 'a'"
    found = finiteness(grammar(rules), max_states=10_000)
    assert (found.is_finite, found.n_strings, found.longest) == (True, None, 2**30)
    assert str(found) == f"finite: more strings than can be counted of {2**30:,} words"


def test_long_chains() -> None:
    """Neither deep grammars nor long strings are too much."""
    n = 1_500
    rules = "".join(f"A{i} -> 'a' A{i + 1} | A{i + 1}\n" for i in range(n)) + f"A{n} -> ε"
    began = time.process_time()
    found = finiteness(grammar(rules))
    assert (found.shortest, found.longest) == (0, n)
    assert time.process_time() - began < 30


def test_brute_force_unions() -> None:
    """All unions and products of small sets of strings."""
    from palmette.grammars.string_sets import StringSets

    strings = [tuple(s) for n in range(3) for s in itertools.product("ab", repeat=n)]
    sets = StringSets(10_000)

    def made(some: frozenset[tuple[str, ...]]) -> int:
        total = sets.none
        for string in some:
            one = sets.empty_string
            for word in reversed(string):
                one = sets.prefixed(word, one)
            total = sets.union(total, one)
        return total

    rng = np.random.default_rng(0)
    for _ in range(200):
        some, other = (frozenset(s for s in strings if rng.random() < 0.4) for _ in range(2))
        assert sets.union(made(some), made(other)) == made(some | other)
        joined = sets.joined(made(some), made(other))
        product = {a + b for a in some for b in other}
        assert joined == made(frozenset(product))
        assert sets.count(joined) == len(product)
