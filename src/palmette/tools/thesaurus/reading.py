"""Sentences for a thesaurus, piece by piece, so that memory stays bounded: of files, corpora, texts and lists.

CoNLL-U keeps its trees. Other files are text, which is cut into sentences, and parsed where trees are wanted.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import Any

from palmette.errors import FormatError
from palmette.formats.batches import Batch, Unit, batches
from palmette.formats.conllu import parse_conllu
from palmette.formats.corpus import Corpus
from palmette.formats.files import Source, display_name
from palmette.formats.given import check_many, existing, is_path
from palmette.formats.guess import guess_format
from palmette.formats.reading import decoded
from palmette.formats.registry import format_of_name
from palmette.formats.sentence import Sentence
from palmette.tools.text.spaces import lacks_spaces
from palmette.tools.text.tokenizer import Tokenizer

_SENTENCES = 5_000  # of a list, at a time
_FILES = "give files, a Corpus, or a list of texts or sentences"


def corpora(
    given: Any,
    language: str,
    parser: Callable[[], Any] | None,
    follow: Callable[[bytes], object] | None = None,
) -> Iterator[Corpus]:
    """Yield the sentences of a path, a list of paths, a Corpus, texts, or lists of words.

    parser: makes a dependency parser for sentences without trees; None: no trees are wanted. follow: gets every
    piece of a file.
    """
    for piece in pieces_of(given, language):
        if isinstance(piece, Corpus):
            yield parsed(piece, parser)
        else:
            yield from _of_file(piece, language, parser, follow)


def pieces_of(given: Any, language: str) -> Iterator[Source | Corpus]:
    """Yield what is given piece by piece: paths of files, and sentences without parsing."""
    if isinstance(given, Corpus):
        yield given
    elif is_path(given):
        yield existing(given, _FILES)
    else:
        check_many(given, "Sentences")
        for piece in _pieces(iter(given)):
            if isinstance(piece, str | os.PathLike):
                yield existing(piece, _FILES)
            else:
                yield _of_list(piece, language)


def parsed(corpus: Corpus, parser: Callable[[], Any] | None) -> Corpus:
    """Return sentences with trees, if trees are wanted and there is a parser."""
    if parser is None or (corpus.heads is not None and (corpus.heads >= 0).any()) or not len(corpus):
        return corpus
    found: Corpus = parser().parse(corpus)
    return found


def _pieces(items: Iterator[Any]) -> Iterator[Any]:
    """Yield paths one by one, and other items in lists of some thousand."""
    for first in items:
        if isinstance(first, os.PathLike):
            yield first
            continue
        yield list(chain([first], islice(items, _SENTENCES - 1)))


def _of_list(items: list[Any], language: str) -> Corpus:
    if all(isinstance(item, str) for item in items):
        corpus = Tokenizer(language, lines=True).corpus("\n".join(items))
        _check_spaces(corpus)
        return corpus
    if all(isinstance(item, Sentence) for item in items):
        columns = {
            name: [list(item[name]) for item in items]
            for name in items[0].corpus.names
            if all(name in item.corpus.names for item in items)
        }
        heads = (
            [item.heads.tolist() for item in items]
            if all(item.corpus.heads is not None for item in items)
            else None
        )
        return Corpus.from_columns(columns, heads=heads)
    rows: list[list[str]] = []
    for number, item in enumerate(items, 1):
        if isinstance(item, str) or not isinstance(item, Iterable):
            raise TypeError(f"Sentence {number} must be a list of words, as others are. Got {item!r:.60}.")
        rows.append(list(item))
        if not all(isinstance(word, str) for word in rows[-1]):
            raise TypeError(f"The words of sentence {number} must be strings. Got {rows[-1]!r:.60}.")
    return Corpus.from_columns({"form": rows})


def _of_file(
    source: Source, language: str, parser: Callable[[], Any] | None, follow: Callable[[bytes], object] | None
) -> Iterator[Corpus]:
    is_text = False

    def decide(start: bytes) -> Unit:
        nonlocal is_text
        is_text = holds_text(source, start)
        return Unit.text if is_text else Unit.sentence

    pieces = batches(source, unit=decide)
    first = next(pieces, None)
    if first is not None:
        told = _told(chain([first], pieces), follow)
        yield from sentences_of(told, display_name(source), is_text, language, parser)


def holds_text(source: Source, start: bytes) -> bool:
    """Whether a file that begins like this is text, and not CoNLL-U; FormatError if it is neither."""
    format = format_of_name(source) or guess_format(start)
    if format is not None and format.name == "conllu":
        return False
    if format is not None and format.holds == "trees":
        raise FormatError(
            f"holds trees ({format.name}); expected CoNLL-U or text: palmette convert makes CoNLL-U",
            path=display_name(source),
        )
    return True


def sentences_of(
    pieces: Iterable[Batch], path: str, is_text: bool, language: str, parser: Callable[[], Any] | None
) -> Iterator[Corpus]:
    """Yield the sentences of the pieces of a file."""
    if is_text:
        texts = (decoded(piece.data, path, piece.lines_before) for piece in pieces)
        for number, corpus in enumerate(Tokenizer(language).corpora(texts)):
            if not number:
                _check_spaces(corpus)
            if len(corpus):
                yield parsed(corpus, parser)
        return
    for piece in pieces:
        if piece.data.strip():
            try:
                yield parsed(parse_conllu(piece.data, path=path), parser)
            except FormatError as error:
                if error.line is None:
                    raise
                line = error.line + piece.lines_before
                raise FormatError(error.message, path=error.path, line=line) from None


def _check_spaces(corpus: Corpus) -> None:
    """Raise ValueError for text of a script without spaces."""
    if len(corpus) and lacks_spaces(corpus.column("form").strings, corpus.n_words, len(corpus)):
        raise ValueError(
            "The text has no spaces between words, so each sentence is one word: put spaces between words, or "
            "give CoNLL-U."
        )


def _told(pieces: Iterable[Any], follow: Callable[[bytes], object] | None) -> Iterator[Any]:
    for piece in pieces:
        yield piece
        if follow is not None:
            follow(piece.data)
