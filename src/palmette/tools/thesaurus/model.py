"""A trained thesaurus: which words are similar, by any measure, and which of these exclude each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from palmette.errors import UsageError
from palmette.messages import counted
from palmette.tools.thesaurus.information import InformationTable
from palmette.tools.thesaurus.options import ThesaurusOptions
from palmette.tools.thesaurus.vectors import Vectors, unit_rows

WORDNET = "WordNet"
_ROWS = 256  # of dense vectors, compared at a time


@dataclass(frozen=True)
class Neighbour:
    """A similar word, and how similar it is. opposite: what tells that the words exclude each other, or ""."""

    word: str
    similarity: float
    opposite: str = ""


@dataclass(frozen=True, eq=False)
class ThesaurusModel:
    """Words with their contexts, dense vectors (None without), opposites and options.

    opposites: by the numbers of two words, the smaller first: what tells, and how often.
    """

    table: InformationTable
    vectors: Vectors | None
    opposites: Mapping[tuple[int, int], tuple[str, int]]
    options: ThesaurusOptions

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The words with rows."""
        return {word: i for i, word in enumerate(self.table.words[: self.table.n_rows])}

    @cached_property
    def _bare(self) -> dict[str, int]:
        """Words without their tags; the most frequent of several."""
        found: dict[str, int] = {}
        for word, i in self.numbers.items():
            found.setdefault(word.rpartition("/")[0], i)
        return found

    @cached_property
    def _units(self) -> Vectors:
        assert self.vectors is not None
        return unit_rows(self.vectors)

    def measure(self, named: str | None = None) -> str:
        """The measure to use; UsageError if there are no vectors for it."""
        chosen = named or self.options.measure or ("lin" if self.vectors is None else "vectors")
        ThesaurusOptions(measure=chosen)
        if chosen == "vectors" and self.vectors is None:
            raise UsageError(
                "This thesaurus has no vectors: train with the option 'dimensions', such as 100."
            )
        return chosen

    def find(self, word: str) -> int | None:
        """The row of a word, None if it has none; without a tag, that of its most frequent part of speech."""
        for form in (word, word.lower()):
            if form in self.numbers:
                return self.numbers[form]
            if self.options.tags and form in self._bare:
                return self._bare[form]
        return None

    def row(self, word: str) -> int:
        """The row of a word; ValueError if it has none."""
        found = self.find(word)
        if found is None:
            known = self._bare if self.options.tags else self.numbers
            near = get_close_matches(word.lower(), list(known)[:20_000], 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise ValueError(
                f"The word {word!r} is not in this thesaurus: it has {counted(len(self.numbers), 'word')} "
                "that occur at "
                f"least {counted(self.options.min_count, 'time')}{hint}"
            )
        return found

    def similarities(self, a: NDArray[np.int32], b: NDArray[np.int32], measure: str) -> NDArray[np.float64]:
        """The similarity of words by their rows."""
        if measure == "vectors":
            return np.asarray((self._units[a].astype(np.float64) * self._units[b]).sum(axis=1))
        return np.asarray(self.table.index.similarities(a, b, measure))

    def matrix(self, rows: Sequence[int], measure: str) -> NDArray[np.float64]:
        """The similarities of all pairs of some words."""
        n = len(rows)
        upper = np.triu_indices(n, 1)
        at = np.array(rows, dtype=np.int32)
        found = np.zeros((n, n))
        found[upper] = self.similarities(at[upper[0]], at[upper[1]], measure)
        return found + found.T + np.eye(n)

    def neighbours(self, rows: Sequence[int], k: int, measure: str, n_jobs: int) -> list[list[Neighbour]]:
        """The k most similar words of some words."""
        asked = np.array(rows, dtype=np.int32)
        k = min(k, self.table.n_rows)
        if measure == "vectors":
            found = [
                pair for i in range(0, len(asked), _ROWS) for pair in self._near(asked[i : i + _ROWS], k)
            ]
        else:
            ids, scores = self.table.index.nearest(asked, measure, k, n_jobs=n_jobs)
            found = list(zip(ids.reshape(len(asked), k), scores.reshape(len(asked), k)))
        return [
            [
                Neighbour(self.table.words[j], round(score, 6), self.opposite(i, j))
                for j, score in zip(near.tolist(), values.tolist())
                if j >= 0
            ]
            for i, (near, values) in zip(asked.tolist(), found)
        ]

    def _near(self, asked: NDArray[np.int32], k: int) -> list[tuple[NDArray[np.int64], NDArray[np.float32]]]:
        """The nearest words by dense vectors; only those with a positive cosine."""
        cosines = self._units[asked] @ self._units.T
        cosines[np.arange(len(asked)), asked] = -1
        found = []
        for row in cosines:
            first = np.argpartition(-row, min(k, len(row) - 1))[:k] if k < len(row) else np.arange(len(row))
            first = first[np.lexsort((first, -row[first]))]
            found.append((np.where(row[first] > 0, first, -1), row[first]))
        return found

    def opposite(self, a: int, b: int) -> str:
        """What tells that two words exclude each other, or an empty string."""
        found = self.opposites.get((min(a, b), max(a, b)))
        if found is None:
            return ""
        return found[0] if found[0] == WORDNET else f"{found[0]}, {found[1]} ×"
