"""All derivations of a pair of sentences, or of one of the two, by the general engine. CSC 448, §12 and §16.1.

A synchronous grammar is a linear context-free rewriting system whose nonterminals have a span in each language.
A rule with v different positions on both sides has O(nᵛ) instances: n⁶ for two swapped nonterminals. With one
sentence alone, the rules have only the spans of its side, and what they derive on the other side are
translations. This is the definition of what is right, for small grammars and short sentences.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property

import numpy as np

from palmette.grammars.grammar import Floats
from palmette.grammars.rule import Terminal
from palmette.grammars.synchronous.derivation import SynchronousDerivation
from palmette.grammars.synchronous.grammar import SynchronousGrammar
from palmette.grammars.synchronous.rule import SynchronousRule
from palmette.inference.forest import Forest
from palmette.inference.hypergraph import CycleError, Derivation
from palmette.inference.lcfrs import LCFRS, LCFRSRule, Span
from palmette.inference.limits import MAX_EDGES


class PairParser:
    """A grammar made ready to parse pairs, source sentences or target sentences."""

    def __init__(self, grammar: SynchronousGrammar, source: bool = True, target: bool = True) -> None:
        if not source and not target:
            raise ValueError("There must be a source sentence, a target sentence, or both.")
        self.grammar, self.source, self.target = grammar, source, target
        try:
            trimmed = grammar.trimmed()
        except ValueError:  # nothing is derived at all
            self.system = None
            return
        kept = {rule[:3] for rule in trimmed.rules}
        self.numbers = [n for n, rule in enumerate(grammar.rules) if rule[:3] in kept]
        rules = [self._rule(n, grammar.rules[n]) for n in self.numbers]
        self.system = LCFRS(rules, start=grammar.start)
        parts = np.array(self.system.rules_of_parts, dtype=np.int64)
        self.rules_of_parts = np.array(self.numbers, dtype=np.int64)[parts]

    def parse(
        self, source: Sequence[str] | None, target: Sequence[str] | None = None, *, max_edges: int = MAX_EDGES
    ) -> SynchronousForest:
        """The forest of a pair, or of one sentence; it may be empty."""
        sentences = [words for words in (source, target) if words is not None]
        for words in sentences:
            if isinstance(words, str):
                raise ValueError(f"A sentence is a sequence of words. Got the text {words!r}: split it.")
        if (source is not None, target is not None) != (self.source, self.target):
            raise ValueError("This parser is for other sides: give the sentences that it was made for.")
        forest = None
        if self.system is not None:
            forest = self.system.parse(*map(list, sentences), max_edges=max_edges)
        return SynchronousForest(self, forest)

    def _rule(self, number: int, rule: SynchronousRule) -> LCFRSRule:
        names = rule.nonterminals
        numbered = iter(range(len(names)))
        sides = []
        if self.source:
            sides.append(
                tuple(s.word if isinstance(s, Terminal) else Span(next(numbered), 0) for s in rule.source)
            )
        if self.target:
            place = len(sides)
            sides.append(tuple(s.word if isinstance(s, Terminal) else Span(s, place) for s in rule.target))
        return LCFRSRule(number + 1, rule.weight, rule.left, tuple(sides), names)


class SynchronousForest:
    """The derivations of a pair, packed; or those of one sentence with all its translations."""

    def __init__(self, parser: PairParser, forest: Forest | None) -> None:
        self.parser, self.forest = parser, forest

    @property
    def grammar(self) -> SynchronousGrammar:
        return self.parser.grammar

    @property
    def is_derived(self) -> bool:
        """Whether there is a derivation at all."""
        return self.forest is not None and self.forest.best() is not None

    @cached_property
    def log_z(self) -> float:
        """The log of the total weight of the derivations; -inf where there is none."""
        return -math.inf if self.forest is None else self.forest.log_z()

    @property
    def probability(self) -> float:
        """The total weight of the derivations."""
        return math.exp(self.log_z)

    def count(self) -> int:
        """How many derivations there are; ValueError where there are infinitely many."""
        with self._named_cycles():
            return 0 if self.forest is None else self.forest.graph.count()

    def best(self) -> SynchronousDerivation | None:
        """The derivation of the greatest weight, None where there is none."""
        found = None if self.forest is None else self.forest.graph.best(self.forest.scores)
        return None if found is None else self._derivation(found)

    def kbest(self, k: int) -> list[SynchronousDerivation]:
        """The k derivations of the greatest weights, best first; ValueError where unary rules go in a circle."""
        if self.forest is None:
            return []
        with self._named_cycles():
            return [self._derivation(found) for found in self.forest.graph.kbest(self.forest.scores, k)]

    def samples(self, n: int = 1, *, random_state: int = 0) -> list[SynchronousDerivation]:
        """n derivations, drawn in proportion to their weights."""
        if self.forest is None:
            return []
        found = self.forest.graph.samples(self.forest.scores, n, random_state=random_state)
        return [self._derivation(derivation) for derivation in found]

    def expected_counts(self) -> Floats:
        """How often the derivations use each rule of the grammar on average: zero where there is none."""
        counts = np.zeros(len(self.grammar.rules))
        if self.forest is not None:
            parts = self.forest.marginals().parts[: len(self.parser.rules_of_parts)]
            np.add.at(counts, self.parser.rules_of_parts, parts)
        return counts

    @contextmanager
    def _named_cycles(self) -> Iterator[None]:
        """A cycle, said with the rules that make it."""
        try:
            yield
        except CycleError:
            rules = "; ".join(rule.arrow() for rule in self.grammar.unary_cycle()) or "empty and unary rules"
            raise ValueError(
                f"There are infinitely many derivations: {rules} lead from a nonterminal back to itself. Sums and "
                "the best derivation exist, lists and counts do not."
            ) from None

    def _derivation(self, derivation: Derivation) -> SynchronousDerivation:
        """The rules of a derivation, in preorder of the source tree."""
        parts = derivation.parts
        of_rules = self.parser.rules_of_parts
        numbers = tuple(of_rules[parts[parts < len(of_rules)]].tolist())
        return SynchronousDerivation(self.grammar, numbers)

    def _repr_svg_(self) -> str | None:
        """The best derivation: both trees."""
        best = self.best()
        return None if best is None else best._repr_svg_()

    def __repr__(self) -> str:
        if self.forest is None:
            return "<SynchronousForest: empty>"
        return f"<SynchronousForest: {self.forest.graph.n_nodes} nodes, {self.forest.graph.n_edges} edges>"
