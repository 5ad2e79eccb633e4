"""Counts of n-grams on a cluster: every worker counts parts of a text, and the sorted counts are merged.

    words     every part numbers its own words; the whole vocabulary is that of the parts in their order
    counts    every part counts its n-grams by the numbers of the whole; sorted counts are merged in pairs

Numbers are those of first appearance and counts are whole numbers, so the model is that of one machine to the last
byte, for any number of parts and workers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from palmette._native import NgramCounts, NgramText
from palmette.course import Workers
from palmette.formats.files import Source, display_name, is_standard, opened
from palmette.formats.given import is_path
from palmette.tools.lm.runs import count_in_parts
from palmette.tools.lm.text import TextReader, located

_MARKS = 3  # words with which every vocabulary begins: <unk>, <s>, </s>
_BOM = b"\xef\xbb\xbf"
_PIECE = 1 << 20


class Vocabulary(NamedTuple):
    """Words one after another, and where each begins."""

    utf8: Any
    offsets: Any

    @classmethod
    def of(cls, text: NgramText) -> Vocabulary:
        """The words of a text."""
        return cls(*text.words())

    def line(self) -> bytes:
        """The words between spaces, without the marks."""
        first = self.offsets[_MARKS]
        at = self.offsets[_MARKS:-1] - first
        return bytes(np.insert(self.utf8[first:], at, ord(" ")).tobytes())


@dataclass(frozen=True)
class TextPart:
    """A recipe: whole lines of a file.

    name: of the file, in messages. replace, skip: see `TextReader`.
    """

    path: str
    begin: int
    end: int
    name: str | None
    replace: bool
    skip: bool

    @property
    def key(self) -> str:
        """A name that no other part has."""
        return f"{self.path} {self.begin}-{self.end}"

    def make(self) -> ReadPart:
        """Make the content, which reads when it is asked."""
        return ReadPart(self)

    def read(self) -> NgramText:
        """The lines as numbers of words; a FormatError has the line in the whole file."""
        with Path(self.path).open("rb") as file:
            file.seek(self.begin)
            data = file.read(self.end - self.begin)
        if self.replace and not data.isascii():
            data = data.decode("utf-8", "replace").encode()
        text = NgramText()
        text.expect(len(data))
        try:
            text.add(data, self.skip, 1)
        except ValueError as error:
            raise located(error, self.name, self._lines_before()) from None
        return text

    def _lines_before(self) -> int:
        lines, left = 0, self.begin
        with Path(self.path).open("rb") as file:
            while left and (data := file.read(min(left, _PIECE))):
                lines, left = lines + data.count(b"\n"), left - len(data)
        return lines


class ReadPart:
    """The content of a part. Counting uses its text up, and whoever asks again reads it again."""

    def __init__(self, part: TextPart) -> None:
        self._part = part
        self._text: NgramText | None = None
        self._is_numbered = False

    def text(self) -> NgramText:
        """The text with numbers of its own."""
        if self._text is None or self._is_numbered:
            self._text, self._is_numbered = self._part.read(), False
        return self._text

    def numbered(self, vocabulary: Vocabulary) -> NgramText:
        """The text with the numbers of the whole."""
        if self._text is None or not self._is_numbered:
            self.text().number_as(*vocabulary)
            self._is_numbered = True
        assert self._text is not None
        return self._text

    def taken(self, vocabulary: Vocabulary) -> NgramText:
        """The same, for whoever changes it."""
        text = self.numbered(vocabulary)
        self._text = None
        return text


def words_of(part: ReadPart, _: None) -> tuple[Vocabulary, int, int]:
    """The words of a part in the order of their first appearance, the number of its lines and of its tokens."""
    text = part.text()
    return Vocabulary.of(text), text.n_lines, text.n_tokens


def frequencies_of(part: ReadPart, vocabulary: Vocabulary) -> tuple[Any]:
    """How often each word occurs in a part."""
    return (part.numbered(vocabulary).word_counts().astype(np.int64),)


class CountJob(NamedTuple):
    """What is counted: n-grams of up to `order` words; kept: a number of each word, not 0 if it is known."""

    vocabulary: Vocabulary
    order: int
    kept: Any = None
    memory: int | None = None


class Counts:
    """Counts that travel as arrays."""

    def __init__(self, words: Vocabulary, levels: Sequence[Any]) -> None:
        self.words, self.levels = words, levels

    def native(self) -> NgramCounts:
        """For the native loops."""
        return NgramCounts.from_arrays(*self.words, list(self.levels))


def counts_of(part: ReadPart, job: CountJob) -> Counts:
    """The n-grams of a part."""
    text = part.taken(job.vocabulary)
    if job.kept is not None:
        text.keep(job.kept)
    words = Vocabulary.of(text)
    return Counts(words, count_in_parts(text, job.order, job.memory).arrays())


def merged(a: Counts, b: Counts) -> Counts:
    """Both together."""
    counts = a.native()
    counts.merge(b.native(), 1)
    return Counts(a.words, counts.arrays())


class SharedText:
    """A text that workers count. words: the vocabulary, by first appearance; n_lines, n_tokens: of the text."""

    def __init__(self, workers: Workers, parts: Sequence[TextPart], first: NgramText) -> None:
        """first: words that have the first numbers."""
        self._workers, self._parts = workers, parts
        self.n_lines = self.n_tokens = 0
        for words, n_lines, n_tokens in workers.map(words_of, parts):
            first.add(words.line(), False, 1)
            self.n_lines, self.n_tokens = self.n_lines + n_lines, self.n_tokens + n_tokens
        first.clear()
        self.words = Vocabulary.of(first)

    def frequencies(self) -> Any:
        """How often each word occurs."""
        return self._workers.reduce(frequencies_of, self._parts, self.words)[0]

    def count(self, order: int, kept: Any, memory: int | None) -> NgramCounts:
        """The n-grams of the whole text."""
        job = CountJob(self.words, order, kept, memory)
        counts: NgramCounts = self._workers.reduce(counts_of, self._parts, job, add=merged).native()
        return counts


@contextmanager
def shared_text(text: Any, reader: TextReader, workers: Workers) -> Iterator[SharedText]:
    """Inside, a text that workers have read; anything but a plain file is written to one first.

    reader: with the words that come first; it follows what is read.
    """
    pieces = reader.pieces(text)
    name = display_name(text) if is_path(text) else None
    if is_path(text) and _is_plain(text):
        for _ in pieces:
            pass  # for the fingerprint
        yield SharedText(workers, _parts(str(Path(text).resolve()), name, reader, workers), reader.native)
        return
    with workers.text(pieces) as path:
        yield SharedText(workers, _parts(path, name, reader, workers), reader.native)


def _parts(path: str, name: str | None, reader: TextReader, workers: Workers) -> list[TextPart]:
    return line_parts(path, workers.shards, name, replace=reader.replace, skip=reader.skip)


def _is_plain(source: Source) -> bool:
    if is_standard(source) or not Path(source).is_file():
        return False
    with opened(source) as file, Path(source).open("rb") as raw:
        return file.read(2) == raw.read(2)


def line_parts(
    path: str, n: int, name: str | None = None, *, replace: bool = False, skip: bool = False
) -> list[TextPart]:
    """Cut a plain file into whole lines, about as many bytes in each part; fewer parts of a small file."""
    cuts = []
    with Path(path).open("rb") as file:
        begin = len(_BOM) if file.read(len(_BOM)) == _BOM else 0
        size = Path(path).stat().st_size
        for k in range(1, n):
            file.seek(max(begin, begin + (size - begin) * k // n - 1))
            file.readline()
            cuts.append(file.tell())
    bounds = sorted({begin, *(cut for cut in cuts if begin < cut < size), size})
    return [TextPart(path, a, b, name, replace, skip) for a, b in pairwise(bounds)]
