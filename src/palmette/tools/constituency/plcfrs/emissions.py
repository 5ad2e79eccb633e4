"""What the words of a sentence weigh in an LCFRS with states: the arrays that the native parser takes.

A word's weight below a tag's state t is P(t | w) / P(t), divided by the largest of its tags, so that one is
the most. Looked up once per word and place (first or not), then O(tags) a word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette.grammars.lcfrs_extraction import label_of
from palmette.grammars.lcfrs_table import LcfrsTable
from palmette.tools.constituency.plcfrs.suffix_lexicon import SuffixLexicon
from palmette.transforms.binarization import ANCESTOR

Ints = NDArray[np.int32]
_TINY = 1e-9  # in place of nothing, where something is divided by it
_IMPROBABLE = 1e-4  # against the most probable tag of a word
_CACHED = 200_000  # words


@dataclass(frozen=True, eq=False)
class WordStates:
    """The tags that a word may have, their weights, and for each grammar the weights of their states."""

    symbols: Ints
    weights: NDArray[np.float64]
    values: tuple[NDArray[np.float32], ...]


@dataclass(frozen=True, eq=False)
class Emissions:
    """The lexicons of grammars over one table; states[g]: how many states each symbol has in grammar g."""

    table: LcfrsTable
    states: tuple[Ints, ...]
    lexicons: tuple[SuffixLexicon, ...]
    _cache: dict[tuple[str, bool, str], WordStates] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        symbols = np.flatnonzero(self.table.tags)
        for states, lexicon in zip(self.states, self.lexicons, strict=True):
            if len(lexicon.totals) != states[symbols].sum():
                raise ValueError("the lexicon does not fit the states of the grammar's tags.")

    def word(self, word: str, first: bool, tag: str = "") -> WordStates:
        """The states of a word. tag: the label that its tag must have, if any tag has it."""
        key = (word, first, tag)
        found = self._cache.get(key)
        if found is None:
            if len(self._cache) >= _CACHED:
                self._cache.clear()
            found = self._cache[key] = self._computed(word, first, tag)
        return found

    def _computed(self, word: str, first: bool, tag: str) -> WordStates:
        symbols = np.flatnonzero(self.table.tags)
        starts = [columns_of(self.table, states) for states in self.states]
        given = [lexicon.tag_given_word(word, first) for lexicon in self.lexicons]
        probability = np.add.reduceat(given[0], starts[0])
        total = np.maximum(np.add.reduceat(self.lexicons[0].totals, starts[0]), _TINY)
        kept = np.flatnonzero(probability >= _IMPROBABLE * probability.max())
        if tag:
            named = [i for i, symbol in enumerate(symbols) if tag_label(self.table.names[symbol]) == tag]
            kept = np.array(named, int) if named else kept
        largest = max(float((probability[kept] / total[kept]).max()), _TINY)
        values = []
        for lexicon, start, states, one in zip(self.lexicons, starts, self.states, given, strict=True):
            weight = one / (np.maximum(lexicon.totals, _TINY) * largest)
            ends = start + states[symbols]
            values.append(np.concatenate([weight[start[i] : ends[i]] for i in kept]).astype(np.float32))
        return WordStates(
            symbols[kept].astype(np.int32), probability[kept] / (total[kept] * largest), tuple(values)
        )

    def sentences(
        self, sentences: Sequence[Sequence[str]], tags: Sequence[Sequence[str]] | None = None
    ) -> dict[str, Any]:
        """The arrays that `LcfrsParser.parse` takes, by name."""
        words = [
            [self.word(word, i == 0, tags[k][i] if tags else "") for i, word in enumerate(sentence)]
            for k, sentence in enumerate(sentences)
        ]
        flat = [word for sentence in words for word in sentence]
        places = [i for sentence in words for i in range(len(sentence))]
        counts = [sum(len(word.symbols) for word in sentence) for sentence in words]
        return {
            "n_words": np.array([len(sentence) for sentence in words], np.int32),
            "first": np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            "position": np.repeat(np.array(places, np.int32), [len(word.symbols) for word in flat]),
            "symbol": np.concatenate([word.symbols for word in flat]),
            "weight": np.concatenate([word.weights for word in flat]),
            "values": [np.concatenate([word.values[g] for word in flat]) for g in range(len(self.lexicons))],
        }


def columns_of(table: LcfrsTable, states: Ints) -> NDArray[np.int64]:
    """The first column of each tag in the lexicon of a grammar."""
    sizes = states[np.flatnonzero(table.tags)].astype(np.int64)
    return np.asarray(np.cumsum(sizes) - sizes)


def tag_label(name: str) -> str:
    """The bare label of a tag's symbol."""
    label = label_of(name)
    end = label.find(ANCESTOR, 1)
    return label if end < 0 else label[:end]
