"""Which symbols count: reachable from the start, productive of a string, and the grammar of those alone.

Rules of weight zero count as absent. O(size of the grammar).
"""

from __future__ import annotations

from palmette.grammars.grammar import Grammar


def productive(grammar: Grammar) -> frozenset[str]:
    """The nonterminals that derive some string."""
    waiting: dict[str, list[int]] = {}  # the rules on whose right a nonterminal stands
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


def reachable(grammar: Grammar, *, among: frozenset[str] | None = None) -> frozenset[str]:
    """The nonterminals that a derivation from the start may use; by rules with nonterminals `among` these only."""
    found: set[str] = set()
    todo = [grammar.start]
    while todo:
        name = todo.pop()
        if name in found:
            continue
        found.add(name)
        for rule in grammar.rules_of(name):
            if rule.weight > 0 and (among is None or among.issuperset(rule.nonterminals)):
                todo.extend(rule.nonterminals)
    return frozenset(found)


def trimmed(grammar: Grammar) -> Grammar:
    """The rules that some derivation of a string uses; ValueError if there is no string at all.

    >>> print(trimmed(Grammar("S -> 'a' | B\\nB -> B 'b'\\nC -> 'c'")), end="")
    S -> 'a'
    """
    good = productive(grammar)
    if grammar.start not in good:
        raise ValueError(f"The start symbol {grammar.start} derives no string: there is nothing to keep.")
    used = reachable(grammar, among=good)
    kept = [
        rule
        for rule in grammar.rules
        if rule.weight > 0 and rule.left in used and good.issuperset(rule.nonterminals)
    ]
    return grammar if len(kept) == len(grammar.rules) else Grammar(kept, start=grammar.start, weighted=True)
