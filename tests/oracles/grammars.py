"""What grammars derive, the slow way: tables of strings, iterated until they stand still; and random grammars."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from palmette.grammars.grammar import Grammar
from palmette.grammars.rule import Rule, Symbol, Terminal

Strings = dict[tuple[str, ...], float]


def string_weights(grammar: Grammar, longest: int, *, best: bool = False, rounds: int = 400) -> Strings:
    """The total (or best) weight of every string of at most `longest` words: Kleene's iteration."""
    tables: dict[str, Strings] = {name: {} for name in grammar.nonterminals}
    for _ in range(rounds):
        new: dict[str, Strings] = {name: {} for name in grammar.nonterminals}
        for rule in grammar.rules:
            parts: Strings = {(): rule.weight}
            for symbol in rule.right:
                right = {(symbol.word,): 1.0} if isinstance(symbol, Terminal) else tables[symbol]
                joined: Strings = {}
                for (a, p), (b, q) in itertools.product(parts.items(), right.items()):
                    if len(a) + len(b) <= longest:
                        _add(joined, a + b, p * q, best)
                parts = joined
            for string, weight in parts.items():
                _add(new[rule.left], string, weight, best)
        settled = all(
            new[name].keys() == tables[name].keys()
            and all(math.isclose(w, tables[name][s], rel_tol=1e-14) for s, w in new[name].items())
            for name in new
        )
        tables = new
        if settled:
            break
    return {string: weight for string, weight in tables[grammar.start].items() if weight > 0}


def _add(table: Strings, string: tuple[str, ...], weight: float, best: bool) -> None:
    known = table.get(string, 0.0)
    table[string] = max(known, weight) if best else known + weight


def totals(grammar: Grammar, rounds: int = 20000) -> dict[str, float]:
    """Z by plain iteration from zero."""
    z = dict.fromkeys(grammar.nonterminals, 0.0)
    for _ in range(rounds):
        new = dict.fromkeys(grammar.nonterminals, 0.0)
        for rule in grammar.rules:
            new[rule.left] += rule.weight * math.prod(z[name] for name in rule.nonterminals)
        if new == z:
            break
        z = new
    return z


def strings(words: str, longest: int) -> Iterator[tuple[str, ...]]:
    """All strings of at most so many of these letters."""
    for n in range(longest + 1):
        yield from itertools.product(words, repeat=n)


def random_grammar(
    seed: int, *, n: int = 4, words: str = "ab", empty: bool = True, proper: bool = True
) -> Grammar:
    """A PCFG with empty, unary and long rules, in which every nonterminal likely ends soon."""
    rng = np.random.default_rng(seed)
    names = ["S", "A", "B", "C", "D", "E"][:n]
    weights: dict[tuple[str, tuple[Symbol, ...]], float] = {}
    for name in names:
        weights[name, (Terminal(str(rng.choice(list(words)))),)] = 3 * float(rng.uniform(0.5, 1.0))
        if empty and rng.random() < 0.5:
            weights[name, ()] = float(rng.uniform(0.5, 1.0))
        for _ in range(int(rng.integers(2, 5))):
            length = int(rng.choice([1, 2, 2, 3, 4]))
            right = tuple(
                str(rng.choice(names)) if rng.random() < 0.6 else Terminal(str(rng.choice(list(words))))
                for _ in range(length)
            )
            weights[name, right] = float(rng.uniform(0.05, 0.6))
    grammar = Grammar([Rule(*key, weight) for key, weight in weights.items()], start="S", weighted=True)
    if proper:
        return grammar.normalised()
    return grammar.with_weights(grammar.normalised().weights * rng.uniform(0.6, 1.0, size=len(grammar)))
