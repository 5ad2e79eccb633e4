"""Synchronous grammars by enumeration: all pairs of a grammar without recursion; permutations by all cuts."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import cache
from random import Random

from palmette.grammars.rule import Terminal
from palmette.grammars.synchronous.grammar import SynchronousGrammar
from palmette.grammars.synchronous.rule import SynchronousRule

Pair = tuple[tuple[str, ...], tuple[str, ...]]


def all_pairs(grammar: SynchronousGrammar) -> list[tuple[Pair, float]]:
    """The pair and the weight of every derivation of a grammar without recursion."""

    @cache
    def below(name: str) -> list[tuple[Pair, float]]:
        found = []
        for rule in grammar.rules_of(name):
            for parts in itertools.product(*map(below, rule.nonterminals)):
                weight = rule.weight
                for _, share in parts:
                    weight *= share
                found.append((_spelt(rule, [pair for pair, _ in parts]), weight))
        return found

    return below(grammar.start)


def _spelt(rule: SynchronousRule, parts: Sequence[Pair]) -> Pair:
    following = iter(parts)
    source: list[str] = []
    for symbol in rule.source:
        source += [symbol.word] if isinstance(symbol, Terminal) else next(following)[0]
    target: list[str] = []
    for item in rule.target:
        target += [item.word] if isinstance(item, Terminal) else parts[item][1]
    return tuple(source), tuple(target)


def random_grammar(random: Random, levels: int = 3, rank: int = 3) -> SynchronousGrammar:
    """A grammar whose nonterminals derive only later ones, over two words on each side."""
    rules: dict[tuple[object, ...], SynchronousRule] = {}
    names = [f"N{'abcdef'[level]}" for level in range(levels)]
    for level, name in enumerate(names):
        for _ in range(random.randint(2, 3)):
            later = names[level + 1 :]
            n = random.randint(0, rank) if later else 0
            source: list[str | Terminal] = [random.choice(later) for _ in range(n)]
            target: list[int | Terminal] = list(random.sample(range(n), n))
            for _ in range(random.randint(0, 1) if n else 1):
                source.insert(random.randint(0, len(source)), Terminal(random.choice("ab")))
            for _ in range(random.randint(0, 1)):
                target.insert(random.randint(0, len(target)), Terminal(random.choice("xy")))
            rule = SynchronousRule(name, tuple(source), tuple(target), random.choice([0.25, 0.5, 1.0]))
            rules[rule[:3]] = rule
    return SynchronousGrammar(rules.values(), weighted=True)


def smallest_rank(permutation: Sequence[int]) -> int:
    """The smallest rank of a tree over a permutation, by all ways to cut it into intervals."""

    def is_interval(i: int, j: int) -> bool:
        return max(permutation[i:j]) - min(permutation[i:j]) == j - i - 1

    @cache
    def rank(i: int, j: int) -> int:
        if j - i == 1:
            return 1
        best = j - i
        ends: list[tuple[int, ...]] = [(i,)]
        while ends:
            cut = ends.pop()
            if cut[-1] == j:
                best = min(best, max(len(cut) - 1, *(rank(a, b) for a, b in itertools.pairwise(cut))))
                continue
            for end in range(cut[-1] + 1, j + 1):
                if (cut[-1], end) != (i, j) and is_interval(cut[-1], end):
                    ends.append((*cut, end))
        return best

    return rank(0, len(permutation))
