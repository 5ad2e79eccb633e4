"""Which symbols count: reachable from the start, productive of a string, and the grammar of those alone.

Rules of weight zero count as absent. O(size of the grammar).
"""

from __future__ import annotations

from collections.abc import Sequence

from palmette.grammars.grammar import Grammar
from palmette.grammars.rule import Rule


def productive(grammar: Grammar) -> frozenset[str]:
    """The nonterminals that derive some string."""
    waiting: dict[str, list[int]] = {}  # the rules on whose right a nonterminal is
    missing: list[int] = []  # how many different nonterminals of a rule are not yet known to be productive
    todo: list[str] = []
    for n, rule in enumerate(grammar.rules):
        different = set(rule.nonterminals)
        missing.append(len(different) if rule.weight > 0 else -1)
        for name in different:
            waiting.setdefault(name, []).append(n)
        if missing[n] == 0:
            todo.append(rule.left)
    found: set[str] = set()
    while todo:
        name = todo.pop()
        if name in found:
            continue
        found.add(name)
        for n in waiting.get(name, ()):
            missing[n] -= 1
            if missing[n] == 0:
                todo.append(grammar.rules[n].left)
    return frozenset(found)


def reachable(grammar: Grammar) -> frozenset[str]:
    """The nonterminals that a derivation from the start may use."""
    return _reachable(grammar.rules, grammar.start)


def useful_rules(grammar: Grammar) -> Sequence[Rule]:
    """The rules that some derivation of a string uses, in order; none if there is no string at all."""
    good = productive(grammar)
    rules = [rule for rule in grammar.rules if rule.weight > 0 and good.issuperset(rule.nonterminals)]
    used = _reachable(rules, grammar.start)
    return [rule for rule in rules if rule.left in used]


def trimmed(grammar: Grammar) -> Grammar:
    """The grammar of the useful rules; ValueError if there is no string at all.

    >>> print(trimmed(Grammar("S -> 'a' | B\\nB -> B 'b'\\nC -> 'c'")), end="")
    S -> 'a'
    """
    kept = useful_rules(grammar)
    if not kept:
        raise ValueError(f"The start symbol {grammar.start} derives no string.")
    return grammar if len(kept) == len(grammar.rules) else Grammar.of_good_rules(kept, grammar.start)


def _reachable(rules: Sequence[Rule], start: str) -> frozenset[str]:
    below: dict[str, set[str]] = {}
    for rule in rules:
        if rule.weight > 0:
            below.setdefault(rule.left, set()).update(rule.nonterminals)
    found: set[str] = set()
    todo = [start]
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo.extend(below.get(name, ()))
    return frozenset(found)
