"""Counts of contexts on a cluster: those of shards of sentences are merged, with their words and relations.

Every shard numbers its words and relations by first appearance. Merged in the order of the shards, numbers are
again those of first appearance, and counts are whole numbers: so the table is that of one machine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain, groupby
from pathlib import Path
from typing import Any

import numpy as np

from palmette.errors import UsageError
from palmette.formats.batches import Batch, Unit, batches
from palmette.formats.corpus import Corpus
from palmette.formats.files import Source, is_standard
from palmette.tools.thesaurus.counting import Counts, Keys, merged_runs, pack, unpack
from palmette.tools.thesaurus.options import ThesaurusOptions
from palmette.tools.thesaurus.reading import holds_text, parsed, pieces_of, sentences_of


@dataclass(eq=False)
class ContextCounts:
    """What was counted: by the numbers of words and relations, whose names are here in their order.

    patterns: how often two words are in a pattern. sizes: sentences, words, trees. runs: sorted triples and their
    counts.
    """

    options: ThesaurusOptions
    names: list[str]
    relations: list[str]
    frequency: Counts
    patterns: Counter[tuple[int, int, int]]
    sizes: tuple[int, int, int]
    runs: list[tuple[Keys, Counts]] = field(default_factory=list)


def united(a: ContextCounts, b: ContextCounts) -> ContextCounts:
    """Both together; the words and relations of b that a does not have get the next numbers."""
    names, word = _numbered(a.names, b.names)
    relations, relation = _numbered(a.relations, b.relations)
    frequency = np.zeros(len(names), np.int64)
    frequency[: len(a.names)] = a.frequency
    np.add.at(frequency, word, b.frequency)
    patterns = Counter(a.patterns)
    for (p, x, y), count in b.patterns.items():
        one, two = int(word[x]), int(word[y])
        patterns[p, min(one, two), max(one, two)] += count
    moved = []
    for keys, counts in b.runs:
        first, between, other = unpack(keys)
        moved.append((pack(word[first], relation[between], word[other]), counts))
    runs = [*a.runs, *moved]
    s, w, t = (x + y for x, y in zip(a.sizes, b.sizes, strict=True))
    return ContextCounts(
        a.options, names, relations, frequency, patterns, (s, w, t), [merged_runs(runs)] if runs else []
    )


def _numbered(ours: list[str], theirs: list[str]) -> tuple[list[str], Counts]:
    """All strings, and the numbers of theirs among them."""
    number = {name: k for k, name in enumerate(ours)}
    found = [number.setdefault(name, len(number)) for name in theirs]
    return list(number), np.array(found, dtype=np.int64)


@dataclass(frozen=True)
class FilePieces:
    """Pieces of a file: where they begin and end, and the lines before them; without any, the whole file."""

    path: str
    is_text: bool
    bounds: tuple[tuple[int, int, int], ...] = ()

    def batches(self) -> Iterator[Batch]:
        """Read them."""
        if not self.bounds:
            yield from batches(self.path, unit=_unit(self.is_text))
            return
        with Path(self.path).open("rb") as file:
            for begin, end, lines in self.bounds:
                file.seek(begin)
                yield Batch(file.read(end - begin), lines)


@dataclass(frozen=True)
class SentenceShard:
    """Sentences for a worker: pieces of files, or a corpus. parser: what makes a parser for text without trees."""

    pieces: tuple[FilePieces | Corpus, ...]
    language: str
    parser: Callable[[], Any] | None

    def corpora(self) -> Iterator[Corpus]:
        """The sentences, piece by piece."""
        for piece in self.pieces:
            if isinstance(piece, Corpus):
                yield parsed(piece, self.parser)
            else:
                found = piece.batches()
                yield from sentences_of(found, piece.path, piece.is_text, self.language, self.parser)


@dataclass(frozen=True)
class ParserMaker:
    """Makes a parser of a name or a path, once in a process; a parser is as it is."""

    given: Any

    def __call__(self) -> Any:
        return self.given if hasattr(self.given, "parse") else _loaded(str(self.given))


@lru_cache(1)
def _loaded(name: str) -> Any:
    from palmette.tools.dependency.parser import DependencyParser

    return DependencyParser.load(name)


def shards_of(
    given: Any, language: str, parser: Any, follow: Callable[[bytes], object], n: int
) -> Iterator[SentenceShard]:
    """Cut what `Thesaurus.fit` gets into n shards or fewer, of about as many bytes.

    parser: for text without trees. follow: gets every piece of a file.
    """
    pieces = [one for piece in pieces_of(given, language) for one in _cut(piece, follow)]
    ends = np.cumsum([size for _, size in pieces])
    make = None if parser is None else ParserMaker(parser)
    for k in range(n):
        low, high = (int(ends[-1]) * x // n for x in (k, k + 1)) if pieces else (0, 0)
        a, b = (int(np.searchsorted(ends, x, side="left")) for x in (low + 1, high + 1))
        if a < b:
            yield SentenceShard(tuple(_joined(piece for piece, _ in pieces[a:b])), language, make)


def _joined(pieces: Iterable[FilePieces | Corpus]) -> Iterator[FilePieces | Corpus]:
    """Pieces of the same file as one."""
    for _, found in groupby(pieces, lambda piece: getattr(piece, "path", None)):
        run = list(found)
        of_file = [piece for piece in run if isinstance(piece, FilePieces)]
        if of_file:
            first = of_file[0]
            yield replace(first, bounds=tuple(chain.from_iterable(one.bounds for one in of_file)))
        else:
            yield from run


def _cut(
    piece: Source | Corpus, follow: Callable[[bytes], object]
) -> Iterator[tuple[FilePieces | Corpus, int]]:
    """Pieces of a file, or a corpus, with their sizes. Gzipped files are one piece; text is cut at empty lines."""
    if isinstance(piece, Corpus):
        yield piece, max(piece.n_words, 1)
        return
    if is_standard(piece):
        raise UsageError("workers cannot read standard input: give a file")
    path, is_text = str(Path(piece).resolve()), False

    def decide(start: bytes) -> Unit:
        nonlocal is_text
        is_text = holds_text(piece, start)
        return Unit.sentence

    with Path(path).open("rb") as file:
        is_packed = file.read(2) == b"\x1f\x8b"
    begin = 0
    for batch in batches(path, unit=decide):
        follow(batch.data)
        end = begin + len(batch.data)
        if not is_packed:
            yield FilePieces(path, is_text, ((begin, end, batch.lines_before),)), len(batch.data)
        begin = end
    if is_packed:
        yield FilePieces(path, is_text), begin


def _unit(is_text: bool) -> Unit:
    return Unit.text if is_text else Unit.sentence
