"""Sentences whose words have senses, as users give them and as files hold them.

Files: lines of form, lemma, part of speech and senses (several between |, _ for none) with an empty line after
each sentence, and comments `# doc=…` or `# sent=document.sentence`; or, with a header, the lexical sample:
word, id, sense, head_index, tokens, pos.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from palmette.errors import FormatError
from palmette.formats.batches import Unit
from palmette.formats.files import Source, display_name, read_text
from palmette.formats.given import listed_rows
from palmette.formats.reading import Reading, decoded
from palmette.tools.senses.inventory import Word, part_of_speech

_SAMPLE = ["word", "id", "sense", "head_index", "tokens", "pos"]
_DOCUMENT = re.compile(r"#.*?\b(?:doc|sent)\s*=\s*([^\s.]+)")


class Token(NamedTuple):
    """A word of a sentence. unit: the word whose senses are meant, if it is not the lemma with its part of
    speech."""

    form: str
    lemma: str = ""
    pos: str = ""
    unit: str = ""

    def word(self, lemma: str) -> Word:
        """Return the word whose senses are meant; lemma: where the token has none."""
        return (self.unit, "") if self.unit else ((self.lemma or lemma).lower(), part_of_speech(self.pos))


class SenseSentence(NamedTuple):
    """The tokens of a sentence, and the name of its document."""

    tokens: tuple[Token, ...]
    document: str = ""


class Tagged(NamedTuple):
    """Sentences, and for every token its right senses, which may be none."""

    sentences: list[SenseSentence]
    senses: list[list[tuple[str, ...]]]


def as_sentences(X: Any) -> list[SenseSentence]:
    """Return sentences as users give them: lists of tokens, which are tuples of form, lemma and part of speech."""
    return [_sentence(row, i) for i, row in enumerate(listed_rows(X, "Sentences"), 1)]


def _sentence(row: Any, number: int) -> SenseSentence:
    if isinstance(row, SenseSentence):
        return row
    if isinstance(row, list | tuple):
        tokens = [
            Token(token)
            if isinstance(token, str)
            else Token(*token)
            if isinstance(token, list | tuple)
            and 1 <= len(token) <= 4
            and all(isinstance(one, str) for one in token)
            else None
            for token in row
        ]
        if None not in tokens:
            return SenseSentence(tuple(token for token in tokens if token is not None))
    raise TypeError(
        f"Sentence {number} must be a list of tokens: forms, or tuples of form, lemma and part of speech. "
        f"Got {type(row).__name__} {row!r:.60}."
    )


def as_senses(y: Any, sentences: Sequence[SenseSentence]) -> list[list[tuple[str, ...]]]:
    """Return the senses of every token: None, a sense, or several between |."""
    rows = listed_rows(y, "Senses")
    if len(rows) != len(sentences):
        raise ValueError(f"There must be senses for every sentence. Got {len(rows)} for {len(sentences)}.")
    for i, (row, sentence) in enumerate(zip(rows, sentences), 1):
        if isinstance(row, str) or len(row) != len(sentence.tokens):
            raise ValueError(f"Sentence {i} has {len(sentence.tokens)} tokens and senses for {len(row)}.")
    return [
        [one if isinstance(one, tuple) else tuple((one or "").split("|") if one else ()) for one in row]
        for row in rows
    ]


def read_tagged(source: Source, *, empty: bool = False, reading: Reading | None = None) -> Tagged:
    """Return the sentences of a file, with their senses; FormatError where a line is not as it should be.

    empty: accept a file without sentences. reading: what to do with bytes that are not UTF-8.
    """
    path = display_name(source)
    lines = (read_text(source) if reading is None else _text(source, reading)).split("\n")
    if lines[0].rstrip("\r").split("\t") == _SAMPLE:
        found = Tagged(*map(list, zip(*_sample(lines[1:], path)))) if any(lines[1:]) else Tagged([], [])
    else:
        found = Tagged(*map(list, zip(*_all_words(lines, path)))) if any(lines) else Tagged([], [])
    if not found.sentences and not empty:
        raise FormatError("expected sentences; the file has none", path=path)
    return found


def _text(source: Source, reading: Reading) -> str:
    """The text of a file without what `reading` replaces or skips: sentences, or the lines of a sample."""

    def unit(start: bytes) -> Unit:
        return Unit.line if start.startswith("\t".join(_SAMPLE).encode()) else Unit.sentence

    path = display_name(source)
    return "".join(decoded(part.data, path, part.lines_before) for part in reading.batches(source, unit=unit))


def _all_words(lines: Iterable[str], path: str) -> Iterator[tuple[SenseSentence, list[tuple[str, ...]]]]:
    document, tokens, senses = "", [], []
    for number, given in enumerate([*lines, ""], 1):
        line = given.rstrip("\r")
        if line.startswith("# "):
            found = _DOCUMENT.match(line)
            document = found[1] if found else document
        elif line.strip():
            row = line.split("\t")
            if len(row) not in (3, 4) or not row[0]:
                raise FormatError(
                    f"expected form, lemma, part of speech and senses; got {len(row)} columns",
                    path=path,
                    line=number,
                )
            tokens.append(Token(row[0], "" if row[1] == "_" else row[1], row[2]))
            senses.append(() if len(row) == 3 or row[3] in ("_", "") else tuple(row[3].split("|")))
        elif tokens:
            yield SenseSentence(tuple(tokens), document), senses
            tokens, senses = [], []


def _sample(lines: Iterable[str], path: str) -> Iterator[tuple[SenseSentence, list[tuple[str, ...]]]]:
    for number, line in enumerate(lines, 2):
        if not line.strip():
            continue
        row = line.rstrip("\r").split("\t")
        if len(row) != len(_SAMPLE):
            raise FormatError(f"expected {len(_SAMPLE)} columns; got {len(row)}", path=path, line=number)
        word, name, sense, head, forms, tags = row
        words, parts = forms.split(" "), tags.split(" ")
        if len(words) != len(parts) or not head.isdigit() or int(head) >= len(words):
            raise FormatError(
                f"expected as many tags as tokens, and a head among them; got {len(words)}, {len(parts)}, {head}",
                path=path,
                line=number,
            )
        tokens = [Token(form, "", tag) for form, tag in zip(words, parts)]
        tokens[int(head)] = Token(words[int(head)], word, parts[int(head)], word)
        senses: list[tuple[str, ...]] = [() for _ in words]
        if sense not in ("", "_"):
            senses[int(head)] = (sense,)
        yield SenseSentence(tuple(tokens), name), senses
