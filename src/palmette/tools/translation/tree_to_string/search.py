"""Translation of source trees by rules whose source sides are fragments of trees (CSC 448, §20, algorithm 17).

At every node, bottom up, all fragments of the table that match there are found, and cube pruning joins their
target sides with the best translations of the nodes below, the language model in the items as in any chart. The
cost is linear in the nodes. With several trees of a sentence, packed into a forest, a fragment may follow any of
them. Where no rule matches, glue joins the translations of the children in their order. Liu, Liu and Lin 2006; Mi,
Huang and Liu 2008.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from palmette.tools.lm.model import LanguageModel
from palmette.tools.translation.chart.search import ChartSearch
from palmette.tools.translation.chart.search_options import ChartOptions
from palmette.tools.translation.features import Weights
from palmette.tools.translation.known import Known
from palmette.tools.translation.rules.rule_table import RuleTable
from palmette.tools.translation.search import Facts, Rows
from palmette.tools.translation.tree_to_string.forests import ForestArrays, ForestReader, flat_tree
from palmette.tools.translation.tree_to_string.spans import with_span
from palmette.trees.tree import Tree

# The trees of every sentence, best first: several make a forest, and none stands for a parse that failed.
Parses = Callable[[Sequence[Sequence[str]]], Sequence[Sequence[Tree]]]


class TreeSearch(ChartSearch):
    """A decoder of trees: a rule table over trees, what parses sentences, a language model, weights and options.

    >>> negation = "S", None, "not [VB,1]", [-0.1] * 4, (), "(S (RB ne) [VB,1])"
    >>> table = RuleTable.from_rules([negation, ("VB", None, "go", [0.0] * 4, (), "(VB va)")], kind="trees")
    >>> search = TreeSearch(table, None, lambda rows: [[Tree.parse("(S (RB ne) (VB va))")] for _ in rows])
    >>> search.translate(["ne va"])[0].text
    'not go'
    """

    kind = "trees"

    def __init__(
        self,
        table: RuleTable,
        lm: LanguageModel | None,
        parses: Parses,
        weights: Sequence[float] | Weights | None = None,
        options: ChartOptions | None = None,
    ) -> None:
        self.parses = parses
        self._reader = ForestReader(table)
        super().__init__(table, lm, weights, options)

    def with_weights(self, weights: Sequence[float] | Weights) -> TreeSearch:
        """Return the same search with other weights."""
        return TreeSearch(self.table, self.lm, self.parses, weights, self.options)

    def __reduce__(self) -> tuple[Any, ...]:
        return TreeSearch, (self.table, self.lm, self.parses, self.weights, self.options)

    def label(self, number: int) -> str:
        """Return a label of the table, or of a node of a tree that the table does not have."""
        return self._reader.label(number)

    def _beside(self, rows: Rows, facts: Facts) -> ForestArrays:
        """The forests of sentences; where a translation is given for some words, they get a node of their own."""
        parses = [
            list(trees or [flat_tree(words)]) if words else []
            for words, trees in zip(rows, self.parses(rows), strict=True)
        ]
        for place, fact in enumerate(facts or ()):
            if fact.fixed:
                parses[place] = [_fitted(tree, fact) for tree in parses[place]]
        return self._reader.arrays(rows, parses)


def _fitted(tree: Tree, fact: Known) -> Tree:
    for one in fact.fixed:
        tree = with_span(tree, one.begin, one.end)
    return tree
