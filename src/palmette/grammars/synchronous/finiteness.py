"""Are there finitely many pairs of strings, and how many of them, of their strings and of their derivations?

A language of pairs is infinite if and only if the strings of source words followed by target words are: then a
nonterminal derives itself with more words (`palmette.grammars.finiteness`). The strings of each side are counted
as an automaton. Pairs have none: they are listed from the bottom up, if there are not too many.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TYPE_CHECKING

from palmette.grammars.finiteness import Finiteness, bottom_up, components, finiteness
from palmette.grammars.grammar import Grammar
from palmette.grammars.rule import Rule, Terminal, symbol_text
from palmette.grammars.synchronous.rule import SynchronousRule
from palmette.grammars.trimming import useful_rules
from palmette.messages import counted

if TYPE_CHECKING:
    from palmette.grammars.synchronous.grammar import SynchronousGrammar

MAX_PAIRS = 100_000
_Pair = tuple[tuple[str, ...], tuple[str, ...]]


@dataclass(frozen=True)
class PairFiniteness:
    """Whether there are finitely many pairs; printing says it in words.

    cycle: if not, rules that lead from a nonterminal back to it and add words. n_pairs: how many different pairs
    there are; None if there are infinitely many, or more than can be listed. n_derivations: how many ways to
    derive them; None if there are infinitely many. source, target: the same of the strings of each side.
    """

    is_finite: bool
    source: Finiteness
    target: Finiteness
    cycle: tuple[SynchronousRule, ...] = ()
    n_pairs: int | None = None
    n_derivations: int | None = None

    def __str__(self) -> str:
        if not self.is_finite:
            name = symbol_text(self.cycle[0].left)
            first = f"infinite: {name} derives itself with more words, by"
            lines = [first, *(f"  {rule.arrow()}" for rule in self.cycle)]
        elif self.n_pairs == 0:
            return "finite: there is no pair"
        else:
            pairs = "more pairs than can be listed" if self.n_pairs is None else counted(self.n_pairs, "pair")
            ways = "infinitely many derivations"
            if self.n_derivations is not None:
                ways = counted(self.n_derivations, "derivation")
            lines = [f"finite: {pairs}, {ways}"]
        for name, side in (("source", self.source), ("target", self.target)):
            lines.append(f"{name} {'infinite' if not side.is_finite else side}")
        return "\n".join(lines)


def pair_finiteness(grammar: SynchronousGrammar, *, max_pairs: int = MAX_PAIRS) -> PairFiniteness:
    """Whether there are finitely many pairs, with the rules that make them infinite, or counted.

    max_pairs: how many pairs of a nonterminal are listed to find those that are derived twice.

    >>> from palmette.grammars.synchronous.grammar import SynchronousGrammar
    >>> print(pair_finiteness(SynchronousGrammar("S -> A1 A2 , A2 A1\\n0.5: A -> a , b\\n0.5: A -> a , c")))
    finite: 4 pairs, 4 derivations
    source finite: 1 string of 2 words
    target finite: 4 strings of 2 words
    """
    both: dict[Rule, list[SynchronousRule]] = {}
    for rule in grammar.rules:
        words = (item for item in rule.target if isinstance(item, Terminal))
        # Weights do not matter but for 0: rules that differ in them or in their order share an entry.
        joined = Rule(rule.left, (*rule.source, *words), float(rule.weight > 0))
        both.setdefault(joined, []).append(rule)
    sides = finiteness(grammar.source), finiteness(grammar.target)
    useful = useful_rules(Grammar.of_good_rules(list(both), grammar.start))
    if not useful:
        return PairFiniteness(True, *sides, n_pairs=0, n_derivations=0)
    cycle = finiteness(Grammar.of_good_rules(useful, grammar.start)).cycle
    if cycle:
        return PairFiniteness(False, *sides, tuple(both[rule][0] for rule in cycle))
    component = components(useful)
    order = [
        (number, [one for rule in ending for one in both[rule]])
        for number, ending in bottom_up(useful, component)
    ]
    start = component[grammar.start]
    turns = any(component[name] == component[rule.left] for rule in useful for name in rule.nonterminals)
    ways: dict[int, int] = {}
    pairs: dict[int, set[_Pair] | None] = {}
    for number, ending in order:
        below = [[component[name] for name in rule.nonterminals] for rule in ending]
        ways[number] = sum(prod(ways[n] for n in names) for names in below)
        pairs[number] = _pairs(ending, [[pairs[n] for n in names] for names in below], max_pairs)
    found = pairs[start]
    return PairFiniteness(
        True, *sides, (), None if found is None else len(found), None if turns else ways[start]
    )


def _pairs(
    rules: Sequence[SynchronousRule], below: Sequence[Sequence[set[_Pair] | None]], most: int
) -> set[_Pair] | None:
    """All pairs that some rules derive, given those of their nonterminals; None if there may be too many."""
    found: set[_Pair] = set()
    for rule, sets in zip(rules, below):
        known = [one for one in sets if one is not None]
        if len(known) < len(sets) or prod(map(len, known)) > most:
            return None
        for chosen in product(*known):
            found.add(_joined(rule, chosen))
        if len(found) > most:
            return None
    return found


def _joined(rule: SynchronousRule, chosen: Sequence[_Pair]) -> _Pair:
    source: list[str] = []
    target: list[str] = []
    at = 0
    for symbol in rule.source:
        if isinstance(symbol, Terminal):
            source.append(symbol.word)
        else:
            source += chosen[at][0]
            at += 1
    for item in rule.target:
        if isinstance(item, Terminal):
            target.append(item.word)
        else:
            target += chosen[item][1]
    return tuple(source), tuple(target)
