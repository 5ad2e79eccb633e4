"""Sentences in two languages: read from two files, from one with a tab or `|||` in every line, or from lists.

Words are between white space (of ASCII, as other aligners cut them). Every distinct word is kept once, and a
sentence is a slice of an array of numbers, so that a corpus takes four bytes a word. Empty lines are empty
sentences: line k of the text is line k of the alignment.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from palmette import _native
from palmette.errors import FormatError
from palmette.formats.files import Source, display_name, read_bytes
from palmette.formats.given import is_path, listed_rows
from palmette.messages import counted

Sentence: TypeAlias = str | Sequence[str]  # words between white space, or a list of words
_WHITE = " \t\n\r\v\f"
_WORD = re.compile(f"[^{_WHITE}]+")


class PairFormat(StrEnum):
    """How the two sides of a line are kept apart: by a tab, or by a word `|||`."""

    tsv = "tsv"
    bars = "bars"


@dataclass(frozen=True, eq=False)
class TextSide:
    """The sentences of one language: words `strings[ids[offsets[s]]] …` of sentence s."""

    ids: NDArray[np.int32]
    strings: list[str]
    offsets: NDArray[np.int64]

    @classmethod
    def of(cls, sentences: Iterable[Sentence]) -> TextSide:
        """From strings or lists of words."""
        listed = list(sentences)
        if all(isinstance(sentence, str) for sentence in listed):
            lines = [sentence.replace("\n", " ") for sentence in listed if isinstance(sentence, str)]
            return parse_side("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass"))
        side = cls(*_native.intern_words([words_of(sentence) for sentence in listed]))
        for word in side.strings:
            if not word or any(white in word for white in _WHITE):
                raise ValueError(f"A word is a string without white space. Got {word!r}.")
        return side

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, s: int) -> list[str]:
        """The words of a sentence."""
        s = range(len(self))[s]
        return [self.strings[word] for word in self.ids[self.offsets[s] : self.offsets[s + 1]].tolist()]

    def part(self, begin: int, end: int) -> TextSide:
        """Some of the sentences."""
        low, high = self.offsets[begin], self.offsets[end]
        return TextSide(self.ids[low:high], self.strings, self.offsets[begin : end + 1] - low)


@dataclass(frozen=True, eq=False)
class ParallelText:
    """Sentence pairs.

    >>> text = ParallelText.of([("the house", "das Haus"), (["a"], ["ein"])])
    >>> len(text), text[0]
    (2, (['the', 'house'], ['das', 'Haus']))
    """

    source: TextSide
    target: TextSide

    def __post_init__(self) -> None:
        if len(self.source) != len(self.target):
            raise ValueError(
                f"Both sides must have as many sentences. Got {len(self.source):,} and {len(self.target):,}."
            )

    @classmethod
    def of(cls, pairs: ParallelText | Iterable[tuple[Sentence, Sentence]]) -> ParallelText:
        """From pairs of strings or of lists of words."""
        if isinstance(pairs, ParallelText):
            return pairs
        if is_path(pairs):
            raise TypeError("Sentence pairs are a list of pairs; read_pairs reads them from files.")
        sources: list[Sentence] = []
        targets: list[Sentence] = []
        for number, pair in enumerate(listed_rows(pairs, "Sentence pairs")):
            if isinstance(pair, str) or not hasattr(pair, "__len__") or len(pair) != 2:
                raise TypeError(f"A sentence pair is a source and a target sentence. Pair {number} is not.")
            sources.append(pair[0])
            targets.append(pair[1])
        return cls(TextSide.of(sources), TextSide.of(targets))

    def __len__(self) -> int:
        return len(self.source)

    def __getitem__(self, s: int) -> tuple[list[str], list[str]]:
        return self.source[s], self.target[s]

    def __iter__(self) -> Iterator[tuple[list[str], list[str]]]:
        return (self[s] for s in range(len(self)))

    def part(self, begin: int, end: int) -> ParallelText:
        """Some of the pairs."""
        return ParallelText(self.source.part(begin, end), self.target.part(begin, end))

    def bounds(self, n_links: int = 1 << 22) -> Iterator[tuple[int, int]]:
        """Cut the pairs into pieces with a bounded number of possible links, or of one pair."""
        sums = np.cumsum(np.diff(self.source.offsets) * np.diff(self.target.offsets))
        begin = 0
        while begin < len(self):
            done = int(sums[begin - 1]) if begin else 0
            end = max(int(np.searchsorted(sums, done + n_links, side="right")), begin + 1)
            yield begin, end
            begin = end


def read_pairs(
    source: Source, target: Source | None = None, *, format: PairFormat | str | None = None
) -> ParallelText:
    """Sentence pairs of two files, line by line, or of one file.

    format: of one file, `tsv` or `bars`; None is what most lines look like. FormatError for files of different
    length, for a line without two parts, and for what is not UTF-8.
    """
    if target is not None:
        if format is not None:
            raise ValueError("A format is for pairs in one file: two files have a sentence on each line.")
        sides = [parse_side(read_bytes(path), path=display_name(path)) for path in (source, target)]
        check_lengths(len(sides[0]), len(sides[1]), display_name(source), display_name(target))
        return ParallelText(*sides)
    return parse_pairs(read_bytes(source), format, path=display_name(source))


def check_lengths(n_source: int, n_target: int, source: str, target: str) -> None:
    """FormatError if two files have not as many lines."""
    if n_source != n_target:
        raise FormatError(
            f"{counted(n_source, 'line')}, but {target} has {n_target:,}: line k of one must be the "
            "translation of "
            "line k of the other",
            path=source,
        )


def parse_side(data: bytes, *, path: str | None = None, lines_before: int = 0) -> TextSide:
    """The sentences of a text, one on each line."""
    _check_utf8(data, path, lines_before)
    return TextSide(*_native.read_side(data))


def parse_pairs(
    data: bytes, format: PairFormat | str | None = None, *, path: str | None = None, lines_before: int = 0
) -> ParallelText:
    """The sentence pairs of a text, one on each line.

    >>> parse_pairs(b"the house ||| das Haus\\n\\n")[0]
    (['the', 'house'], ['das', 'Haus'])
    """
    _check_utf8(data, path, lines_before)
    chosen = PairFormat(format) if format is not None else guess_pair_format(data, path=path)
    source, target, line, parts = _native.read_pairs(data, chosen is PairFormat.bars)
    if line:
        what = "|||" if chosen is PairFormat.bars else "tabs"
        raise FormatError(
            f"{parts} part{'' if parts == 1 else 's'} between {what}; a line must have two, the source and the "
            "target sentence",
            path=path,
            line=line + lines_before,
        )
    return ParallelText(TextSide(*source), TextSide(*target))


def guess_pair_format(data: bytes, *, path: str | None = None) -> PairFormat:
    """What most lines look like; tabs if they have both."""
    lines, tabs, bars = _native.count_separators(data)
    if lines and not tabs and not bars:
        raise FormatError(
            "no line has two sentences with a tab or ||| between them: write them so, or give two files",
            path=path,
        )
    return PairFormat.bars if bars > tabs else PairFormat.tsv


def words_of(sentence: Sentence) -> Sequence[str]:
    """The words of a sentence: a string is cut at white space of ASCII."""
    if isinstance(sentence, str):
        return _WORD.findall(sentence)
    return sentence if isinstance(sentence, list | tuple) else list(sentence)


def _check_utf8(data: bytes, path: str | None, lines_before: int) -> None:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1 + lines_before
        raise FormatError("a byte that is not UTF-8", path=path, line=line) from None
