"""Sentences whose words have senses, as users give them and as files hold them.

Files: lines of form, lemma, part of speech and senses (several between |, _ for none) with an empty line after
each sentence, and comments `# doc=…` or `# sent=document.sentence`; or, with a header, the lexical sample:
word, id, sense, head_index, tokens, pos.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

from palmette.errors import FormatError
from palmette.formats.batches import Unit
from palmette.formats.files import Source, display_name, read_text
from palmette.formats.given import listed_rows
from palmette.formats.reading import Reading, decoded
from palmette.messages import counted
from palmette.tools.senses.inventory import Word, part_of_speech
from palmette.tools.text.tokenizer import Tokenizer

_SAMPLE = ["word", "id", "sense", "head_index", "tokens", "pos"]
_DOCUMENT = re.compile(r"#.*?\b(?:doc|sent)\s*=\s*([^\s.]+)")


_TAGS = frozenset("ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split())


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
    """Return sentences as users give them: text, or lists of tokens, tuples of form, lemma and part of speech.

    TypeError if X is one sentence, in place of a list of them.
    """
    rows = listed_rows(X, "Sentences")
    if isinstance(X, SenseSentence) or (rows and all(_is_token(row) for row in rows)):
        raise TypeError(
            f"There must be a list of sentences. Got one sentence, which begins with {rows[0]!r:.60}: write it in "
            "brackets, [sentence]."
        )
    return [_sentence(row, i) for i, row in enumerate(rows, 1)]


def _is_token(row: Any) -> bool:
    """Whether this is (form, lemma, part of speech) rather than three words: the last is written as tags are."""
    return isinstance(row, Token) or (
        isinstance(row, tuple)
        and len(row) == 3
        and all(isinstance(one, str) for one in row)
        and row[2] in _TAGS
    )


def _sentence(row: Any, number: int) -> SenseSentence:
    if isinstance(row, SenseSentence):
        return row
    if isinstance(row, str):
        return SenseSentence(tuple(Token(form) for form in row.split()))
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
        f"Sentence {number} must be text, or a list of tokens: forms, or tuples of form, lemma, part of speech. "
        f"Got {type(row).__name__} {row!r:.60}."
    )


def as_senses(y: Any, sentences: Sequence[SenseSentence]) -> list[list[tuple[str, ...]]]:
    """Return the senses of every token: None, a sense, or several between |."""
    rows = listed_rows(y, "Senses")
    if len(rows) != len(sentences):
        raise ValueError(f"There must be senses for every sentence. Got {len(rows)} for {len(sentences)}.")
    for i, (row, sentence) in enumerate(zip(rows, sentences), 1):
        if isinstance(row, str) or len(row) != len(sentence.tokens):
            raise ValueError(
                f"Sentence {i} has {counted(len(sentence.tokens), 'token')} and senses for {len(row)}."
            )
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
    sample = lines[0].rstrip("\r").split("\t") == _SAMPLE
    pairs = list(_sample(lines[1:], path) if sample else _all_words(lines, path))
    found = Tagged([sentence for sentence, _ in pairs], [senses for _, senses in pairs])
    if not found.sentences and not empty:
        raise FormatError("expected sentences; the file has none", path=path)
    return found


def sentences_of(source: Source, reading: Reading, language: str = "en") -> Iterator[SenseSentence]:
    """Yield the sentences of a file without their senses, as it is read.

    A file whose first line has no tab is text, which is cut into sentences and words.
    """
    path = display_name(source)
    kind: list[str] = []

    def unit(start: bytes) -> Unit:
        first = next(
            (line for line in start.split(b"\n") if line.strip() and not line.startswith(b"# ")), b""
        )
        sample = first.rstrip(b"\r").split(b"\t") == [name.encode() for name in _SAMPLE]
        kind.append("sample" if sample else "rows" if b"\t" in first else "text")
        return {"sample": Unit.line, "rows": Unit.sentence, "text": Unit.text}[kind[0]]

    parts = (
        (decoded(part.data, path, part.lines_before), part.lines_before)
        for part in reading.batches(source, unit=unit)
    )
    first = next(parts, None)
    if first is None:
        return
    every = chain([first], parts)
    if kind[0] == "text":
        for corpus in Tokenizer(language).corpora(text for text, _ in every):
            for sentence in corpus:
                yield SenseSentence(tuple(Token(form) for form in sentence["form"]))
        return
    document = ""
    for text, before in every:
        lines = text.split("\n")
        if kind[0] == "sample":
            header = 0 if before else 1
            yield from (one for one, _ in _sample(lines[header:], path, before + header + 1))
            continue
        for found, _ in _all_words(lines, path, before + 1, document):
            document = found.document
            yield found


class Chunk(NamedTuple):
    """Sentences that are answered together; those before `first` and from `last` on are there as neighbours."""

    sentences: list[SenseSentence]
    first: int
    last: int


def chunks(
    sentences: Iterable[SenseSentence], *, size: int, window: int, whole: bool = False
) -> Iterator[Chunk]:
    """Yield sentences some at a time, with their neighbours of the same document; whole: documents are not cut.

    >>> [chunk[1:] for chunk in chunks([SenseSentence((), "a")] * 5, size=2, window=1)]
    [(0, 2), (1, 3), (1, 2)]
    """
    held: list[SenseSentence] = []
    first = 0
    for sentence in sentences:
        ends = bool(held) and (not sentence.document or sentence.document != held[-1].document)
        if whole and ends and len(held) >= size:
            yield Chunk(held, 0, len(held))
            held = []
        held.append(sentence)
        last = len(held) - (window if sentence.document else 0)
        if not whole and last - first >= size:
            yield Chunk(held, first, last)
            kept = max(0, last - window)
            held, first = held[kept:], last - kept
    if first < len(held):
        yield Chunk(held, first, len(held))


def _text(source: Source, reading: Reading) -> str:
    """The text of a file without what `reading` replaces or skips: sentences, or the lines of a sample."""

    def unit(start: bytes) -> Unit:
        return Unit.line if start.startswith("\t".join(_SAMPLE).encode()) else Unit.sentence

    path = display_name(source)
    return "".join(decoded(part.data, path, part.lines_before) for part in reading.batches(source, unit=unit))


def _all_words(
    lines: Iterable[str], path: str, first: int = 1, document: str = ""
) -> Iterator[tuple[SenseSentence, list[tuple[str, ...]]]]:
    tokens: list[Token] = []
    senses: list[tuple[str, ...]] = []
    for number, given in enumerate([*lines, ""], first):
        line = given.rstrip("\r")
        if line.startswith("# "):
            found = _DOCUMENT.match(line)
            document = found[1] if found else document
        elif line.strip():
            row = line.split("\t")
            if len(row) not in (3, 4) or not row[0]:
                raise FormatError(
                    f"expected form, lemma, part of speech and senses; got {counted(len(row), 'column')}",
                    path=path,
                    line=number,
                )
            tokens.append(Token(row[0], "" if row[1] == "_" else row[1], row[2]))
            senses.append(() if len(row) == 3 or row[3] in ("_", "") else tuple(row[3].split("|")))
        elif tokens:
            yield SenseSentence(tuple(tokens), document), senses
            tokens, senses = [], []


def _sample(
    lines: Iterable[str], path: str, first: int = 2
) -> Iterator[tuple[SenseSentence, list[tuple[str, ...]]]]:
    for number, line in enumerate(lines, first):
        if not line.strip():
            continue
        row = line.rstrip("\r").split("\t")
        if len(row) != len(_SAMPLE):
            raise FormatError(
                f"expected {counted(len(_SAMPLE), 'column')}; got {len(row)}", path=path, line=number
            )
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
