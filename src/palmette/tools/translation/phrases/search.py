"""Translation by phrases: stack decoding, left to right over the target (CSC 448, §15.3 to 15.6).

A derivation covers every source word once by phrases of the table, in any order that the distortion limit allows;
its score is w · Φ. Hypotheses that no future can tell apart are recombined: same covered words, last phrase,
language model history and orientations. Stacks hold hypotheses of as many covered words. With n words, stacks of S
hypotheses and jumps of at most D words, a search costs O(n · S · D); without limits it is exact. Koehn 2004.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette import _native
from palmette.messages import counted
from palmette.tools.lm.model import LanguageModel
from palmette.tools.translation.features import Weights, checked_weights, feature_names, start_weights
from palmette.tools.translation.known import native_known
from palmette.tools.translation.phrases.search_graph import SearchGraph
from palmette.tools.translation.phrases.search_options import SearchOptions
from palmette.tools.translation.search import Facts, Rows, TranslationSearch
from palmette.tools.translation.search_arrays import TranslationArrays
from palmette.tools.translation.tables.phrase_table import FROM, TO, PhraseTable
from palmette.tools.translation.translation import TranslatedPhrase, Translation

_MOST_CANDIDATES = 50_000_000  # of one sentence
_MOST_DERIVATIONS = 20  # that are looked at for each distinct translation
_LONGEST_FREE = 2_000  # words of a sentence in which a jump may go anywhere
_FORCED_STACK = 5_000
_GIVEN = 0xFFFFFFFD


class PhraseSearch(TranslationSearch[SearchGraph]):
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
        self._native = self._core()
        self._words: dict[int, str] = {}

    def with_weights(self, weights: Sequence[float] | Weights) -> PhraseSearch:
        """Return the same search with other weights."""
        return PhraseSearch(self.table, self.lm, weights, self.options)

    def __reduce__(self) -> tuple[Any, ...]:
        return PhraseSearch, (self.table, self.lm, self.weights, self.options)

    # Strings

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

    def _core(self, forced: bool = False) -> _native.PhraseSearch:
        options = self.options
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

    def _check_row(self, row: Sequence[str], number: int) -> None:
        if self.options.jump < 0 and len(row) > _LONGEST_FREE:
            raise ValueError(
                f"Sentence {number} has {counted(len(row), 'word')}: without a distortion limit a sentence "
                "may have "
                f"{_LONGEST_FREE}. Set distortion_limit."
            )

    def _beside(self, rows: Rows, facts: Facts) -> list[bytes] | None:
        """Where walls are, if there are any."""
        return [bytes(map(_is_punctuation, row)) for row in rows] if self.options.walls else None

    def _best(self, core: Any, rows: Rows, facts: Facts, beside: Any, jobs: int) -> Any:
        return core.translate(rows, native_known(facts), beside, jobs)

    def _several(self, rows: Rows, facts: Facts, beside: Any, k: int, distinct: bool, jobs: int) -> Any:
        known = native_known(facts)
        return self._native.kbest(rows, known, beside, k, distinct, _MOST_DERIVATIONS, jobs)

    def _graphs(self, core: Any, rows: Rows, facts: Facts, beside: Any, jobs: int) -> list[SearchGraph]:
        cores, more = core.graphs(rows, native_known(facts), beside, jobs)
        return [SearchGraph(one, self, more) for one in cores]

    def _arrays(self, native: Any) -> TranslationArrays:
        return TranslationArrays.of(native, len(self.names))

    def translations(self, native: Any, more: Sequence[str] | None = None) -> list[list[Translation]]:
        """Return what native code returned as translations."""
        arrays = self._arrays(native)
        words = arrays.more if more is None else more
        return list(arrays.translations(lambda number: self.word(number, words), self.names))


@lru_cache(maxsize=1 << 16)
def _is_punctuation(word: str) -> bool:
    return all(unicodedata.category(letter).startswith("P") for letter in word)
