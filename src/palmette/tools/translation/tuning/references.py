"""The references of sentences as numbers of words, and what translations share with them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from palmette._native import count_characters, count_edits, count_ngrams
from palmette.evaluation.translations import reference_sets
from palmette.threads import n_threads
from palmette.tools.translation.tuning.metric import Counts, TuningMetric

Ids = NDArray[np.uint32]
Offsets = NDArray[np.int64]


class References:
    """One or more references for each sentence, for a metric.

    references: a string for each sentence, or several lists of such. vocabulary: words whose numbers translations
    use, if those come as numbers; other words of the references get numbers behind them.

    >>> References(["the cat sat down"]).count([["the cat sat"]]).tolist()
    [[3.0, 4.0, 3.0, 2.0, 1.0, 0.0, 3.0, 2.0, 1.0, 0.0]]
    """

    def __init__(
        self,
        references: Iterable[str] | Iterable[Iterable[str]],
        metric: TuningMetric | None = None,
        vocabulary: Iterable[str] = (),
    ) -> None:
        self.metric = metric or TuningMetric()
        rows: list[Any] = list(references)
        first = rows[0] if rows and not isinstance(rows[0], str) else rows
        sets = reference_sets(rows, len(list(first)))
        self.texts: list[tuple[str, ...]] = list(zip(*sets))
        if not self.texts:
            raise ValueError("There are no references.")
        self._words = self.metric.words
        self._ids: dict[str, int] = {}
        for number, word in enumerate(vocabulary):
            self._ids.setdefault(word.lower() if self.metric.lowercase else word, number)
        self._next = max(self._ids.values(), default=-1) + 1
        self._arrays = self.encoded(self.texts)

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def arrays(self) -> tuple[Offsets, Offsets, Ids]:
        """Where the references of each sentence begin, where the words of each reference do, and all words."""
        return self._arrays

    def encoded(self, texts: Iterable[Sequence[str]]) -> tuple[Offsets, Offsets, Ids]:
        """Return texts of every sentence as numbers of words, in the form of `arrays`."""
        sizes, lengths = [0], [0]
        ids: list[int] = []
        number = ord if self.metric.name == "chrf" else self._number
        for own in texts:
            sizes.append(len(own))
            for text in own:
                words = self._words(text)
                lengths.append(len(words))
                ids += map(number, words)
        return (
            np.cumsum(sizes).astype(np.int64),
            np.cumsum(lengths).astype(np.int64),
            np.array(ids, dtype=np.uint32),
        )

    def numbers(self, words: Iterable[str]) -> Ids:
        """Return the numbers of words; new words get new numbers."""
        return np.array([self._number(word) for word in words], dtype=np.uint32)

    def count(self, texts: Sequence[Sequence[str]], n_jobs: int = 1) -> Counts:
        """Return the counts of the metric for the texts of every sentence, one row each."""
        self._check_number(len(texts))
        return self._count(self.encoded(texts), n_jobs)

    def count_words(self, lists: ArrayLike, words: ArrayLike, ids: ArrayLike, n_jobs: int = 1) -> Counts:
        """Return the counts of BLEU for texts given by numbers of words.

        lists: where the texts of each sentence begin; words: where the words of each text begin.
        """
        if self.metric.name != "bleu":
            raise ValueError(f"Translations as numbers of words are for BLEU. Got {self.metric.name!r}.")
        arrays = (
            np.ascontiguousarray(lists, dtype=np.int64),
            np.ascontiguousarray(words, dtype=np.int64),
            np.ascontiguousarray(ids, dtype=np.uint32),
        )
        self._check_number(len(arrays[0]) - 1)
        return self._count(arrays, n_jobs)

    def chosen(self, sentences: Sequence[int]) -> References:
        """Return the references of some sentences, counted from 0."""
        return References(list(zip(*(self.texts[i] for i in sentences))), self.metric)

    def _count(self, arrays: tuple[Offsets, Offsets, Ids], n_jobs: int) -> Counts:
        count = {"bleu": count_ngrams, "chrf": count_characters, "ter": count_edits}[self.metric.name]
        found = count(*arrays, *self.arrays, n_threads(n_jobs))
        return found.reshape(-1, self.metric.n_counts)

    def _number(self, word: str) -> int:
        number = self._ids.get(word)
        if number is None:
            number = self._ids[word] = self._next
            self._next += 1
        return number

    def _check_number(self, n: int) -> None:
        if n != len(self):
            raise ValueError(f"There are translations of {n:,} sentences, but references of {len(self):,}.")
