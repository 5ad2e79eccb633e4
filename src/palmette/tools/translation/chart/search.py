"""Translation by synchronous rules: CKY+ over the source with the language model in the items (CSC 448, §17, §18).

A derivation is a tree of rules; a rule rewrites linked nonterminals on both sides. Items are [A, i, j, l, r]: a
label, a span of source words, and the states of the language model at the two ends of its target text. Glue rules
S → A and S → S A join what the rules of the table cannot, from left to right, so that every sentence has a
derivation. Cube pruning takes the best candidates of each span; without limits the search is exact. Chiang 2007;
Huang and Chiang 2007.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from palmette import _native
from palmette.tools.lm.model import LanguageModel
from palmette.tools.translation.chart.derivation import RuleArrays
from palmette.tools.translation.chart.features import rule_feature_names, rule_start_weights
from palmette.tools.translation.chart.graph import ChartGraph
from palmette.tools.translation.chart.search_options import ChartOptions
from palmette.tools.translation.features import Weights, checked_weights
from palmette.tools.translation.known import native_known
from palmette.tools.translation.rules.rule_table import RuleTable
from palmette.tools.translation.search import Facts, Rows, TranslationSearch
from palmette.tools.translation.search_arrays import TranslationArrays
from palmette.tools.translation.translation import Translation

_MOST_CANDIDATES = 10_000_000  # of one sentence
_FORCED_POPS = 5_000
_COPY_LABELS = 3


class ChartSearch(TranslationSearch[ChartGraph]):
    """A decoder: a rule table, a language model, weights and options.

    lm: may be None, if the table says it all. weights: one for each of `names`.

    >>> rules = [("X", "ne [X,1] pas", "not [X,1]", [-0.1] * 4), ("X", "va", "go", [-0.1] * 4)]
    >>> ChartSearch(RuleTable.from_rules(rules), None).translate(["ne va pas"])[0].text
    'not go'
    """

    kind = "strings"  # of its tables

    def __init__(
        self,
        table: RuleTable,
        lm: LanguageModel | None,
        weights: Sequence[float] | Weights | None = None,
        options: ChartOptions | None = None,
    ) -> None:
        if table.kind != self.kind:
            raise ValueError(
                f"This search needs a table of kind {self.kind!r}, not one of kind {table.kind!r}."
            )
        if not len(table):
            raise ValueError("The rule table has no rules.")
        self.table = table
        self.lm = lm
        self.names = rule_feature_names(table)
        self.weights = checked_weights(rule_start_weights(table) if weights is None else weights, self.names)
        self.options = ChartOptions() if options is None else options
        self.copy_labels = copy_labels(table) if self.kind == "strings" else [0]
        self._native = self._core()
        self._words: dict[int, str] = {}

    def with_weights(self, weights: Sequence[float] | Weights) -> ChartSearch:
        """Return the same search with other weights."""
        return ChartSearch(self.table, self.lm, weights, self.options)

    def __reduce__(self) -> tuple[Any, ...]:
        return ChartSearch, (self.table, self.lm, self.weights, self.options)

    # Strings

    def label(self, number: int) -> str:
        """Return the label of a left side by its number."""
        return str(self.table.labels[number])

    def translations(self, native: Any, more: Sequence[str] | None = None) -> list[list[Translation]]:
        """Return what native code returned as translations with their derivations."""
        arrays = self._arrays(native)
        words = arrays.more if more is None else more

        def word(number: int) -> str:
            return self.word(number, words)

        rules = RuleArrays(*native[1])
        return list(arrays.translations(word, self.names, lambda t: rules.node(t, word, self.label)))

    # Helpers of the above

    def _core(self, forced: bool = False) -> _native.ChartSearch:
        options = self.options
        pops = options.pop_limit or 0
        return _native.ChartSearch(
            self.table.native,
            None if self.lm is None else self.lm._native,
            self.weights,
            self.copy_labels,
            options.unknown,
            max(_FORCED_POPS, pops) if forced and pops else pops,
            options.growing and not forced,
            options.span,
            0 if forced else options.table_limit or 0,
            options.chain,
            _MOST_CANDIDATES,
        )

    def _beside(self, rows: Rows, facts: Facts) -> Any:
        """The parses of sentences, for rules over trees; None for rules over strings."""
        return None

    def _best(self, core: Any, rows: Rows, facts: Facts, beside: Any, jobs: int) -> Any:
        return core.translate(rows, native_known(facts), jobs, beside)

    def _several(self, rows: Rows, facts: Facts, beside: Any, k: int, distinct: bool, jobs: int) -> Any:
        return self._native.kbest(rows, native_known(facts), k, distinct, jobs, beside)

    def _graphs(self, core: Any, rows: Rows, facts: Facts, beside: Any, jobs: int) -> list[ChartGraph]:
        cores, more = core.graphs(rows, native_known(facts), jobs, beside)
        return [ChartGraph(one, self, more) for one in cores]

    def _arrays(self, native: Any) -> TranslationArrays:
        return TranslationArrays.of(native[0], len(self.names))


def copy_labels(table: RuleTable) -> list[int]:
    """Return the labels under which words are copied: X, or else the commonest of words with one or two rules."""
    labels = list(table.labels)
    if "X" in labels:
        return [labels.index("X")]
    first, last = int(table.child_begin[0]), int(table.child_begin[1])
    words = first + int(np.searchsorted(table.child_symbol[first:last], len(table.source_strings)))
    begins = table.rule_begin[first : words + 1].astype(np.int64)
    sizes = np.diff(begins)
    rare = np.flatnonzero((sizes > 0) & (sizes <= 2))
    lefts = [table.rule_left[begins[k] : begins[k + 1]] for k in rare.tolist()]
    chosen = np.concatenate(lefts) if lefts else table.rule_left[begins[0] : begins[-1]]
    counts = np.bincount(chosen if len(chosen) else table.rule_left, minlength=len(labels))
    order = np.argsort(-counts, kind="stable")[:_COPY_LABELS]
    return [int(label) for label in order if counts[label]]
