"""Gold and guessed labels side by side, as ids into one list of strings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import ArrayLike, NDArray

from palmette.errors import numbered
from palmette.formats.column import Column
from palmette.formats.given import listed_rows

Labels = Column | Iterable[Iterable[str]]


@dataclass(frozen=True, eq=False)
class Pairs:
    """Row r has the gold label `labels[gold[r]]` and the guess `labels[guess[r]]`.

    The rows of sentence i are `offsets[i]` to `offsets[i + 1]`.
    """

    gold: NDArray[np.int64]
    guess: NDArray[np.int64]
    labels: list[str]
    offsets: NDArray[np.int64]

    @classmethod
    def of(cls, gold: Labels, guess: Labels, offsets: ArrayLike | None = None) -> Pairs:
        """Two columns with the offsets of their sentences, or two lists of sentences of strings."""
        gold_column, edges = as_column(gold, offsets, "gold")
        guess_column, guess_edges = as_column(guess, offsets, "guess")
        if not np.array_equal(edges, guess_edges):
            raise ValueError(_difference(edges, guess_edges))
        index = {label: i for i, label in enumerate(gold_column.strings)}
        ids = np.array([index.setdefault(s, len(index)) for s in guess_column.strings], dtype=np.int64)
        first = np.array([index[s] for s in gold_column.strings], dtype=np.int64)
        return cls(first[gold_column.ids], ids[guess_column.ids], list(index), edges)

    def per_sentence(self, rows: NDArray[np.bool_]) -> NDArray[np.int64]:
        """How many of these rows each sentence has."""
        sums = np.concatenate(([0], np.cumsum(rows, dtype=np.int64)))
        return np.diff(sums[self.offsets])

    def unseen(self, known: Iterable[str] | None) -> tuple[str, ...]:
        """The gold labels, most frequent first, that are not among the known ones (None: all are known)."""
        if known is None:
            return ()
        seen = set(known)
        counts = np.bincount(self.gold, minlength=len(self.labels))
        order = np.argsort(-counts, kind="stable").tolist()
        return tuple(self.labels[i] for i in order if counts[i] and self.labels[i] not in seen)


def as_column(values: Labels, offsets: ArrayLike | None, name: str) -> tuple[Column, NDArray[np.int64]]:
    """A column and the offsets of its sentences."""
    if isinstance(values, Column):
        if offsets is None:
            raise ValueError(f"A column of {name} labels needs the offsets of its sentences.")
        edges = np.asarray(offsets, dtype=np.int64)
        if not edges.size or edges[0] or edges[-1] != len(values) or (np.diff(edges) < 0).any():
            raise ValueError(f"The offsets of sentences must run from 0 to the {len(values)} {name} labels.")
        return values, edges
    rows = listed_rows(values, f"The {name} labels")
    for sentence in rows:
        if isinstance(sentence, str):
            raise TypeError(
                f"A sentence of {name} labels must be a list of strings. Got {sentence!r} instead."
            )
    lengths = [len(sentence) for sentence in rows]
    return Column.of(chain.from_iterable(rows)), np.cumsum([0, *lengths], dtype=np.int64)


def _difference(gold: NDArray[np.int64], guess: NDArray[np.int64]) -> str:
    if len(gold) != len(guess):
        return f"There are {len(gold) - 1} gold sentences, but {len(guess) - 1} guessed ones."
    i = int(np.flatnonzero(np.diff(gold) != np.diff(guess))[0])
    counts = f"{gold[i + 1] - gold[i]} gold labels, but {guess[i + 1] - guess[i]} guessed ones"
    return f"{numbered(i, 'Sentence')} has {counts}."
