"""Counts of dependency triples (w, r, w′), in bounded memory.

A triple is one number of 64 bits: w · 2⁴⁰ + r · 2²⁴ + w′. Triples are sorted and counted in pieces; what does
not fit in memory waits on disk, sorted, in files without names. In the end ranges of words are merged.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import IO, TypeAlias

import numpy as np
from numpy.typing import NDArray

Keys: TypeAlias = NDArray[np.uint64]
Counts: TypeAlias = NDArray[np.int64]

MOST_WORDS, MOST_RELATIONS = 1 << 24, 1 << 16
_PIECE = 1 << 21  # triples that are sorted at a time
_BYTES = 16  # of a distinct triple: its number and its count


def pack(word: Counts, relation: Counts, other: Counts) -> Keys:
    """Return triples as numbers.

    >>> unpack(pack(np.array([1]), np.array([2]), np.array([3])))
    (array([1]), array([2]), array([3]))
    """
    return (word.astype(np.uint64) << np.uint64(40)) | (
        (relation.astype(np.uint64) << np.uint64(24)) | other.astype(np.uint64)
    )


def unpack(keys: Keys) -> tuple[Counts, Counts, Counts]:
    """Return words, relations and other words of triples."""
    word = (keys >> np.uint64(40)).astype(np.int64)
    relation = ((keys >> np.uint64(24)) & np.uint64(MOST_RELATIONS - 1)).astype(np.int64)
    return word, relation, (keys & np.uint64(MOST_WORDS - 1)).astype(np.int64)


class TripleCounter:
    """Counts of triples. memory: bytes of distinct triples that may be in memory at a time."""

    def __init__(self, memory: int) -> None:
        self._most = max(memory // (2 * _BYTES), _PIECE // 16)  # merging takes as much again
        self._new: list[Keys] = []
        self._n_new = 0
        self._runs: list[tuple[Keys, Counts]] = []
        self._files: list[tuple[IO[bytes], int]] = []

    @property
    def n_files(self) -> int:
        """The number of files on disk."""
        return len(self._files)

    def add(self, keys: Keys) -> None:
        """Count triples."""
        self._new.append(keys)
        self._n_new += len(keys)
        if self._n_new >= min(_PIECE, self._most):
            self._sort()

    def _sort(self) -> None:
        if self._n_new:
            found, counts = np.unique(np.concatenate(self._new), return_counts=True)
            self._runs.append((found, counts.astype(np.int64)))
        self._new, self._n_new = [], 0
        # Runs of similar length are merged, so that a triple is moved a few times only.
        while len(self._runs) > 1 and 2 * len(self._runs[-1][0]) > len(self._runs[-2][0]):
            last, before = self._runs.pop(), self._runs.pop()
            self._runs.append(merged_runs([before, last]))
        if sum(len(keys) for keys, _ in self._runs) > self._most:
            self._write()

    def _write(self) -> None:
        keys, counts = merged_runs(self._runs)
        self._runs = []
        file = tempfile.TemporaryFile()  # noqa: SIM115 - it stays open until `close`
        keys.tofile(file)
        counts.tofile(file)
        file.flush()
        self._files.append((file, len(keys)))

    def merged(self) -> Iterator[tuple[Keys, Counts]]:
        """Yield the distinct triples and their counts, in order, a range of words at a time."""
        self._sort()
        if not self._files:
            if self._runs:
                yield merged_runs(self._runs)
            return
        if self._runs:
            self._write()
        runs = [
            (
                np.memmap(file, np.uint64, "r", 0, (n,)),
                np.memmap(file, np.int64, "r", 8 * n, (n,)),
            )
            for file, n in self._files
        ]
        for low, high in _ranges([keys for keys, _ in runs], self._most):
            pieces = []
            for keys, counts in runs:
                a, b = np.searchsorted(keys, low), np.searchsorted(keys, high)
                pieces.append((np.array(keys[a:b]), np.array(counts[a:b])))
            yield merged_runs(pieces)

    def close(self) -> None:
        """Delete what is on disk."""
        for file, _ in self._files:
            file.close()
        self._files = []


def merged_runs(runs: Sequence[tuple[Keys, Counts]]) -> tuple[Keys, Counts]:
    """Return several runs as one: sorted triples, each once, with their counts."""
    if len(runs) == 1:
        return runs[0]
    keys = np.concatenate([run[0] for run in runs])
    counts = np.concatenate([run[1] for run in runs])
    order = np.argsort(keys, kind="stable")
    keys, counts = keys[order], counts[order]
    first = np.ones(len(keys), dtype=bool)
    first[1:] = keys[1:] != keys[:-1]
    starts = np.flatnonzero(first)
    return keys[starts], np.add.reduceat(counts, starts) if len(starts) else counts


def _ranges(runs: Sequence[Keys], most: int) -> Iterator[tuple[np.uint64, np.uint64]]:
    """Yield bounds: between two of them all runs together have about `most` triples at most."""
    step = max(most // max(len(runs), 1), 1)
    cuts = np.unique(np.concatenate([np.asarray(keys[step::step]) for keys in runs]))
    # Between two cuts no run has more than `step` keys.
    bounds = [np.uint64(0), *cuts, np.uint64((1 << 64) - 1)]
    yield from ((np.uint64(a), np.uint64(b)) for a, b in pairwise(bounds) if a < b)
