"""Tokens from files, for taggers: whole for training, in batches for prediction.

The format is named, or follows from the suffix or the content: CoNLL-U, columns, and for prediction anything else
is running text, which is cut into sentences and tokens.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from typing import Any

from palmette import _native
from palmette.errors import FormatError
from palmette.formats.batches import Batch, Unit
from palmette.formats.columns import parse_columns
from palmette.formats.conllu import parse_conllu, parse_words
from palmette.formats.corpus import Corpus
from palmette.formats.files import Source, display_name, read_bytes
from palmette.formats.guess import guess_format
from palmette.formats.reading import Reading, decoded
from palmette.formats.registry import format_of_name
from palmette.tools.text.tokenizer import Tokenizer


class InputFormat(StrEnum):
    """What a tagger reads."""

    conllu = "conllu"
    columns = "columns"
    text = "text"


@dataclass(frozen=True, eq=False)
class TokenBatch:
    """Some sentences of a file: their format, the separator of columns, and the bytes they came from.

    words_only: of CoNLL-U only those columns were read that were asked for.
    """

    corpus: Corpus
    format: InputFormat
    separator: str
    data: bytes
    words_only: bool = False


def read_tokens(
    source: Source, named: InputFormat | None = None, *, option: bool = True
) -> tuple[Corpus, bytes]:
    """All sentences of a token file with labels, and its bytes. option: whether the command has --format."""
    path = display_name(source)
    if named is InputFormat.text:
        raise ValueError(f"{path}: text has no labels; use conllu or columns")
    data = read_bytes(source)
    format = named or _told(source, data)
    if format is None:
        if not data.strip():
            raise FormatError("the file is empty", path=path)
        advice = (
            "specify it with --format conllu or --format columns" if option else "expected CoNLL-U or columns"
        )
        raise ValueError(f"cannot detect the format of {path}{_uneven(data)}; {advice}")
    parse = parse_conllu if format is InputFormat.conllu else parse_columns
    return parse(data, path=path), data


class TokenReader:
    """A file batch by batch; none of an empty one. `format` is known once the first batch is there.

    language: that of the tokenizer, for text; lines: a line of text is a paragraph, as it always is with line
    buffering; reading: how bytes are read. `columns` may be set to those of CoNLL-U that are needed, so that the
    others are not read.
    """

    columns: Collection[str] | None = None

    def __init__(
        self,
        source: Source,
        named: InputFormat | None = None,
        *,
        language: str = "en",
        lines: bool = False,
        size: int | None = None,
        reading: Reading | None = None,
    ) -> None:
        self.source, self.path = source, display_name(source)
        self.format = named
        self._reading = Reading() if reading is None else reading
        self._cutting = (language, lines or self._reading.line_buffered)
        self._size = size
        self._separator = "\t"
        self._names: tuple[str, ...] | None = None

    def __iter__(self) -> Iterator[TokenBatch]:
        found = self._reading.batches(self.source, self._size, unit=self.decide)
        first = next(found, None)
        return self.of(chain([] if first is None else [first], found))

    def of(self, pieces: Iterable[Batch]) -> Iterator[TokenBatch]:
        """The sentences of pieces of a file whose format is decided."""
        if self.format is InputFormat.text:
            language, lines = self._cutting
            texts = (decoded(piece.data, self.path, piece.lines_before) for piece in pieces)
            for corpus in Tokenizer(language, lines=lines).corpora(texts):
                if len(corpus):
                    self.check_lengths(corpus)
                    yield TokenBatch(corpus, InputFormat.text, self._separator, b"")
            return
        for piece in pieces:
            if piece.data[:100].strip() or piece.data.strip():
                yield self._parsed(piece)

    def check_lengths(self, corpus: Corpus) -> None:
        """Raise ValueError if a sentence is longer than it may be."""
        if self._reading.longest is not None and len(corpus):
            self._reading.check_length(int((corpus.offsets[1:] - corpus.offsets[:-1]).max()))

    def decide(self, start: bytes) -> Unit:
        """Find out the format from the beginning of the file, and what the file is made of."""
        if self.format is None:
            told = _told(self.source, start)
            prose = format_of_name(self.source) is None and told is InputFormat.columns and _is_prose(start)
            self.format = InputFormat.text if told is None or prose else told
        return Unit.text if self.format is InputFormat.text else Unit.sentence

    def _parsed(self, batch: Batch) -> TokenBatch:
        assert self.format is not None
        with lines_from(batch.lines_before):
            corpus = self._corpus(batch.data)
        self.check_lengths(corpus)
        words_only = self.format is InputFormat.conllu and self.columns is not None
        return TokenBatch(corpus, self.format, self._separator, batch.data, words_only)

    def _corpus(self, data: bytes) -> Corpus:
        if self.format is InputFormat.conllu:
            if self.columns is not None:
                return parse_words(data, self.columns, path=self.path)
            return parse_conllu(data, path=self.path)
        if self._names is None:
            self._separator = _native.detect_separator(data)
        corpus = parse_columns(data, separator=self._separator, names=self._names, path=self.path)
        self._names = corpus.names
        return corpus


def _uneven(data: bytes) -> str:
    """The first line that has another number of columns than those before, if the file may have columns."""
    try:
        parse_columns(data)
    except FormatError as error:
        return "" if error.line is None else f" (line {error.line:,}: {error.message})"
    return ""


def _told(source: Source, data: bytes) -> InputFormat | None:
    """The format that the suffix or the content speaks for."""
    format = format_of_name(source) or guess_format(data)
    if format is None:
        return None
    if format.holds == "trees":
        raise ValueError(
            f"{display_name(source)} holds trees ({format.name}), but tokens are expected: "
            "convert it with palmette convert, or specify another --format"
        )
    if format.name not in set(InputFormat):
        raise ValueError(
            f"{display_name(source)} is in the format {format.name}: convert it to CoNLL-U or columns with "
            "palmette convert"
        )
    return InputFormat(format.name)


def _is_prose(start: bytes) -> bool:
    """Whether what might be columns is rather text: without tabs, and every paragraph is one line."""
    blocks = [block for block in start.replace(b"\r", b"").split(b"\n\n") if block.strip()]
    return b"\t" not in start and all(b"\n" not in block.strip() for block in blocks)


@contextmanager
def lines_from(before: int) -> Iterator[None]:
    """Errors inside count lines from the beginning of the file."""
    try:
        yield
    except FormatError as error:
        if error.line is None or not before:
            raise
        raise FormatError(error.message, path=error.path, line=error.line + before) from None


def language_of(training: Mapping[str, Any], named: str | None) -> str:
    """The language of text: as named, or as the model was told in training, or English."""
    known = training.get("language")
    return named or (known if isinstance(known, str) and known else "en")
