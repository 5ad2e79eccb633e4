"""All derivations of a sentence under any grammar, by the general engine: CKY over the binarized grammar.

    [A, i, k]   ← A → B C, [B, i, j], [C, j, k]          [A, i, k] ← A → B, [B, i, k]
    [A, i, i+1] ← A → w, word w at i                      [A, i, i] ← A → ε

Empty rules and unary cycles need no conversion: the engine sums over cycles. O(|rules| n³) edges; this is the
definition of what is right and the way to small grammars, and `structures.chart` is the fast one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from palmette.grammars.binarize import binarized
from palmette.grammars.derivation import LeftmostDerivation
from palmette.grammars.grammar import Floats, Grammar
from palmette.grammars.rule import Terminal
from palmette.inference.deduction import Deduction
from palmette.inference.facts import Columns, FactSource
from palmette.inference.forest import Forest
from palmette.inference.hypergraph import Derivation
from palmette.inference.limits import MAX_EDGES

CKY = Deduction(
    """
    [A, i, k]   <- binary(A, B, C) * [B, i, j] * [C, j, k]
    [A, i, k]   <- unary(A, B) * [B, i, k]
    [A, i, i+1] <- lexical(A, w) * word(w, i)
    [A, i, i]   <- empty(A) * ?position(i)
    """
)


class Parser:
    """A grammar made ready to parse sentences."""

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar
        self.conversion = binarized(grammar)
        rules = self.conversion.grammar.rules
        number = self.conversion.grammar.number_of
        kinds: dict[str, list[int]] = {"binary": [], "unary": [], "empty": []}
        self.lexical: dict[str, list[int]] = {}
        for n, rule in enumerate(rules):
            if len(rule.right) == 1 and isinstance(rule.right[0], Terminal):
                self.lexical.setdefault(rule.right[0].word, []).append(n)
            else:
                kinds[("empty", "unary", "binary")[len(rule.right)]].append(n)
        self.kinds = {kind: np.array(numbers, dtype=np.int64) for kind, numbers in kinds.items()}
        self.columns: dict[str, list[npt.NDArray[np.int32]]] = {}
        for arity, kind in ((2, "binary"), (1, "unary"), (0, "empty")):
            rows = [(number(rules[n].left), *map(number, rules[n].nonterminals)) for n in kinds[kind]]
            table = np.array(rows, dtype=np.int32).reshape(len(rows), arity + 1)
            self.columns[kind] = list(table.T)

    def parse(self, words: Sequence[str], *, max_edges: int = MAX_EDGES) -> GrammarForest:
        """The forest of a sentence, which may have no derivation at all."""
        if isinstance(words, str):
            raise ValueError(f"A sentence is a sequence of words. Got the text {words!r}: split it.")
        rules, number = self.conversion.grammar.rules, self.conversion.grammar.number_of
        weights = self.conversion.grammar.weights
        ids = {word: i for i, word in enumerate(dict.fromkeys(words))}
        lexical = np.array([n for word in ids for n in self.lexical.get(word, ())], dtype=np.int64)
        table = [(number(rules[n].left), ids[rules[n].right[0].word]) for n in lexical]
        columns = {**self.columns, "lexical": list(np.array(table, dtype=np.int32).reshape(-1, 2).T)}
        numbers = {**self.kinds, "lexical": lexical}
        facts: dict[str, FactSource] = {
            kind: Columns(*columns[kind], weights=weights[numbers[kind]]) for kind in numbers
        }
        facts["word"] = [(ids[word], i) for i, word in enumerate(words)]
        facts["position"] = range(len(words) + 1)
        try:
            forest = CKY.run(facts, f"[0, 0, {len(words)}]", max_items=max_edges, max_edges=max_edges)
        except ValueError:
            # Nothing else can be wrong with these facts: there is too much of them.
            raise ValueError(
                f"The forest of these {len(words)} words has more than {max_edges:,} edges (about 60 bytes each): "
                "raise max_edges (--max-edges), or parse with a ConstituencyParser, which prunes."
            ) from None
        rules_of_parts = np.concatenate([numbers[kind] for kind in numbers])
        return GrammarForest(self, list(words), forest, rules_of_parts)


class GrammarForest:
    """The derivations of one sentence, packed. Parts are the rules of the binarized grammar, then the words."""

    def __init__(
        self,
        parser: Parser,
        words: list[str],
        forest: Forest,
        rules_of_parts: npt.NDArray[np.int64],
    ) -> None:
        self.parser, self.words, self.forest = parser, words, forest
        self.graph, self.scores = forest.graph, forest.scores
        self.rules_of_parts = rules_of_parts  # the binarized rule of each of the first parts

    @property
    def grammar(self) -> Grammar:
        return self.parser.grammar

    @cached_property
    def log_z(self) -> float:
        """The log of the total weight of the derivations; -inf where there is none."""
        return self.graph.log_z(self.scores)

    @property
    def probability(self) -> float:
        """The total weight of the derivations: P(words), for a PCFG."""
        return math.exp(self.log_z)

    def count(self) -> int:
        """How many derivations there are; CycleError where they are infinitely many."""
        return self.graph.count()

    def best(self) -> LeftmostDerivation | None:
        """The derivation of the greatest weight, None where there is none."""
        found = self.graph.best(self.scores)
        return None if found is None else self._original(found)

    def kbest(self, k: int) -> list[LeftmostDerivation]:
        """The k derivations of the greatest weights, best first; CycleError where unary rules go in a circle."""
        return [self._original(found) for found in self.graph.kbest(self.scores, k)]

    def samples(self, n: int = 1, *, random_state: int = 0) -> list[LeftmostDerivation]:
        """n derivations of the sentence, drawn in proportion to their weights."""
        found = self.graph.samples(self.scores, n, random_state=random_state)
        return [self._original(derivation) for derivation in found]

    def expected_counts(self) -> Floats:
        """How often the derivations use each rule of the grammar on average: zero where there is none."""
        return self.counts_of(self.graph.marginals(self.scores).parts)

    def rescored(self, log_weights: Floats) -> Floats:
        """Part scores for other log-weights, one for each rule of the grammar."""
        scores = np.zeros(self.graph.n_parts)
        of_source = self._sources
        scores[: len(of_source)] = np.where(of_source >= 0, log_weights[of_source], 0.0)
        return scores

    def counts_of(self, parts: Floats) -> Floats:
        """What parts were counted, by rule of the grammar."""
        of_source = self._sources
        used = of_source >= 0
        n = len(self.grammar.rules)
        counts: Floats = np.bincount(of_source[used], parts[: len(of_source)][used], n).astype(np.float64)
        return counts

    @cached_property
    def _sources(self) -> npt.NDArray[np.int64]:
        """The rule of the grammar that each part stands for; -1 for what binarization made."""
        before = self.parser.conversion.before
        sources = np.array([numbers[0] if numbers else -1 for numbers in before], dtype=np.int64)
        return sources[self.rules_of_parts]

    def _original(self, derivation: Derivation) -> LeftmostDerivation:
        parts = derivation.parts
        used = parts[parts < len(self.rules_of_parts)]
        numbers = self.parser.conversion.original(self.rules_of_parts[used].tolist())
        return LeftmostDerivation(self.grammar, tuple(numbers))

    def svg(self) -> str:
        """Return the constituents and how they are derived as an SVG image; TooLargeError for a large forest."""
        from palmette.inference.pictures import graph_svg

        names, rules = self.parser.conversion.grammar.nonterminals, self.parser.conversion.grammar.rules
        items = [self.forest.item(node) for node in range(self.graph.n_nodes)]
        words = {items[node]: node for node in range(self.graph.n_nodes) if items[node].name == "word"}

        def name_of(node: int) -> str:
            item = items[node]
            if item in words:
                return self.words[int(item.arguments[1])]
            if len(item.arguments) != 3:
                return "goal"
            symbol, begin, end = map(int, item.arguments)
            return f"{names[symbol]} {begin}–{end}"

        def label_of(part: int) -> str:
            if part < len(self.rules_of_parts):
                return rules[int(self.rules_of_parts[part])].arrow()
            fact = self.forest.fact(part)
            return "" if fact is None or fact.name != "word" else self.words[int(fact.arguments[1])]

        return graph_svg(
            self.graph,
            name_of=name_of,
            label_of=label_of,
            hidden=lambda node: items[node].name == "weight of the rule",
            scores=self.scores if self.graph.is_acyclic else None,
            title=" ".join(self.words),
        )

    def _repr_svg_(self) -> str | None:
        from palmette.drawing.canvas import drawn_or_nothing

        return drawn_or_nothing(self.svg)

    def __repr__(self) -> str:
        return f"<GrammarForest: {len(self.words)} words, {self.graph.n_nodes} nodes, {self.graph.n_edges} edges>"
