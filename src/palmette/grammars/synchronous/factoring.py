"""Rules of the smallest rank: A → B C D , D C B becomes A → A@a D , D A@a and A@a → B C , C B. CSC 448, §19.1.

A rule can be cut where its nonterminals are neighbours on both sides (`permutations`), whatever words are between
them. What is cut off gets a nonterminal of its own, and rules that cut off the same share it. Every derivation has
one counterpart of the same weight. O(size of the grammar).
"""

from __future__ import annotations

from collections.abc import Container
from string import ascii_lowercase

from palmette.grammars.rule import Symbol
from palmette.grammars.synchronous.grammar import SynchronousGrammar
from palmette.grammars.synchronous.permutations import PermutationNode, permutation_tree
from palmette.grammars.synchronous.rule import SynchronousRule, TargetItem


def rule_tree(rule: SynchronousRule) -> PermutationNode | None:
    """The tree over the nonterminals of a rule, in source order; None if it has none."""
    values = [0] * rule.rank
    for place, number in enumerate(rule.permutation):
        values[number] = place
    return permutation_tree(values) if values else None


def smallest_rank(rule: SynchronousRule) -> int:
    """The rank of the largest rule that this rule can be factored into; at most 2 if it can be binarized."""
    tree = rule_tree(rule)
    return 0 if tree is None else tree.rank


def factored(grammar: SynchronousGrammar) -> SynchronousGrammar:
    """The grammar with rules of the smallest rank.

    >>> print(factored(SynchronousGrammar("S -> C1 B2 A3 , A3 B2 C1")), end="")
    S -> S@a1 A2 , A2 S@a1
    S@a -> C1 B2 , B2 C1
    """
    taken = set(grammar.nonterminals)
    names: dict[tuple[str, tuple[Symbol, ...], tuple[TargetItem, ...]], str] = {}
    rules: list[SynchronousRule] = []
    zeros = (0.0,) * len(grammar.columns)
    for rule in grammar.rules:
        tree = rule_tree(rule)
        if tree is None or len(tree.children) in (0, rule.rank):  # nothing to cut, or all in one piece
            rules.append(rule)
            continue
        pieces = _Pieces(rule)
        cut: dict[PermutationNode, str] = {}
        made = []
        for node in reversed(tree.nodes()):
            if not node.children:
                continue
            source, target = pieces.sides(node, cut, whole=node is tree)
            if node is tree:
                weight, scores = rule.weight, rule.scores
                rules.append(SynchronousRule(rule.left, source, target, weight, scores))
                continue
            key = rule.left, source, target
            if key not in names:
                names[key] = _new_name(rule.left, taken)
                taken.add(names[key])
                made.append(SynchronousRule(names[key], source, target, 1.0, zeros))
            cut[node] = names[key]
        rules += reversed(made)
    return grammar.of_good_rules(rules)


class _Pieces:
    """A rule and the places of its nonterminals on both sides."""

    def __init__(self, rule: SynchronousRule) -> None:
        self.rule = rule
        self.source = [place for place, symbol in enumerate(rule.source) if isinstance(symbol, str)]
        self.target = [0] * rule.rank
        for place, item in enumerate(rule.target):
            if isinstance(item, int):
                self.target[item] = place

    def span(self, node: PermutationNode) -> tuple[tuple[int, int], tuple[int, int]]:
        """What a node covers on each side, from its first to its last nonterminal."""
        inside = self.target[node.begin : node.end]
        return (self.source[node.begin], self.source[node.end - 1] + 1), (min(inside), max(inside) + 1)

    def sides(
        self, node: PermutationNode, cut: dict[PermutationNode, str], whole: bool
    ) -> tuple[tuple[Symbol, ...], tuple[TargetItem, ...]]:
        """Both sides of the rule of a node, in which every child is one nonterminal."""
        spans = [self.span(child) for child in node.children]
        ends = self.span(node)
        if whole:
            ends = (0, len(self.rule.source)), (0, len(self.rule.target))
        source: list[Symbol] = []
        place = ends[0][0]
        for child, ((begin, end), _) in zip(node.children, spans):
            first = self.rule.source[begin]
            assert isinstance(first, str)
            source += [*self.rule.source[place:begin], cut.get(child, first)]
            place = end
        source += self.rule.source[place : ends[0][1]]
        target: list[TargetItem] = []
        place = ends[1][0]
        for number in node.permutation:
            begin, end = spans[number][1]
            target += [*self.rule.target[place:begin], number]
            place = end
        target += self.rule.target[place : ends[1][1]]
        return tuple(source), tuple(target)


def _new_name(left: str, taken: Container[str]) -> str:
    """A name like S@a, S@b, … S@aa that no nonterminal has."""
    number = 0
    while True:
        letters, rest = "", number
        while rest >= 0:
            letters, rest = ascii_lowercase[rest % 26] + letters, rest // 26 - 1
        name = f"{left}@{letters}"
        if name not in taken:
            return name
        number += 1
