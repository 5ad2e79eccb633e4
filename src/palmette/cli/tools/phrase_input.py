"""Sentences for a constituency parser, from files of tokens, of text or of trees, some at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from palmette.cli.tools.phrase_options import PhraseInput
from palmette.cli.tools.sequence_input import InputFormat, TokenReader
from palmette.formats.batches import batches
from palmette.formats.corpus import Corpus
from palmette.formats.errors import FormatError
from palmette.formats.files import display_name, is_standard, read_bytes
from palmette.formats.guess import guess_format
from palmette.formats.registry import Format, format_named, format_of_name
from palmette.tools.constituency.input import parse_trees, words_of
from palmette.tools.constituency.known_brackets import constraints_of
from palmette.tools.constituency.model import Constraints
from palmette.tools.constituency.treebank import clean_trees
from palmette.tools.tokenizer import Tokenizer
from palmette.trees import Tree

_AT_ONCE = 500  # sentences
_TAGS = ("xpos", "upos")
_TREES = (PhraseInput.brackets, PhraseInput.discbracket, PhraseInput.export)


@dataclass(frozen=True)
class Given:
    """Some sentences, with the tags and the brackets that the input has, if they were asked for."""

    sentences: list[list[str]]
    tags: list[list[str]] | None = None
    constraints: list[Constraints] | None = None


@dataclass(frozen=True)
class PhraseReader:
    """A file some sentences at a time. tags, brackets: what is to be kept of the input."""

    source: str
    named: PhraseInput | None = None
    language: str = "en"
    lines: bool = False
    tags: bool = False
    brackets: bool = False

    def __iter__(self) -> Iterator[Given]:
        if self.named is PhraseInput.tokens:
            return self._of_lines()
        if self.named in _TREES:
            assert self.named is not None
            return self._of_trees(read_bytes(self.source), format_named(self.named.value))
        format = self._told()
        if format is not None and format.holds == "trees":
            return self._of_trees(read_bytes(self.source), format)
        if self.brackets:
            raise ValueError(f"{display_name(self.source)}: --keep-brackets is for input in brackets")
        return self._of_tokens()

    def _told(self) -> Format | None:
        """The format that the name of the file, or the content of one with another name, speaks for."""
        named = format_of_name(self.source)
        if self.named is not None or named is not None or is_standard(self.source):
            return named if self.named is None else None
        if not Path(self.source).is_file():
            return None  # the reader says what is wrong
        first = next(iter(batches(self.source, is_text=lambda start: True)), None)
        return None if first is None else guess_format(first.data)

    def _of_tokens(self) -> Iterator[Given]:
        if is_standard(self.source) and self.named is None:
            yield from self._of_standard_input()
            return
        named = None if self.named is None else InputFormat(self.named.value)
        for batch in TokenReader(self.source, named, language=self.language, lines=self.lines):
            yield from self._of_corpus(batch.corpus)

    def _of_standard_input(self) -> Iterator[Given]:
        """All of it is read, since trees on many lines cannot be cut without reading them."""
        data = read_bytes(self.source)
        format = guess_format(data)
        if format is not None and format.holds == "trees":
            yield from self._of_trees(data, format)
        elif self.brackets:
            raise ValueError("--keep-brackets is for input in brackets")
        elif format is not None:
            corpus = format.parse(data, path=display_name(self.source))
            assert isinstance(corpus, Corpus)
            yield from self._of_corpus(corpus)
        else:
            yield from self._of_corpus(Tokenizer(self.language, lines=self.lines).corpus(_text(data)))

    def _of_corpus(self, corpus: Corpus) -> Iterator[Given]:
        column = next((name for name in _TAGS if name in corpus.names and _filled(corpus, name)), None)
        if self.tags and column is None:
            raise ValueError(f"{display_name(self.source)}: there are no tags to keep")
        for at in range(0, len(corpus), _AT_ONCE):
            part = corpus.select(list(range(at, min(at + _AT_ONCE, len(corpus)))))
            words = words_of(part, column if self.tags else None)
            yield Given(words.sentences, words.tags)

    def _of_trees(self, data: bytes, format: Format) -> Iterator[Given]:
        trees = clean_trees(parse_trees(data, self.source, format=format))
        for at in range(0, len(trees), _AT_ONCE):
            part = trees[at : at + _AT_ONCE]
            yield Given(
                [[] if tree is None else tree.words for tree in part],
                [[] if tree is None else tree.tags for tree in part] if self.tags else None,
                [_constraints(tree) for tree in part] if self.brackets else None,
            )

    def _of_lines(self) -> Iterator[Given]:
        """A sentence on each line, cut at white space; an empty line is an empty sentence."""
        if self.tags or self.brackets:
            raise ValueError(
                "--keep-tags and --keep-brackets are for input that has them, and tokens have not"
            )
        lines = _text(read_bytes(self.source), display_name(self.source)).split("\n")
        if lines and not lines[-1]:
            lines.pop()
        for at in range(0, len(lines), _AT_ONCE):
            yield Given([line.split() for line in lines[at : at + _AT_ONCE]])


def _constraints(tree: Tree | None) -> Constraints:
    return Constraints() if tree is None else constraints_of(tree)


def _filled(corpus: Corpus, name: str) -> bool:
    return any(value not in ("_", "") for value in corpus.column(name).strings)


def _text(data: bytes, path: str | None = None) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FormatError(f"byte {error.start} is not UTF-8", path=path, line=line) from None
