"""From phrase pairs in any order to a `PhraseTable`, and from a table to a part of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from palmette._native import PairNodes, build_phrase_table, select_phrase_pairs
from palmette.formats.model.strings import StringTable
from palmette.tools.translation.tables.phrase_table import STANDARD, PhraseTable

Floats = NDArray[np.float32]
Ids = NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class RawPairs:
    """Phrase pairs in any order: as nodes of two tries over two vocabularies, and what is known of each pair."""

    nodes: PairNodes
    source_words: Sequence[str]
    target_words: Sequence[str]
    columns: tuple[str, ...]
    reordering_columns: tuple[str, ...]
    scores: Floats
    reordering: Floats
    link_begin: Ids
    links: NDArray[np.uint16]
    counts: Ids

    def table(self) -> PhraseTable:
        """Return the table of these pairs; ValueError if a pair occurs twice, is empty, or has no finite score."""
        finite = np.isfinite(self.scores).all(axis=1) & np.isfinite(self.reordering).all(axis=1)
        if not finite.all():
            raise ValueError(
                f"Phrase pair {int(np.argmin(finite)) + 1} has a score that is not a finite number."
            )
        (source, source_rank), (target, target_rank) = map(
            sorted_words, (self.source_words, self.target_words)
        )
        score = default_score(self.columns, self.scores)
        shape = build_phrase_table(self.nodes, source_rank, target_rank, score)
        return _finished(shape, source, target, self)


def default_score(columns: Sequence[str], scores: Floats) -> Floats:
    """Return what the pairs of a phrase are sorted by: the sum of the standard columns, or of all columns."""
    chosen = [k for k, name in enumerate(columns) if name in STANDARD] or list(range(len(columns)))
    total = np.zeros(len(scores), np.float32)
    for k in chosen:  # one after another: the order of a sum must not depend on the shape
        total += scores[:, k]
    return total


def select(table: PhraseTable, kept: NDArray[np.bool_]) -> PhraseTable:
    """Return the table with some of its pairs, in the same order."""
    if kept.all():
        return table
    shape = select_phrase_pairs(table.native, np.ascontiguousarray(kept).view(np.uint8))
    return _finished(shape, list(table.source_strings), list(table.target_strings), table)


def sorted_words(words: Sequence[str]) -> tuple[list[str], Ids]:
    """Return words in the order of their bytes, and the place of each."""
    listed = list(words)
    encoded = [word.encode("utf-8", "surrogatepass") for word in listed]
    order = sorted(range(len(encoded)), key=encoded.__getitem__)
    rank = np.zeros(len(order), np.uint32)
    rank[order] = np.arange(len(order), dtype=np.uint32)
    return [listed[word] for word in order], rank


def _finished(
    shape: tuple[Ids, ...], source: list[str], target: list[str], given: RawPairs | PhraseTable
) -> PhraseTable:
    """Return the table of some arrays, with the words that occur in it and the given rows of the pairs."""
    child_begin, child_word, pair_begin, pair_target, target_begin, target_words, rows = shape
    source_strings, source_number = used_words(source, child_word[1:])
    target_strings, target_number = used_words(target, target_words)
    child_word[1:] = source_number[child_word[1:]]
    order, link_begin = moved_rows(given.link_begin, rows)
    return PhraseTable(
        given.columns,
        given.reordering_columns,
        source_strings,
        target_strings,
        child_begin,
        child_word,
        pair_begin,
        pair_target,
        target_begin,
        target_number[target_words],
        np.ascontiguousarray(given.scores[rows]),
        np.ascontiguousarray(given.reordering[rows]),
        link_begin,
        given.links[order],
        np.ascontiguousarray(given.counts[rows]) if len(given.counts) else np.zeros((0, 3), np.uint32),
    )


def used_words(words: list[str], ids: Ids) -> tuple[StringTable, Ids]:
    """Return the words that occur among ids, and the new number of each."""
    used = np.zeros(len(words), bool)
    used[ids] = True
    numbers = (np.cumsum(used) - 1).astype(np.uint32)
    return StringTable.of(words[word] for word in np.flatnonzero(used).tolist()), numbers


def moved_rows(begins: Ids, rows: Ids) -> tuple[NDArray[np.int64], Ids]:
    """Return where the items of the rows are, in another order of the rows, and where the rows then begin."""
    sizes = (begins[1:].astype(np.int64) - begins[:-1])[rows]
    after = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    order = np.arange(after[-1]) + np.repeat(begins[rows].astype(np.int64) - after[:-1], sizes)
    return order, after.astype(np.uint32)
