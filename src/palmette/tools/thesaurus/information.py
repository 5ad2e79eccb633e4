"""How much a word and a context tell about each other, from counts of triples.

    I(w, r, w′) = log  c(w, r, w′) c(*, r, *) / (c(w, r, *) c(*, r, w′))

Only positive entries are kept. With smoothing α < 1 the share of a context among those of its relation is
c(*, r, w′)^α / Σ c(*, r, v)^α, so that rare contexts weigh less (Levy, Goldberg and Dagan 2015). CSC 448, §24.3,
eqs. 129 and 133; Lin 1998.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from palmette._native import SimilarityIndex
from palmette.tools.thesaurus.counting import Counts, Keys, unpack


@dataclass(frozen=True, eq=False)
class InformationTable:
    """Rows of words by contexts: row r has the contexts `columns[starts[r] : starts[r + 1]]`.

    words: by falling frequency; the first of them have rows. counts: their frequencies. A context is a relation, a
    number in `relations`, and a word, a number in `words`.
    """

    words: Sequence[str]
    counts: NDArray[np.int64]
    relations: Sequence[str]
    context_relations: NDArray[np.int32]
    context_words: NDArray[np.int32]
    starts: NDArray[np.int64]
    columns: NDArray[np.int32]
    values: NDArray[np.float32]

    @property
    def n_rows(self) -> int:
        """The number of words with rows."""
        return len(self.starts) - 1

    @cached_property
    def index(self) -> SimilarityIndex:
        """The inverted index."""
        return SimilarityIndex(self.starts, self.columns, self.values, len(self.context_words))

    def context(self, column: int) -> str:
        """A context in words."""
        return f"{self.relations[self.context_relations[column]]} {self.words[self.context_words[column]]}"

    def row(self, row: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """The contexts of a row and their information."""
        a, b = self.starts[row], self.starts[row + 1]
        return self.columns[a:b], self.values[a:b]


def positive_information(
    count: Counts, word: Counts, relation: Counts, other: Counts, smoothing: float = 1.0
) -> NDArray[np.float64]:
    """Return max(I, 0) of distinct triples, given their counts."""
    if not len(count):
        return np.zeros(0)
    n = int(max(word.max(), other.max())) + 1
    of_relation = np.bincount(relation, weights=count)
    left, left_at = np.unique(relation * n + word, return_inverse=True)
    right, right_at = np.unique(relation * n + other, return_inverse=True)
    of_left = np.bincount(left_at, weights=count, minlength=len(left))
    of_right = np.bincount(right_at, weights=count, minlength=len(right))
    if smoothing < 1:
        powers = of_right**smoothing
        totals = np.bincount(right // n, weights=powers)
        share = (powers / totals[right // n])[right_at]
        ratio = count / of_left[left_at] / share
    else:
        ratio = (count * of_relation[relation]) / (of_left[left_at] * of_right[right_at])
    return np.asarray(np.maximum(np.log(ratio), 0.0))


def information_table(
    pieces: Iterable[tuple[Keys, Counts]],
    names: Sequence[str],
    frequency: NDArray[np.int64],
    relations: Sequence[str],
    *,
    min_count: int,
    max_words: int,
    min_context: int,
    smoothing: float,
) -> InformationTable:
    """Return the table of counted triples. names, frequency: words as they were numbered in counting."""
    often = np.flatnonzero(frequency >= min_count)
    order = often[np.lexsort((often, -frequency[often]))]
    number = np.full(len(names), -1, dtype=np.int64)
    number[order] = np.arange(len(order))
    kept = [[np.zeros(0, np.int64)] for _ in range(4)]
    for keys, counts in pieces:
        word, relation, other = unpack(keys)
        word, other = number[word], number[other]
        good = (word >= 0) & (other >= 0)
        for part, values in zip(kept, (counts, word, relation, other)):
            part.append(values[good])
    count, word, relation, other = (np.concatenate(part) for part in kept)
    information = positive_information(count, word, relation, other, smoothing).astype(np.float32)
    n = max(len(order), 1)
    contexts, column = np.unique(relation * n + other, return_inverse=True)
    total = np.bincount(column, weights=count, minlength=len(contexts))
    used = (information > 0) & (word < max_words) & (total[column] >= min_context)
    # Contexts without entries go.
    left = np.unique(column[used])
    place = np.full(len(contexts), -1, dtype=np.int64)
    place[left] = np.arange(len(left))
    word, column, information = word[used], place[column[used]], information[used]
    sorted_by = np.lexsort((column, word))
    n_rows = min(len(order), max_words)
    return InformationTable(
        [names[i] for i in order.tolist()],
        frequency[order],
        list(relations),
        (contexts[left] // n).astype(np.int32),
        (contexts[left] % n).astype(np.int32),
        np.concatenate([[0], np.cumsum(np.bincount(word, minlength=n_rows))]).astype(np.int64),
        column[sorted_by].astype(np.int32),
        information[sorted_by],
    )
