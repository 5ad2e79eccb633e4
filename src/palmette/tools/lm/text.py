"""Text of a language model: a line is a sentence, its words are between white space.

Files (gzipped or not), standard input, and iterables of sentences go to the native reader in pieces of a few
megabytes, so that only numbers of words are kept.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal, TypeAlias

from palmette._native import NgramText
from palmette.errors import FormatError
from palmette.formats.files import Source, display_name, is_standard, opened
from palmette.formats.given import check_many, is_path, listed
from palmette.formats.sentence import Sentence as CorpusSentence

# words between white space, a list of words, or a sentence of a corpus
Sentence: TypeAlias = str | Sequence[str] | CorpusSentence
Text: TypeAlias = Source | Iterable[Sentence]  # a path ("-" is standard input), or the sentences themselves

_PIECE = 1 << 23
_SENTENCES = 10_000
_LINE = re.compile(r"line (\d+): (.*)", re.DOTALL)


def as_line(sentence: Sentence) -> str:
    """A sentence as one line of words."""
    if isinstance(sentence, str):
        return sentence
    if isinstance(sentence, CorpusSentence):
        sentence = sentence["form" if "form" in sentence.corpus.names else 0]
    sentence = listed(sentence, "A sentence")
    line = " ".join(sentence)
    if len(line.split()) != len(sentence):
        wrong = next(word for word in sentence if len(word.split()) != 1)
        raise ValueError(f"{wrong!r} is not a word: words have no white space, and are not empty")
    return line


class TextReader:
    """Reads texts into numbers of words.

    errors: what to do with bytes that are not UTF-8, "strict" or "replace".
    marks: what to do with <s> and </s> in the text, "fail" or "skip".
    """

    def __init__(
        self,
        errors: Literal["strict", "replace"] = "strict",
        marks: Literal["fail", "skip"] = "fail",
        n_jobs: int = 1,
        progress: Callable[[int], object] | None = None,
    ) -> None:
        if errors not in ("strict", "replace"):
            raise ValueError(f"errors must be 'strict' or 'replace', not {errors!r}")
        if marks not in ("fail", "skip"):
            raise ValueError(f"marks must be 'fail' or 'skip', not {marks!r}")
        self.native = NgramText()
        self.replace = errors == "replace"
        self.skip = marks == "skip"
        self._n_jobs = n_jobs
        self._progress = progress
        self._digest = hashlib.sha256()

    @property
    def fingerprint(self) -> str:
        """The SHA-256 of everything read."""
        return self._digest.hexdigest()

    def read(self, text: Text) -> None:
        """Take a text in."""
        ahead, path = False, None
        if is_path(text):
            path, ahead = display_name(text), self._n_jobs > 1 and not is_standard(text)
            if not is_standard(text):
                self.native.expect(Path(text).stat().st_size)
        self._read_pieces(self._taken(_pieces(text), ahead), path)

    def pieces(self, text: Text) -> Iterator[bytes]:
        """The text as bytes of whole lines, for others to read; it goes into the fingerprint."""
        for piece in self._taken(_pieces(text)):
            if self._progress:
                self._progress(len(piece))
            yield piece

    def _read_pieces(self, pieces: Iterable[bytes], path: str | None) -> None:
        lines = self.native.n_lines
        for piece in pieces:
            try:
                self.native.add(self._replaced(piece), self.skip, self._n_jobs)
            except ValueError as error:
                raise located(error, path, -lines) from None
            if self._progress:
                self._progress(len(piece))

    def _taken(self, pieces: Iterator[bytes], ahead: bool = False) -> Iterator[bytes]:
        """The pieces, after they went into the fingerprint; ahead: in a thread of its own, while one is in use."""
        mark = b"\xef\xbb\xbf"

        def take() -> bytes | None:
            nonlocal mark
            piece = next(pieces, None)
            if piece is not None:
                piece, mark = piece.removeprefix(mark), b""
                self._digest.update(piece)
            return piece

        if not ahead:
            yield from iter(take, None)
            return
        with ThreadPoolExecutor(1) as other:
            coming = other.submit(take)
            while (piece := coming.result()) is not None:
                coming = other.submit(take)
                yield piece

    def _replaced(self, piece: bytes) -> bytes:
        """The text as UTF-8, if what is not is to be replaced; otherwise reading it finds the fault."""
        if not self.replace or piece.isascii():
            return piece
        return piece.decode("utf-8", "replace").encode()


def located(error: ValueError, path: str | None, lines_before: int) -> ValueError:
    """An error of the native reader as one of a file, with the line in it; others are as they are."""
    found = _LINE.match(str(error))
    return FormatError(found[2], path=path, line=int(found[1]) + lines_before) if found else error


def _pieces(text: Text) -> Iterator[bytes]:
    return _file_pieces(text) if isinstance(text, str | os.PathLike) else _sentence_pieces(text)


def _file_pieces(source: Source) -> Iterator[bytes]:
    """The content in pieces of whole lines; unpacked if it is gzipped."""
    with opened(source) as file:
        rest, size = b"", _PIECE >> 3  # a small one first, that others do not wait for
        while piece := file.read(size):
            size = _PIECE
            cut = piece.rfind(b"\n") + 1
            if cut:
                yield rest + piece[:cut]
                rest = piece[cut:]
            else:
                rest += piece
        if rest:
            yield rest


def _sentence_pieces(sentences: Iterable[Sentence]) -> Iterator[bytes]:
    lines: list[str] = []
    check_many(sentences, "Sentences")
    for sentence in sentences:
        lines.append(as_line(sentence).replace("\n", " "))
        if len(lines) == _SENTENCES:
            yield _joined(lines)
            lines = []
    if lines:
        yield _joined(lines)


def _joined(lines: list[str]) -> bytes:
    return ("\n".join(lines) + "\n").encode("utf-8", "surrogatepass")
