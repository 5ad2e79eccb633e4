"""Is the language of a grammar finite, how many strings has it, and how long are they? CSC 448, §9.2.

Among useful rules, the language is infinite if and only if some A ⇒⁺ α A β in which α β derives a word: each turn
adds words. So a rule *grows* at one of its nonterminals if something beside it derives a word, and a language is
infinite if a growing rule lies on a cycle of nonterminals. Other cycles (A → B, B → A; A → A E, E → ε) add
nothing, and all nonterminals on one derive the same strings. O(size of the grammar).

A finite language is counted as an automaton: equal sets of endings are one state, so that ambiguous grammars count
a string once, and 10²⁰ strings need no list.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter

import numpy as np
from scipy import sparse

from palmette.grammars.grammar import Grammar
from palmette.grammars.rule import Rule, Terminal, symbol_text
from palmette.grammars.string_sets import StringSets, TooManyStatesError
from palmette.grammars.trimming import useful_rules
from palmette.messages import counted

MAX_STATES = 1_000_000


@dataclass(frozen=True)
class Finiteness:
    """Whether a language is finite; printing says it in words.

    cycle: if it is infinite, rules that lead from a nonterminal back to it and add words. n_strings: how many
    different strings there are; None if there are infinitely many, or if counting them takes too much memory.
    shortest, longest: their lengths in words; None if there is no such string.
    """

    is_finite: bool
    cycle: tuple[Rule, ...] = ()
    n_strings: int | None = None
    shortest: int | None = None
    longest: int | None = None

    def __str__(self) -> str:
        if not self.is_finite:
            name = symbol_text(self.cycle[0].left)
            rules = "\n".join(f"  {rule.arrow()}" for rule in self.cycle)
            return f"infinite: {name} derives itself with more words, by\n{rules}"
        if self.longest is None:
            return "finite: there is no string"
        strings = "more strings than can be counted"
        if self.n_strings is not None:
            strings = counted(self.n_strings, "string")
        span = "" if self.shortest == self.longest else f"{self.shortest:,} to "
        return f"finite: {strings} of {span}{counted(self.longest, 'word')}"


def finiteness(grammar: Grammar, *, max_states: int = MAX_STATES) -> Finiteness:
    """Whether the language is finite, with the rules that make it infinite, or its strings counted.

    max_states: how large the automaton that counts the strings may become, at about 200 bytes a state.

    >>> print(finiteness(Grammar("S -> 'a' S | 'b'", weighted=True)))
    infinite: S derives itself with more words, by
      S -> 'a' S
    >>> print(finiteness(Grammar("S -> A A\\nA -> 'a' | 'a' 'a'", weighted=True)))
    finite: 3 strings of 2 to 4 words
    """
    rules = useful_rules(grammar)
    if not rules:
        return Finiteness(True, n_strings=0)
    component = components(rules)
    cycle = _growing_cycle(rules, component)
    if cycle:
        return Finiteness(False, cycle)
    order = list(bottom_up(rules, component))
    start = component[grammar.start]
    shortest, longest = ({}, {})  # type: tuple[dict[int, int], dict[int, int]]
    for number, ending in order:
        for lengths, choose in ((shortest, min), (longest, max)):
            lengths[number] = choose(
                sum(1 if isinstance(s, Terminal) else lengths[component[s]] for s in rule.right)
                for rule in ending
            )
    try:
        n_strings = _count(order, component, start, max_states)
    except TooManyStatesError:
        n_strings = None
    return Finiteness(True, (), n_strings, shortest[start], longest[start])


def components(rules: Sequence[Rule]) -> dict[str, int]:
    """The strongly connected component of every nonterminal."""
    names = {name: n for n, name in enumerate(dict.fromkeys(rule.left for rule in rules))}
    arcs = np.array(
        [(names[r.left], names[b]) for r in rules for b in r.nonterminals], dtype=np.int64
    ).reshape(-1, 2)
    shape = (len(names), len(names))
    graph = sparse.coo_array((np.ones(len(arcs)), (arcs[:, 0], arcs[:, 1])), shape=shape)
    _, labels = sparse.csgraph.connected_components(graph.tocsr(), directed=True, connection="strong")
    return dict(zip(names, labels.tolist()))


def _growing_cycle(rules: Sequence[Rule], component: Mapping[str, int]) -> tuple[Rule, ...]:
    """The rules of a cycle that adds words, as short as its first rule allows; none if there is none."""
    wordy = _wordy(rules)
    growing: tuple[Rule, str] | None = None
    for rule in rules:
        n_wordy = sum(isinstance(symbol, Terminal) or symbol in wordy for symbol in rule.right)
        for name in rule.nonterminals:
            if component[name] == component[rule.left] and n_wordy > (name in wordy):
                if name == rule.left:
                    return (rule,)
                growing = growing or (rule, name)
    return (growing[0], *_path(rules, component, growing[1], growing[0].left)) if growing else ()


def _wordy(rules: Sequence[Rule]) -> set[str]:
    """The nonterminals that derive a string with words."""
    above: dict[str, set[str]] = {}
    todo: list[str] = []
    for rule in rules:
        for name in rule.nonterminals:
            above.setdefault(name, set()).add(rule.left)
        if len(rule.nonterminals) < len(rule.right):
            todo.append(rule.left)
    found: set[str] = set()
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo.extend(above.get(name, ()))
    return found


def _path(rules: Sequence[Rule], component: Mapping[str, int], first: str, last: str) -> list[Rule]:
    """The fewest rules from one nonterminal to another of its component."""
    below: dict[str, list[Rule]] = {}
    for rule in rules:
        if component[rule.left] == component[first]:
            below.setdefault(rule.left, []).append(rule)
    came_by: dict[str, Rule] = {}
    queue = deque([first])
    while last not in came_by:
        for rule in below[queue.popleft()]:
            for name in rule.nonterminals:
                if component[name] == component[first] and name not in came_by:
                    came_by[name] = rule
                    queue.append(name)
    path: list[Rule] = []
    while last != first:
        path.append(came_by[last])
        last = came_by[last].left
    return path[::-1]


def bottom_up(rules: Sequence[Rule], component: Mapping[str, int]) -> Iterator[tuple[int, list[Rule]]]:
    """Every component with the rules that lead out of it, components of right sides first."""
    ending: dict[int, list[Rule]] = {number: [] for number in component.values()}
    below: dict[int, set[int]] = {number: set() for number in ending}
    for rule in rules:
        number = component[rule.left]
        others = {component[name] for name in rule.nonterminals}
        below[number] |= others - {number}
        if number not in others:  # a cycle that adds nothing
            ending[number].append(rule)
    for number in TopologicalSorter(below).static_order():
        yield number, ending[number]


def _count(
    order: Sequence[tuple[int, list[Rule]]], component: Mapping[str, int], start: int, max_states: int
) -> int:
    sets = StringSets(max_states)
    found: dict[int, int] = {}
    for number, ending in order:
        language = sets.none
        for rule in ending:
            strings = sets.empty_string
            for symbol in reversed(rule.right):
                if isinstance(symbol, Terminal):
                    strings = sets.prefixed(symbol.word, strings)
                else:
                    strings = sets.joined(found[component[symbol]], strings)
            language = sets.union(language, strings)
        found[number] = language
    return sets.count(found[start])
