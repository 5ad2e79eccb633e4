"""Translation by synchronous rules: CKY+ over the source with the language model in the items (CSC 448, §17, §18).

A derivation is a tree of rules; a rule rewrites linked nonterminals on both sides. Items are [A, i, j, l, r]: a
label, a span of source words, and the states of the language model at the two ends of its target text. Glue rules
S → A and S → S A join what the rules of the table cannot, from left to right, so that every sentence has a
derivation. Cube pruning takes the best candidates of each span; without limits the search is exact. Chiang 2007;
Huang and Chiang 2007.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from palmette import _native
from palmette.formats.given import listed_rows
from palmette.parameters import require_int
from palmette.threads import n_threads
from palmette.tools.alignment.text import Sentence, words_of
from palmette.tools.lm.model import LanguageModel
from palmette.tools.translation.chart.derivation import RuleArrays
from palmette.tools.translation.chart.features import rule_feature_names, rule_start_weights
from palmette.tools.translation.chart.graph import ChartGraph
from palmette.tools.translation.chart.search_options import ChartOptions
from palmette.tools.translation.features import Weights, checked_weights
from palmette.tools.translation.forced import (
    Forced,
    Unreachable,
    check_target,
    forced_answer,
    nowhere,
    targets_of,
    unreachable,
)
from palmette.tools.translation.known import Known, checked_known, native_known
from palmette.tools.translation.rules.rule_table import RuleTable
from palmette.tools.translation.search_arrays import TranslationArrays
from palmette.tools.translation.translation import Translation

_MOST_CANDIDATES = 10_000_000  # of one sentence
_FORCED_POPS = 5_000
_COPY_LABELS = 3


class ChartSearch:
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
        self._native = self._core(self.options)
        self._words: dict[int, str] = {}

    def with_weights(self, weights: Sequence[float] | Weights) -> ChartSearch:
        """Return the same search with other weights."""
        return ChartSearch(self.table, self.lm, weights, self.options)

    def __reduce__(self) -> tuple[Any, ...]:
        return ChartSearch, (self.table, self.lm, self.weights, self.options)

    # Translations

    def translate(
        self, sentences: Iterable[Sentence], known: Iterable[Known | None] | None = None, *, n_jobs: int = 1
    ) -> list[Translation]:
        """Return the best translation of every sentence. known: what is known of each translation, or None.

        ValueError, with the number of the sentence, if nothing agrees with what is known.
        """
        rows, facts = self._given(sentences, known)
        forests = self._forests(rows, facts)
        native = self._native.translate(rows, native_known(facts), n_threads(n_jobs), forests)
        return [found[0] for found in self._lists(native, facts)]

    def kbest(
        self,
        sentences: Iterable[Sentence],
        k: int,
        *,
        distinct: bool = True,
        known: Iterable[Known | None] | None = None,
        n_jobs: int = 1,
    ) -> list[list[Translation]]:
        """Return the k best translations of every sentence, fewer if there are fewer.

        distinct: no two have the same words. They are exact among all that the search has kept.
        """
        native, facts = self._kbest(sentences, k, distinct, known, n_jobs)
        return self._lists(native, facts)

    def kbest_arrays(
        self,
        sentences: Iterable[Sentence],
        k: int,
        *,
        distinct: bool = True,
        known: Iterable[Known | None] | None = None,
        n_jobs: int = 1,
    ) -> TranslationArrays:
        """Return the k best translations as flat arrays, for tuning."""
        (arrays, _), _ = self._kbest(sentences, k, distinct, known, n_jobs)
        return TranslationArrays.of(arrays, len(self.names))

    def graphs(
        self, sentences: Iterable[Sentence], known: Iterable[Known | None] | None = None, *, n_jobs: int = 1
    ) -> list[ChartGraph]:
        """Return the graph of every sentence."""
        rows, facts = self._given(sentences, known)
        forests = self._forests(rows, facts)
        cores, more = self._native.graphs(rows, native_known(facts), n_threads(n_jobs), forests)
        return [ChartGraph(core, self, more) for core in cores]

    def forced(
        self, sentences: Iterable[Sentence], targets: Iterable[Sentence], *, n_jobs: int = 1
    ) -> list[Forced | Unreachable]:
        """Return the best derivation of a given target for every sentence, and the probability of this target.

        The search takes more candidates than others do, and looks at all rules of a source side. The probability
        is that of all derivations of the target, among these and all that the search finds freely.
        """
        rows, wanted, facts = targets_of(sentences, targets)
        jobs = n_threads(n_jobs)
        wide = self._core(self.options, forced=True)
        forests = self._forests(rows, None)
        cores, more = wide.graphs(rows, native_known(facts), jobs, forests)
        reached, _ = wide.translate(rows, native_known(facts), jobs, forests)
        prefixes = TranslationArrays.of(reached, len(self.names)).prefix.tolist()
        own = [ChartGraph(core, self, more) for core in cores]
        free = self.graphs(rows, n_jobs=jobs)
        return [
            forced_answer(graph, among, target, prefix)
            for graph, among, target, prefix in zip(own, free, wanted, prefixes)
        ]

    # Strings

    def word(self, number: int, more: Sequence[str] = ()) -> str:
        """Return a target word by its number; more: those behind the words of the table."""
        found = self._words.get(number)
        if found is not None:
            return found
        own = len(self.table.target_strings)
        if number >= own:
            return more[number - own]
        self._words[number] = found = self.table.target_strings[number]
        return found

    def label(self, number: int) -> str:
        """Return the label of a left side by its number."""
        return self.table.labels[number]

    def translations(
        self, native: tuple[Any, Any], more: Sequence[str] | None = None
    ) -> list[list[Translation]]:
        """Return what native code returned as translations with their derivations."""
        arrays = TranslationArrays.of(native[0], len(self.names))
        words = arrays.more if more is None else more

        def word(number: int) -> str:
            return self.word(number, words)

        rules = RuleArrays(*native[1])
        return list(arrays.translations(word, self.names, lambda t: rules.node(t, word, self.label)))

    # Helpers of the above

    def _forests(self, rows: list[list[str]], facts: list[Known] | None) -> Any:
        """The parses of sentences, for rules over trees; None for rules over strings."""
        return None

    def _core(self, options: ChartOptions, forced: bool = False) -> _native.ChartSearch:
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

    def _given(
        self, sentences: Iterable[Sentence], known: Iterable[Known | None] | None
    ) -> tuple[list[list[str]], list[Known] | None]:
        rows = [list(words_of(sentence)) for sentence in listed_rows(sentences, "The sentences")]
        facts = checked_known(known, [len(row) for row in rows])
        for number, fact in enumerate(facts or (), 1):
            check_target(fact, number)
        return rows, facts

    def _kbest(
        self,
        sentences: Iterable[Sentence],
        k: int,
        distinct: bool,
        known: Iterable[Known | None] | None,
        n_jobs: int,
    ) -> tuple[tuple[Any, Any], list[Known] | None]:
        require_int("k", k, 1)
        rows, facts = self._given(sentences, known)
        forests = self._forests(rows, facts)
        native = self._native.kbest(rows, native_known(facts), k, distinct, n_threads(n_jobs), forests)
        return native, facts

    def _lists(self, native: tuple[Any, Any], facts: list[Known] | None) -> list[list[Translation]]:
        lists = self.translations(native)
        arrays = TranslationArrays.of(native[0], len(self.names))
        for number, found in enumerate(lists, 1):
            if not found:
                fact = facts[number - 1] if facts else Known()
                exact = bool(arrays.exact[number - 1])
                if fact.target is not None:
                    raise ValueError(unreachable(fact, int(arrays.prefix[number - 1]), exact, number))
                raise ValueError(nowhere(fact, exact, number))
        return lists


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
