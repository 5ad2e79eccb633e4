"""Candidates as sparse vectors: what a reranker in primal form learns weights for.

    Φ(x, y) = (√β · log-probability, how often each feature occurs in y)

Features are whatever a function says of the outputs of one input: groups of templates (`TreeTemplates`,
`SequenceTemplates`), or your own function. What all candidates of a list have in common cannot change a
choice and is taken off: of every feature its least value in the list. Names are known by 64-bit hashes; a
vocabulary keeps those that tell candidates apart in enough lists.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette._native import RankingProblem
from palmette.formats.candidates import Candidates

Names = Iterable[str] | Mapping[str, float]
Table = tuple[list[str], NDArray[np.float32]]  # names, and [outputs, names]
Extractor = Callable[[Sequence[Any]], Sequence[Names] | Table]
Keys = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class ListVectors:
    """The vectors of one list: entries rows[c] … rows[c + 1] - 1 of candidate c are keys and values."""

    rows: NDArray[np.int64]
    keys: Keys
    values: NDArray[np.float32]

    @classmethod
    def of(cls, given: Candidates, extract: Extractor) -> ListVectors:
        """What tells the candidates apart."""
        names, table = feature_table(extract(given.outputs))
        if len(table) != len(given):
            raise ValueError(f"The features of {len(table)} outputs came for {len(given)}.")
        if len(table):
            table = table - table.min(axis=0)
        owners, columns = np.nonzero(table)
        hashed = np.zeros(len(names), dtype=np.uint64)
        used = np.unique(columns)
        hashed[used] = [key_of(names[k]) for k in used.tolist()]
        rows = np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=len(table)))]).astype(np.int64)
        return cls(rows, hashed[columns], table[owners, columns].astype(np.float32))


def key_of(name: str) -> int:
    """The 64-bit hash by which a feature is known, the same on every machine.

    >>> key_of("rule NP>DT NN") == key_of("rule NP>DT NN") != key_of("rule NP>NN")
    True
    """
    return int.from_bytes(
        hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little"
    )


@dataclass(frozen=True, eq=False)
class CandidateMap:
    """The features that have weights, by their keys in rising order; after them, the log-probability."""

    keys: Keys
    beta: float

    @classmethod
    def fit(cls, vectors: Iterable[ListVectors], beta: float, min_count: int) -> CandidateMap:
        """Return the features that distinguish candidates in at least `min_count` lists."""
        counts: Counter[int] = Counter()
        for own in vectors:
            counts.update(np.unique(own.keys).tolist())
        kept = [key for key, n in counts.items() if n >= min_count]
        return cls(np.sort(np.array(kept, dtype=np.uint64)), beta)

    @property
    def n_features(self) -> int:
        return len(self.keys) + 1

    def numbered(self, given: Candidates, vectors: ListVectors) -> tuple[Any, Any, Any]:
        """Rows, features and values of a list; the log-probability, less that of its best, is last in each row."""
        places = np.searchsorted(self.keys, vectors.keys)
        known = places < len(self.keys)
        known[known] = self.keys[places[known]] == vectors.keys[known]
        owners = np.repeat(np.arange(len(given)), np.diff(vectors.rows))[known]
        scores = np.sqrt(self.beta) * (given.log_probabilities - given.log_probabilities.max(initial=-np.inf))
        owners = np.concatenate([owners, np.arange(len(given))])
        features = np.concatenate([places[known], np.full(len(given), len(self.keys))])
        values = np.concatenate([vectors.values[known], scores])
        order = np.argsort(owners, kind="stable")
        rows = np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=len(given)))])
        return rows, features[order].astype(np.int32), values[order].astype(np.float32)

    def problem(
        self, lists: Sequence[Candidates], vectors: Sequence[ListVectors], learning: bool = True
    ) -> RankingProblem:
        """The lists as a learning problem; without `learning`, no loss is known."""
        tables = [self.numbered(given, own) for given, own in zip(lists, vectors, strict=True)]
        sizes = np.concatenate([np.zeros(1, np.int64), *(np.diff(rows) for rows, _, _ in tables)])
        losses = [given.losses if learning else np.zeros(len(given)) for given in lists]
        return RankingProblem(
            np.cumsum([0, *(len(given) for given in lists)]).astype(np.int64),
            np.cumsum(sizes).astype(np.int64),
            np.concatenate([np.empty(0, np.int32), *(features for _, features, _ in tables)]),
            np.concatenate([np.empty(0, np.float32), *(values for _, _, values in tables)]),
            np.concatenate([np.empty(0, np.float32), *losses]).astype(np.float32),
            None,
            self.n_features,
        )


def feature_table(found: Sequence[Names] | Table) -> Table:
    """Names, and the value of each in each output; 0 where an output does not have it."""
    if isinstance(found, tuple):
        return found
    known: dict[str, int] = {}
    rows = []
    for names in found:
        counted = names if isinstance(names, Mapping) else Counter(names)
        rows.append([(known.setdefault(name, len(known)), value) for name, value in counted.items()])
    table = np.zeros((len(rows), len(known)), dtype=np.float32)
    for own, row in zip(table, rows):
        for k, value in row:
            own[k] = value
    return list(known), table
