"""Sentences for a constituency parser, from files of tokens, of text or of trees, some at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain

from palmette.cli.tools.parse.options import PhraseInput
from palmette.cli.tools.sequence.input import InputFormat, TokenReader, lines_from
from palmette.errors import UsageError
from palmette.formats.batches import Batch, Unit
from palmette.formats.corpus import Corpus
from palmette.formats.files import display_name
from palmette.formats.functions import PENN, Functions
from palmette.formats.guess import guess_format
from palmette.formats.reading import Reading
from palmette.formats.registry import Format, format_named, format_of_name
from palmette.tools.constituency.input import parse_trees, words_of
from palmette.tools.constituency.known_brackets import constraints_of
from palmette.tools.constituency.model import Constraints
from palmette.tools.constituency.treebank import clean_trees
from palmette.trees.tree import Tree

_AT_ONCE = 500  # sentences
_TAGS = ("xpos", "upos")
_BRACKETS = ("brackets", "discbracket")
_TREES = (PhraseInput.brackets, PhraseInput.discbracket, PhraseInput.export)


@dataclass(frozen=True)
class Given:
    """Some sentences, with the tags and the brackets that the input has, if they were asked for."""

    sentences: list[list[str]]
    tags: list[list[str]] | None = None
    constraints: list[Constraints] | None = None


@dataclass(frozen=True)
class PhraseReader:
    """A file some sentences at a time. tags, brackets: what is to be kept of the input; reading: how.

    functions, keep_functions: how labels of trees hold functions, and whether the parser has them.
    """

    source: str
    named: PhraseInput | None = None
    language: str = "en"
    lines: bool = False
    tags: bool = False
    brackets: bool = False
    functions: Functions = PENN
    keep_functions: bool = False
    reading: Reading = field(default_factory=Reading)

    def __iter__(self) -> Iterator[Given]:
        if self.named is PhraseInput.tokens:
            return self._of_lines()
        if self.named in _TREES:
            assert self.named is not None
            return self._of_pieces(format_named(self.named.value))
        return self._of_pieces(None)

    def _of_pieces(self, trees: Format | None) -> Iterator[Given]:
        """The sentences of a file piece by piece; trees: the format of the trees, if it is named."""
        named = None if self.named is None or trees is not None else InputFormat(self.named.value)
        tokens = TokenReader(
            self.source, named, language=self.language, lines=self.lines, reading=self.reading
        )

        def decide(start: bytes) -> Unit:
            nonlocal trees
            if trees is None and named is None:
                told = format_of_name(self.source) or guess_format(start)
                trees = told if told is not None and told.holds == "trees" else None
            if trees is None:
                return tokens.decide(start)
            return Unit.tree if trees.name in _BRACKETS else Unit.whole

        found = self.reading.batches(self.source, unit=decide)
        first = next(found, Batch(b"", 0))
        if trees is not None:
            yield from self._of_trees(first, trees)
            for piece in found:
                if piece.data.strip():
                    yield from self._of_trees(piece, trees)
            return
        if self.brackets:
            raise UsageError(f"{display_name(self.source)}: --keep-brackets needs input in brackets")
        for batch in tokens.of(chain([first], found)):
            yield from self._of_corpus(batch.corpus)

    def _of_corpus(self, corpus: Corpus) -> Iterator[Given]:
        column = next((name for name in _TAGS if name in corpus.names and _filled(corpus, name)), None)
        if self.tags and column is None:
            raise UsageError(f"{display_name(self.source)}: --keep-tags needs tags; the input has none")
        for at in range(0, len(corpus), _AT_ONCE):
            part = corpus.select(list(range(at, min(at + _AT_ONCE, len(corpus)))))
            words = words_of(part, column if self.tags else None)
            yield Given(words.sentences, words.tags)

    def _of_trees(self, piece: Batch, format: Format) -> Iterator[Given]:
        with lines_from(piece.lines_before):
            trees = clean_trees(
                parse_trees(piece.data, self.source, format=format),
                functions=self.functions,
                keep_functions=self.keep_functions,
            )
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
            raise UsageError(
                "--keep-tags and --keep-brackets need input with tags or brackets; the format tokens has neither"
            )
        for lines, _ in self.reading.lines(self.source):
            for at in range(0, len(lines), _AT_ONCE):
                yield Given([line.split() for line in lines[at : at + _AT_ONCE]])


def _constraints(tree: Tree | None) -> Constraints:
    return Constraints() if tree is None else constraints_of(tree)


def _filled(corpus: Corpus, name: str) -> bool:
    return any(value not in ("_", "") for value in corpus.column(name).strings)
