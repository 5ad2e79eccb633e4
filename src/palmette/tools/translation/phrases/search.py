"""Translation by phrases: stack decoding, left to right over the target (CSC 448, §15.3 to 15.6).

A derivation covers every source word once by phrases of the table, in any order that the distortion limit allows;
its score is w · Φ. Hypotheses that no future can tell apart are recombined: same covered words, last phrase,
language model history and orientations. Stacks hold hypotheses of as many covered words. With n words, stacks of S
hypotheses and jumps of at most D words, a search costs O(n · S · D); without limits it is exact. Koehn 2004.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette import _native
from palmette.formats.given import listed_rows
from palmette.parameters import require_int
from palmette.threads import n_threads
from palmette.tools.alignment.text import Sentence, words_of
from palmette.tools.lm.model import LanguageModel
from palmette.tools.translation.features import Weights, checked_weights, feature_names, start_weights
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
from palmette.tools.translation.phrases.search_graph import SearchGraph
from palmette.tools.translation.phrases.search_options import SearchOptions
from palmette.tools.translation.search_arrays import TranslationArrays
from palmette.tools.translation.tables.phrase_table import FROM, TO, PhraseTable
from palmette.tools.translation.translation import TranslatedPhrase, Translation

_MOST_CANDIDATES = 50_000_000  # of one sentence
_MOST_DERIVATIONS = 20  # that are looked at for each distinct translation
_LONGEST_FREE = 2_000  # words of a sentence in which a jump may go anywhere
_FORCED_STACK = 5_000
_GIVEN = 0xFFFFFFFD


class PhraseSearch:
    """A decoder: a phrase table, a language model, weights and options.

    lm: may be None, if the table says it all. weights: one for each of `names`; by default those of Moses.

    >>> table = PhraseTable.from_pairs([("ja", "yes", [-0.1] * 4), ("ja", "well", [-2.0] * 4)])
    >>> PhraseSearch(table, None).translate(["ja ja"])[0].text
    'yes yes'
    """

    def __init__(
        self,
        table: PhraseTable,
        lm: LanguageModel | None,
        weights: Sequence[float] | Weights | None = None,
        options: SearchOptions | None = None,
    ) -> None:
        self.table = table
        self.lm = lm
        self.names = feature_names(table)
        self.weights = checked_weights(start_weights(table) if weights is None else weights, self.names)
        self.options = SearchOptions() if options is None else options
        self._native = self._core(self.options)
        self._words: dict[int, str] = {}

    def with_weights(self, weights: Sequence[float] | Weights) -> PhraseSearch:
        """Return the same search with other weights."""
        return PhraseSearch(self.table, self.lm, weights, self.options)

    def __reduce__(self) -> tuple[Any, ...]:
        return PhraseSearch, (self.table, self.lm, self.weights, self.options)

    # Translations

    def translate(
        self, sentences: Iterable[Sentence], known: Iterable[Known | None] | None = None, *, n_jobs: int = 1
    ) -> list[Translation]:
        """Return the best translation of every sentence. known: what is known of each translation, or None.

        ValueError, with the number of the sentence, if nothing agrees with what is known.
        """
        rows, facts = self._given(sentences, known)
        native = self._native.translate(rows, native_known(facts), self._walls(rows), n_threads(n_jobs))
        return [found[0] for found in self._translations(native, facts)]

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

        distinct: no two have the same words; for this up to 20 · k derivations are looked at.
        """
        arrays, facts = self._kbest(sentences, k, distinct, known, n_jobs)
        return self._lists(arrays, facts)

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
        return self._kbest(sentences, k, distinct, known, n_jobs)[0]

    def graphs(
        self, sentences: Iterable[Sentence], known: Iterable[Known | None] | None = None, *, n_jobs: int = 1
    ) -> list[SearchGraph]:
        """Return the search graph of every sentence."""
        rows, facts = self._given(sentences, known)
        cores, more = self._native.graphs(rows, native_known(facts), self._walls(rows), n_threads(n_jobs))
        return [SearchGraph(core, self, more) for core in cores]

    def forced(
        self, sentences: Iterable[Sentence], targets: Iterable[Sentence], *, n_jobs: int = 1
    ) -> list[Forced | Unreachable]:
        """Return the best derivation of a given target for every sentence, and the probability of this target.

        The search keeps more hypotheses than others do, and looks at all translations of the table. The
        probability is that of all derivations of the target, among these and all that the search finds freely.
        """
        rows, wanted, facts = targets_of(sentences, targets)
        jobs = n_threads(n_jobs)
        wide = self._core(self.options, forced=True)
        cores, more = wide.graphs(rows, native_known(facts), self._walls(rows), jobs)
        reached = wide.translate(rows, native_known(facts), self._walls(rows), jobs)
        prefixes = TranslationArrays.of(reached, len(self.names)).prefix.tolist()
        free = self.graphs(rows, n_jobs=jobs)
        own = [SearchGraph(core, self, more) for core in cores]
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

    def translation_of(self, graph: SearchGraph, edges: NDArray[np.int32]) -> Translation:
        """Return the translation that some edges of a graph spell, from the first phrase to the end."""
        phrases, words = [], []
        pairs = graph.core.pair[edges].tolist()
        for edge, pair, (begin, end) in zip(edges.tolist(), pairs, graph.spans[edges].tolist()):
            if begin == end:
                continue
            target = graph.words[edge]
            words.extend(target)
            if pair < _GIVEN:
                links = tuple((int(i), int(j)) for i, j in self.table.native.links(pair, end - begin))
                phrases.append(TranslatedPhrase(begin, end, target, links, pair))
            else:
                links = tuple((i, j) for i in range(end - begin) for j in range(len(target)))
                kind = "given" if pair == _GIVEN else "unknown"
                phrases.append(TranslatedPhrase(begin, end, target, links, -1, kind))
        features = graph.features[edges].sum(axis=0)
        score = float(features @ self.weights)
        return Translation(tuple(words), score, features, tuple(phrases), self.names)

    # Helpers of the above

    def _core(self, options: SearchOptions, forced: bool = False) -> _native.PhraseSearch:
        columns = self.table.reordering_columns
        return _native.PhraseSearch(
            self.table.native,
            None if self.lm is None else self.lm._native,
            self.weights,
            columns.index(FROM[0]) if FROM[0] in columns else -1,
            columns.index(TO[0]) if TO[0] in columns else -1,
            options.unknown,
            max(_FORCED_STACK, options.stack or 0) if forced else options.stack or 0,
            math.inf if options.threshold is None or forced else options.threshold,
            0 if forced else options.pop_limit or 0,
            options.jump,
            0 if forced else options.table_limit or 0,
            options.max_phrase or 0,
            options.orientation == "hierarchical",
            _MOST_CANDIDATES,
        )

    def _given(
        self, sentences: Iterable[Sentence], known: Iterable[Known | None] | None
    ) -> tuple[list[list[str]], list[Known] | None]:
        rows = [list(words_of(sentence)) for sentence in listed_rows(sentences, "The sentences")]
        facts = checked_known(known, [len(row) for row in rows])
        for number, row in enumerate(rows, 1):
            if self.options.jump < 0 and len(row) > _LONGEST_FREE:
                raise ValueError(
                    f"Sentence {number} has {len(row)} words: without a distortion limit a sentence may have "
                    f"{_LONGEST_FREE}. Set distortion_limit."
                )
        for number, fact in enumerate(facts or (), 1):
            check_target(fact, number)
        return rows, facts

    def _walls(self, rows: list[list[str]]) -> list[bytes] | None:
        return [bytes(map(_is_punctuation, row)) for row in rows] if self.options.walls else None

    def _kbest(
        self,
        sentences: Iterable[Sentence],
        k: int,
        distinct: bool,
        known: Iterable[Known | None] | None,
        n_jobs: int,
    ) -> tuple[TranslationArrays, list[Known] | None]:
        require_int("k", k, 1)
        rows, facts = self._given(sentences, known)
        native = self._native.kbest(
            rows,
            native_known(facts),
            self._walls(rows),
            k,
            distinct,
            _MOST_DERIVATIONS,
            n_threads(n_jobs),
        )
        return TranslationArrays.of(native, len(self.names)), facts

    def _translations(self, native: tuple[Any, ...], facts: list[Known] | None) -> list[list[Translation]]:
        return self._lists(TranslationArrays.of(native, len(self.names)), facts)

    def _lists(self, arrays: TranslationArrays, facts: list[Known] | None) -> list[list[Translation]]:
        lists = list(arrays.translations(lambda number: self.word(number, arrays.more), self.names))
        for number, found in enumerate(lists, 1):
            if not found:
                fact = facts[number - 1] if facts else Known()
                exact = bool(arrays.exact[number - 1])
                if fact.target is not None:
                    raise ValueError(unreachable(fact, int(arrays.prefix[number - 1]), exact, number))
                raise ValueError(nowhere(fact, exact, number))
        return lists


@lru_cache(maxsize=1 << 16)
def _is_punctuation(word: str) -> bool:
    return all(unicodedata.category(letter).startswith("P") for letter in word)
