"""Raw text to sentences of tokens, by rules, for languages that write spaces between words.

    text ──empty lines──▶ paragraphs ──white space──▶ chunks ──token_rules──▶ tokens ──sentence_rules──▶ sentences

Most chunks of a text have been seen before, so what the rules say of a chunk is kept: a token costs a look-up.
A token knows its place: `text[token.begin : token.end] == token.text`; between tokens there is only white space.
The conventions of English are those of the UD English Web Treebank: clitics are tokens (`do n't`), hyphens too
(`well - known`, but `e-mail`, `non-profit`). O(length of the text), a paragraph at a time in memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np

from palmette.formats.column import Column
from palmette.formats.corpus import Corpus, SentenceLines
from palmette.tools.text.languages import LANGUAGES
from palmette.tools.text.segmented import Segmented, segment
from palmette.tools.text.sentence_rules import Chunk, SentenceRules
from palmette.tools.text.token_rules import Rules

_CHUNK = re.compile(r"\S+")
_EMPTY_LINE = re.compile(r"\n[^\S\n]*\n")
_LINE_END = re.compile("\n")
_ENDS_PARAGRAPH = re.compile(r"\n[^\S\n]*\n\s*\Z")
_ENDS_LINE = re.compile(r"\n\s*\Z")
_LONGEST_HELD = 1 << 14  # characters of a sentence that waits for the next piece
_CACHED_CHUNKS = 100_000
_LONGEST_CACHED = 40


class Token(NamedTuple):
    """A token and its place in the text. At the end of the text, `space_after` is True as after a space."""

    text: str
    begin: int
    end: int
    space_after: bool


class _Piece(NamedTuple):
    """Sentences of a piece of text: `text` begins at `base`, and all of it belongs to these sentences.

    The first sentence has the number `first`; `continued`: its paragraph began earlier.
    """

    text: str
    base: int
    paragraphs: list[list[list[Token]]]
    first: int
    continued: bool


class Tokenizer:
    """Cuts text into sentences of tokens.

    `language` is one of en, de, fr, es, nl, it, tr; any other code gets the rules that hold for most languages.
    Empty lines end a paragraph and so a sentence; with `lines=True` every line end does.

    >>> [[token.text for token in sentence] for sentence in Tokenizer().sentences("Don't go. Mr. Wu left!")]
    [['Do', "n't", 'go', '.'], ['Mr.', 'Wu', 'left', '!']]
    """

    def __init__(self, language: str = "en", *, lines: bool = False) -> None:
        if not isinstance(language, str) or not language:
            raise ValueError(f"The language must be a code like 'en' or 'generic'. Got {language!r} instead.")
        self.language = language
        self.lines = lines
        code = re.split("[-_]", language.lower())[0]
        data = LANGUAGES.get(code, LANGUAGES["generic"])
        self._rules = SentenceRules(data, Rules(data))
        self._cache: dict[str, Chunk] = {}

    def __repr__(self) -> str:
        return f"Tokenizer({self.language!r}{', lines=True' if self.lines else ''})"

    def __reduce__(self) -> tuple[object, ...]:
        return _make, (self.language, self.lines)

    @property
    def probabilities_from(self) -> None:
        """None: rules have no probabilities."""

    def sentences(self, text: str | Iterable[str]) -> Iterator[list[Token]]:
        """The sentences of a text: a string, or an iterable of lines with their ends, such as an open file."""
        return chain.from_iterable(self.paragraphs(text))

    def paragraphs(self, text: str | Iterable[str]) -> Iterator[list[list[Token]]]:
        """The sentences of each paragraph."""
        for base, paragraph in self._paragraphs(text):
            if sentences := self._paragraph(paragraph, base):
                yield sentences

    def corpus(self, text: str | Iterable[str], *, first: int = 1) -> Corpus:
        """The text as a corpus with the columns form and misc, and comments with the text of each sentence.

        Sentences are numbered from `first`.

        >>> Tokenizer().corpus("Time flies.")[0].words()
        [Word(form='Time', misc='_'), Word(form='flies', misc='SpaceAfter=No'), Word(form='.', misc='_')]
        """
        return _corpus(list(self.paragraphs(text)), first)

    def corpora(self, pieces: Iterable[str]) -> Iterator[Corpus]:
        """A text that comes in pieces as corpora, whose sentences are those of the whole text.

        Pieces may end at any white space. The last sentence of a piece waits for the next piece, unless its
        paragraph ends there or it is very long.
        """
        for piece in self._stream(pieces):
            yield _corpus(piece.paragraphs, piece.first, continued=piece.continued)

    def segmented(self, pieces: Iterable[str], *, probabilities: bool = False) -> Iterator[Segmented]:
        """The sentences of `corpora` with the places of their tokens, and all white space in MISC.

        probabilities: rules have none, so it must be False.

        >>> next(Tokenizer().segmented(["Time flies."])).begins.tolist()
        [0, 5, 10]
        """
        if probabilities:
            raise ValueError("Rules cut the text: there are no probabilities of tokens.")
        for piece in self._stream(pieces):
            sentences = list(chain.from_iterable(piece.paragraphs))
            tokens = list(chain.from_iterable(sentences))
            heads = [k == 0 for paragraph in piece.paragraphs for k in range(len(paragraph))]
            heads[0] = not piece.continued
            yield segment(
                piece.text,
                [token.begin for token in tokens],
                [token.end for token in tokens],
                np.cumsum([0, *map(len, sentences)]),
                base=piece.base,
                first=piece.first,
                paragraphs=heads,
            )

    def _stream(self, pieces: Iterable[str]) -> Iterator[_Piece]:
        """Sentences of a text that comes in pieces."""
        held, first, continued, base = "", 1, False, 0
        for piece in pieces:
            text = held + piece
            held, after = "", False
            paragraphs = list(self.paragraphs(text))
            if paragraphs and not (_ENDS_LINE if self.lines else _ENDS_PARAGRAPH).search(text):
                last = paragraphs[-1]
                after = len(last) > 1 or (continued and len(paragraphs) == 1)
                if len(text) - last[-1][0].begin <= _LONGEST_HELD:
                    held = text[last.pop()[0].begin :]
                else:
                    after = True
            if not any(paragraphs):
                held, after = text[-2 * _LONGEST_HELD :], after or (continued and not held)
            done = len(text) - len(held)
            if done and any(paragraphs):
                yield _Piece(text[:done], base, [one for one in paragraphs if one], first, continued)
            base += done
            first += sum(map(len, paragraphs))
            continued = after
        if paragraphs := list(self.paragraphs(held)):
            yield _Piece(held, base, paragraphs, first, continued)

    def _paragraphs(self, text: str | Iterable[str]) -> Iterator[tuple[int, str]]:
        """Each paragraph with the place of its first character."""
        if isinstance(text, str):
            begin = 0
            for match in (_LINE_END if self.lines else _EMPTY_LINE).finditer(text):
                yield begin, text[begin : match.start()]
                begin = match.end()
            yield begin, text[begin:]
            return
        held: list[str] = []
        base = place = 0
        for line in text:
            if held and (self.lines or not line.strip()):
                yield base, "".join(held)
                held = []
            if line.strip():
                base = base if held else place
                held.append(line)
            place += len(line)
        if held:
            yield base, "".join(held)

    def _paragraph(self, text: str, base: int) -> list[list[Token]]:
        chunks: list[Chunk] = []
        begins: list[int] = []
        cache, describe = self._cache, self._rules.describe
        for match in _CHUNK.finditer(text):
            piece = match.group()
            chunk = cache.get(piece)
            if chunk is None:
                chunk = describe(piece)
                if len(piece) <= _LONGEST_CACHED:
                    if len(cache) >= _CACHED_CHUNKS:
                        cache.clear()
                    cache[piece] = chunk
            chunks.append(chunk)
            begins.append(base + match.start())
        return self._assembled(chunks, begins)

    def _assembled(self, chunks: list[Chunk], begins: list[int]) -> list[list[Token]]:
        sentences: list[list[Token]] = []
        sentence: list[Token] = []
        rules, last = self._rules, len(chunks) - 1
        mail_at = -1  # the time of a mail, after which its text begins
        for i, (chunk, place) in enumerate(zip(chunks, begins)):
            if chunk.special:
                chunk = rules.resolved(chunk, chunks[i + 1] if i < last else None)
            if chunk.dated and i < last and rules.begins_mail(chunk, chunks[i + 1]):
                mail_at = i + 2
                if sentence and not sentence[-1].text[0].islower():
                    sentences.append(sentence)
                    sentence = []
            pieces = chunk.pieces
            if len(pieces) == 1:
                text = pieces[0]
                sentence.append(Token(text, place, place + len(text), True))
            else:
                final = len(pieces) - 1
                for k, text in enumerate(pieces):
                    sentence.append(Token(text, place, place + len(text), k == final))
                    place += len(text)
                    if k in chunk.cuts:
                        sentences.append(sentence)
                        sentence = []
            if i == last:
                break
            ends = chunk.ends[chunks[i + 1].beginning] or (i == mail_at and pieces[0] in ("AM", "PM"))
            if ends and not (chunk.number and len(sentence) == len(pieces)):
                sentences.append(sentence)
                sentence = []
        if sentence:
            sentences.append(sentence)
        return sentences


def _corpus(paragraphs: list[list[list[Token]]], first: int, *, continued: bool = False) -> Corpus:
    """The corpus of paragraphs; continued: the first of them began earlier."""
    forms: list[str] = []
    glued: list[bool] = []
    offsets, comments, counts = [0], [], [0]
    for number, paragraph in enumerate(paragraphs):
        mark = [] if continued and number == 0 else ["# newpar"]
        for sentence in paragraph:
            forms += [token.text for token in sentence]
            glued += [not token.space_after for token in sentence]
            offsets.append(len(forms))
            comments += [
                *mark,
                f"# sent_id = {len(offsets) - 2 + first}",
                f"# text = {detokenize(sentence)}",
            ]
            counts.append(len(comments))
            mark = []
    misc = Column(np.array(glued, dtype=np.int32), ["_", "SpaceAfter=No"])
    columns = {"form": Column.of(forms), "misc": misc}
    lines = SentenceLines(np.array(counts, dtype=np.int64), comments)
    return Corpus(columns, offsets, comments=lines)


def detokenize(tokens: Iterable[Token]) -> str:
    """The text of a sentence, with one space where there was white space.

    >>> detokenize(next(Tokenizer().sentences("Time\\nflies.")))
    'Time flies.'
    """
    return "".join(token.text + " " * token.space_after for token in tokens).rstrip(" ")


def _make(language: str, lines: bool) -> Tokenizer:
    return Tokenizer(language, lines=lines)
