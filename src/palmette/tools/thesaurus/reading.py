"""Sentences for a thesaurus, piece by piece, so that memory stays bounded: of files, corpora, texts and lists.

CoNLL-U keeps its trees. Other files are text, which is cut into sentences, and parsed where trees are wanted.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import Any

from palmette.errors import FormatError
from palmette.formats.batches import Unit, batches
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
    if isinstance(given, Corpus):
        yield parsed(given, parser)
    elif is_path(given):
        yield from _of_file(existing(given, _FILES), language, parser, follow)
    else:
        check_many(given, "Sentences")
        for piece in _pieces(iter(given)):
            if isinstance(piece, str | os.PathLike):
                yield from _of_file(existing(piece, _FILES), language, parser, follow)
            else:
                yield parsed(_of_list(piece, language), parser)


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
    path = display_name(source)
    is_text = False

    def decide(start: bytes) -> Unit:
        nonlocal is_text
        format = format_of_name(source) or guess_format(start)
        if format is not None and format.name == "conllu":
            return Unit.sentence
        if format is not None and format.holds == "trees":
            raise FormatError(
                f"holds trees ({format.name}); expected CoNLL-U or text: palmette convert makes CoNLL-U",
                path=path,
            )
        is_text = True
        return Unit.text

    pieces = batches(source, unit=decide)
    first = next(pieces, None)
    if first is None:
        return
    told = _told(chain([first], pieces), follow)
    if is_text:
        texts = (decoded(piece.data, path, piece.lines_before) for piece in told)
        for number, corpus in enumerate(Tokenizer(language).corpora(texts)):
            if not number:
                _check_spaces(corpus)
            if len(corpus):
                yield parsed(corpus, parser)
        return
    for piece in told:
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
