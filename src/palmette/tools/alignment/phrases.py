"""From alignments to a phrase table: all phrase pairs that agree with the links, their counts, and four scores.

    φ(f | e) = c(f, e) / c(e)        lex(f | e) = Π over words of f of the mean w(f_i | e_j) over the links of f_i

and the same the other way. w is counted from the links; a word without links goes with NULL. The links of a pair
are those seen most often with it, and the earliest of these. CSC 448, §15.2; Koehn, Och and Marcu 2003.

A word of a phrase has all its links inside, so its factor of lex does not depend on the phrase: lex is a
difference of sums of logarithms over the sentence. Pairs are found and counted natively
(native/tools/alignment/phrase_pairs.hpp), for translation as well (`tools/translation/tables/extraction.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from palmette import _native
from palmette._native import PhrasePairs
from palmette.course import workers
from palmette.formats.files import Source, write_atomically
from palmette.formats.model.strings import StringTable
from palmette.formats.pharaoh import Link
from palmette.messages import counted
from palmette.parameters import Rule, check_value, require_choice, require_int
from palmette.tools.alignment.links import Alignments
from palmette.tools.alignment.text import ParallelText, TextSide

Ints = NDArray[np.integer]
Floats = NDArray[np.float64]
_LINES_AT_ONCE = 50_000
TextArrays: TypeAlias = tuple[Any, Any, Any, Any, Any, Any, Any]  # of both sides, and of the links
ORIENTATION_KINDS = ("none", "word", "phrase", "hierarchical")


class PhrasePair(NamedTuple):
    """Two phrases; scores φ(source | target), lex(source | target), φ(target | source), lex(target | source).

    counts: of the target phrase, of the source phrase, and of both together.
    """

    source: str
    target: str
    scores: tuple[float, float, float, float]
    links: tuple[Link, ...]
    counts: tuple[int, int, int]


@dataclass(frozen=True, eq=False)
class PhraseTable:
    """Distinct phrase pairs, as places of one occurrence in the text each."""

    text: ParallelText
    alignments: Alignments
    places: Ints  # [pair][sentence, begin and end of the source phrase, of the target phrase]
    counts: NDArray[np.int64]  # [pair][target, source, both]
    lexical: Floats  # [pair][lex(source | target), lex(target | source)]

    def __len__(self) -> int:
        return len(self.places)

    def __iter__(self) -> Iterator[PhrasePair]:
        """The pairs in the order of their source phrases, then their target phrases, as bytes sort."""
        yield from self._pairs(range(len(self)))

    def translations(self, phrase: str, k: int = 10) -> list[PhrasePair]:
        """The k likeliest target phrases of a source phrase."""
        words = phrase.split()
        index = {word: number for number, word in enumerate(self.text.source.strings)}
        ids = [index.get(word, -1) for word in words]
        if not words or -1 in ids:
            return []
        source, places = self.text.source, self.places
        begins = source.offsets[places[:, 0]] + places[:, 1]
        rows = np.flatnonzero(places[:, 2] - places[:, 1] == len(words))
        for n, word in enumerate(ids):
            rows = rows[source.ids[begins[rows] + n] == word]
        found = list(self._pairs(rows.tolist()))
        return sorted(found, key=lambda pair: (-pair.scores[2], pair.target))[:k]

    def write(self, target: Source) -> None:
        """Write the table in the format of Moses, sorted; gzipped if the name ends in .gz."""
        with write_atomically(target) as file:
            for piece in self.lines():
                file.write(piece)

    def lines(self) -> Iterator[bytes]:
        """The lines of the table in the format of Moses, some thousands at a time."""
        writer, links = _writer(self.text, self.places), self.alignments
        for begin in range(0, len(self), _LINES_AT_ONCE):
            end = min(begin + _LINES_AT_ONCE, len(self))
            columns = self.counts.ravel(), self.lexical.ravel(), links.offsets, links.source, links.target
            yield writer.lines(*columns, begin, end)

    def _pairs(self, rows: Sequence[int]) -> Iterator[PhrasePair]:
        links_at = self.alignments.offsets.tolist()
        link_source, link_target = self.alignments.source.tolist(), self.alignments.target.tolist()
        columns = zip(self.places[rows].tolist(), self.counts[rows].tolist(), self.lexical[rows].tolist())
        sides = [
            (side.ids, side.offsets.tolist(), side.strings) for side in (self.text.source, self.text.target)
        ]
        (e_ids, e_at, e_words), (f_ids, f_at, f_words) = sides
        for (s, i0, i1, j0, j1), (c_target, c_source, c_both), (lex_source, lex_target) in columns:
            source = " ".join([e_words[w] for w in e_ids[e_at[s] + i0 : e_at[s] + i1].tolist()])
            target = " ".join([f_words[w] for w in f_ids[f_at[s] + j0 : f_at[s] + j1].tolist()])
            links = tuple(
                (link_source[k] - i0, link_target[k] - j0)
                for k in range(links_at[s], links_at[s + 1])
                if i0 <= link_source[k] < i1
            )
            scores = c_both / c_target, lex_source, c_both / c_source, lex_target
            yield PhrasePair(source, target, scores, links, (c_target, c_source, c_both))


def extract_phrases(
    text: ParallelText, alignments: Alignments, *, max_length: int = 7, min_count: int = 1
) -> PhraseTable:
    """The phrase table of aligned sentence pairs.

    max_length: words of a phrase on either side, 1 to 255. min_count: rarer pairs are left out, after counting.
    """
    require_int("min_count", min_count, 1)
    found = count_phrases(text, alignments, max_length=max_length)
    counts = found.counts().reshape(-1, 3).astype(np.int64)
    kept = counts[:, 2] >= min_count
    places, counts = found.places().reshape(-1, 5)[kept], counts[kept]
    lexical = np.exp(lexical_logs(text, alignments, places))
    order = _writer(text, places).order()
    return PhraseTable(text, alignments, places[order], counts[order], lexical[order])


def count_phrases(
    text: ParallelText,
    alignments: Alignments,
    *,
    max_length: int = 7,
    orientation: str = "none",
    n_jobs: int = 1,
) -> PhrasePairs:
    """Find the distinct phrase pairs of aligned sentence pairs, and count them.

    max_length: words of a phrase on either side, 1 to 255. orientation: how the orientations of a pair are counted
    as well, one of ORIENTATION_KINDS (native/tools/alignment/orientation.hpp).
    """
    check_value("max_length", max_length, (int,), Rule("", low=1, high=255))
    require_choice("orientation", orientation, ORIENTATION_KINDS)
    if len(alignments) != len(text):
        raise ValueError(
            f"There must be {counted(len(text), 'alignment')}, one for each pair. Got {len(alignments):,}."
        )
    kind = ORIENTATION_KINDS.index(orientation)
    cluster = workers()
    if cluster is None:
        return _native.phrase_pairs(*_arrays(text, alignments), max_length, kind, n_jobs)
    bounds = [len(text) * k // cluster.shards for k in range(cluster.shards + 1)]
    parts = (
        (first, _arrays(text.part(first, last), alignments.part(first, last)))
        for first, last in pairwise(bounds)
        if first < last
    )
    with cluster.stored(parts) as shards:
        found = cluster.map(_variants_of, shards, (max_length, kind))
    places, counts, orientations = (
        np.concatenate([part[k] for part in found]) if found else empty
        for k, empty in enumerate(
            (np.zeros((0, 5), np.int32), *[np.zeros((0, n), np.uint32) for n in (1, 6)])
        )
    )
    order = np.lexsort(places.T[::-1])
    return _native.pairs_of_variants(
        *_arrays(text, alignments),
        np.ascontiguousarray(places[order].ravel()),
        np.ascontiguousarray(counts[order].ravel()),
        np.ascontiguousarray(orientations[order].ravel()) if kind else np.zeros(0, np.uint32),
        n_jobs,
    )


def _arrays(text: ParallelText, alignments: Alignments) -> TextArrays:
    source, target = text.source, text.target
    links = alignments.offsets, alignments.source, alignments.target
    return (source.offsets, source.ids, target.offsets, target.ids, *links)


def _variants_of(part: tuple[int, TextArrays], options: tuple[int, int]) -> tuple[Any, Any, Any]:
    """Places, counts and orientations of the phrase pairs of some sentences, with other links apart.

    part: the number of the first sentence, and the sentences as arrays.
    """
    first, arrays = part
    found = _native.phrase_variants(*arrays, *options, 1)
    places = found.places().reshape(-1, 5)
    places[:, 0] += first
    orientations = (
        found.orientations().reshape(-1, 6) if options[1] else np.zeros((len(places), 6), np.uint32)
    )
    return places, found.counts().reshape(-1, 3)[:, 2:], orientations


def lexical_logs(text: ParallelText, alignments: Alignments, places: Ints) -> Floats:
    """ln lex(source | target) and ln lex(target | source) of every phrase pair."""
    forth, back = (np.concatenate([[0.0], np.cumsum(logs)]) for logs in word_logs(text, alignments))
    logs: Floats = np.empty((len(places), 2))
    for begin in range(0, len(places), _LINES_AT_ONCE):  # in pieces, so that little memory is needed
        s, i0, i1, j0, j1 = places[begin : begin + _LINES_AT_ONCE].T
        rows = slice(begin, begin + len(s))
        source, target = text.source.offsets[s], text.target.offsets[s]
        logs[rows, 0] = forth[source + i1] - forth[source + i0]
        logs[rows, 1] = back[target + j1] - back[target + j0]
    return logs


def word_logs(text: ParallelText, alignments: Alignments) -> tuple[Floats, Floats]:
    """ln of the mean w(word | its links) of every source word of the text, and of every target word."""
    per_link = np.diff(alignments.offsets)
    e_at = np.repeat(text.source.offsets[:-1], per_link) + alignments.source
    f_at = np.repeat(text.target.offsets[:-1], per_link) + alignments.target
    return _log_factors(text.source, text.target, e_at, f_at), _log_factors(
        text.target, text.source, f_at, e_at
    )


def _log_factors(of: TextSide, given: TextSide, of_at: Ints, given_at: Ints) -> Floats:
    """ln w(word | its links) of every word."""
    w = word_weights(of, given, of_at, given_at)[2]
    links = np.bincount(of_at, minlength=len(of.ids))
    sums = np.bincount(of_at, w[: len(of_at)], minlength=len(of.ids))
    factors = np.divide(sums, links, out=np.zeros(len(of.ids)), where=links > 0)
    factors[links == 0] = w[len(of_at) :]
    logs: Floats = np.log(factors)
    return logs


def word_weights(of: TextSide, given: TextSide, of_at: Ints, given_at: Ints) -> tuple[Ints, Ints, Floats]:
    """w(word | other) = c(word, other) / c(other) for every link, then for every word without one, which NULL has.

    Returns words, the others (`len(given.strings)` is NULL) and weights. A word with n links counts 1 for each.
    """
    alone = np.ones(len(of.ids), dtype=bool)
    alone[of_at] = False
    null = len(given.strings)
    word = np.concatenate([of.ids[of_at], of.ids[alone]]).astype(np.int64)
    other = np.concatenate([given.ids[given_at], np.full(int(alone.sum()), null)]).astype(np.int64)
    _, inverse, counts = np.unique(word * (null + 1) + other, return_inverse=True, return_counts=True)
    totals = np.bincount(other, minlength=null + 1)
    return word, other, counts[inverse] / totals[other]


def _writer(text: ParallelText, places: Ints) -> _native.PhraseWriter:
    source, target = text.source, text.target
    # Bars as Moses writes them: a bare one would end the field.
    e, f = (StringTable.of(word.replace("|", "&#124;") for word in side.strings) for side in (source, target))
    rows = np.ascontiguousarray(places, dtype=np.int32).ravel()
    return _native.PhraseWriter(
        source.offsets, source.ids, e.utf8, e.offsets, target.offsets, target.ids, f.utf8, f.offsets, rows
    )
