"""From one text format to another.

    convert("train.mrg", "train.conllu", no_empty=True)

Tokens become tokens, trees become trees or tokens; tokens do not become trees. Everything is read before
anything is written, and a file appears only when it is whole. What each pair of formats keeps and loses is
in docs/formats.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from palmette.errors import FormatError
from palmette.formats.conversion.options import Options
from palmette.formats.files import Source, display_name, is_standard, read_bytes, write_atomically
from palmette.formats.registry import Format, format_named, format_names, format_of_name
from palmette.formats.skipped import Skipped, strict_or_lenient

if TYPE_CHECKING:
    from palmette.formats.corpus import Corpus
    from palmette.formats.treebank import Treebank
    from palmette.trees.tree import Tree

_MOST_SKIPPED = 100


@dataclass(frozen=True)
class Conversion:
    """What was converted: how many sentences and words were written, and what was left out.

    `skipped` has the first hundred sentences of a lenient conversion that could not be read or written, and
    `n_skipped` counts them all; `n_emptied` counts the trees that had only empty elements.
    """

    source_format: str
    target_format: str
    n_sentences: int
    n_words: int
    skipped: tuple[Skipped, ...] = ()
    n_skipped: int = 0
    n_emptied: int = 0


def convert(
    source: Source,
    target: Source = "-",
    *,
    source_format: str | None = None,
    target_format: str | None = None,
    lenient: bool = False,
    columns: Sequence[str] | None = None,
    separator: str | None = None,
    no_comments: bool = False,
    no_empty: bool = False,
    nulls: str | None = None,
    no_functions: bool = False,
    outer: bool = False,
) -> Conversion:
    """Converts a file; "-" is a standard stream, and gzip is transparent.

    A format that is not named is detected from the suffix, and that of the source also from its content.

    columns: the names of the columns of a column file that becomes CoNLL-U, `_` for one to leave out; or
    which columns are written to a column file, in this order.
    separator: a tab or a space, in a column file that is written; without it that of a column file that is
    read, or a tab. no_comments: leave out the comments of tokens.
    no_empty: leave out the empty elements of trees, known as `nulls` says ("penn", or "icepahc").
    no_functions: leave out functional tags and indices in the labels of phrases.
    outer: write an extra pair of brackets around each tree.
    lenient: leave out what cannot be read or written.

    What is wrong with the file raises FormatError, with the line; what is wrong with the request ValueError.
    """
    options = Options(columns, separator, no_comments, no_empty, nulls, no_functions, outer)
    written_as = _target_format(target, target_format)
    read_as = format_named(source_format) if source_format is not None else format_of_name(source)
    data = None
    if read_as is None:
        data = read_bytes(source)
        read_as = _guessed(data, display_name(source))
    _check_kinds(read_as, written_as)
    options.check(read_as, written_as)
    task = _Task(
        read_as,
        written_as,
        read_bytes(source) if data is None else data,
        display_name(source),
        lenient,
        options,
    )
    try:
        text, conversion = task.done()
    except FormatError:
        raise
    except ValueError as error:  # the content is not such that the target could hold it
        raise FormatError(str(error), path=task.path) from error
    with write_atomically(target) as file:
        file.write(text)
    return conversion


def _target_format(target: Source, name: str | None) -> Format:
    found = format_named(name) if name is not None else format_of_name(target)
    if found is None:
        whose = "standard output" if is_standard(target) else repr(str(target))
        raise ValueError(f"in which format shall {whose} be written? Name one of {format_names()}")
    return found


def _guessed(data: bytes, path: str) -> Format:
    from palmette.formats.guess import guess_format

    if not data.strip():
        raise FormatError("there is nothing in it", path=path)
    found = guess_format(data)
    if found is None:
        raise ValueError(
            f"cannot tell the format of {path} from its name or its content: name one of {format_names()}"
        )
    return found


def _check_kinds(source: Format, target: Format) -> None:
    if source.holds == "tokens" and target.holds == "trees":
        raise ValueError(
            f"{source.name} holds tokens and {target.name} holds trees: "
            "tokens cannot become trees without a parser"
        )


@dataclass(frozen=True)
class _Task:
    source: Format
    target: Format
    data: bytes
    path: str
    lenient: bool
    options: Options

    def done(self) -> tuple[bytes, Conversion]:
        """Return the text in the target's format, and notes about it."""
        if self.source.holds == "tokens":
            return self._tokens_to_tokens()
        bank: Any = self.source.parse(self.data, lenient=self.lenient, path=self.path)
        trees, n_emptied = self._cleaned(bank)
        if self.target.holds == "tokens":
            return self._trees_to_tokens(bank, [tree for _, tree in trees], n_emptied)
        return self._trees_to_trees(bank, trees, n_emptied)

    # Tokens.

    def _tokens_to_tokens(self) -> tuple[bytes, Conversion]:
        names = self._names_to_read()
        extra = {} if names is None else {"names": names}
        read: Any = self.source.parse(self.data, lenient=self.lenient, path=self.path, **extra)
        corpus: Corpus = read
        problems: list[tuple[int, str]] = []
        if names is not None:
            from palmette.formats.fields import to_conllu

            corpus, problems = to_conllu(read)
        conversion = self._account(read, problems, len(corpus), corpus.n_words)
        return self._token_text(corpus, comments=not self.options.no_comments), conversion

    def _names_to_read(self) -> list[str] | None:
        """The names under which columns are read that become CoNLL-U."""
        if (self.source.name, self.target.name) != ("columns", "conllu"):
            return None
        from palmette.formats.fields import reading_names

        if self.options.columns is not None:
            return reading_names(self.options.columns)
        as_they_are: Any = self.source.parse(self.data, lenient=self.lenient, path=self.path)
        n = len(as_they_are.names)
        if n != 2:
            raise ValueError(
                f"which of the {n} columns is what? Name each with columns, such as form,lemma,upos or form,xpos,_"
            )
        return ["form", "upos"]

    def _token_text(self, corpus: Corpus, comments: bool) -> bytes:
        from palmette import _native
        from palmette.formats.columns import format_columns
        from palmette.formats.conllu import format_conllu
        from palmette.formats.fields import choose_columns

        if self.target.name == "conllu":
            return format_conllu(corpus, comments=comments)
        if self.target.name != "columns":
            return self.target.format(corpus)
        usual = ("form", "xpos") if self.source.holds == "trees" else corpus.names
        usual = ("form", "upos") if self.source.name == "conllu" else usual
        separator = self.options.separator
        if separator is None:
            separator = _native.detect_separator(self.data) if self.source.name == "columns" else "\t"
        chosen = choose_columns(corpus, self.options.columns or usual)
        return format_columns(chosen, separator=separator, comments=comments)

    # Trees.

    def _cleaned(self, bank: Treebank) -> tuple[list[tuple[int, Tree]], int]:
        """The trees as they are to be written, each with its line, and how many had no words left."""
        from palmette.formats.conversion import cleaning
        from palmette.formats.functions import functions_of

        is_null = cleaning.is_icepahc_null if self.options.nulls == "icepahc" else cleaning.is_penn_null
        changes: list[Callable[[Tree], Tree]] = []
        if self.options.no_functions:
            found = functions_of(bank)
            changes.append(lambda tree: cleaning.strip_functions(tree, found))
        if self.source.name == "brackets" != self.target.name and self.target.holds == "trees":
            changes.append(cleaning.decode_brackets)
        cleaned: list[tuple[int, Tree]] = []
        for line, tree in zip(bank.lines, bank, strict=True):
            kept = cleaning.remove_empty(tree, is_null) if self.options.no_empty else tree
            if kept is not None:
                for change in changes:
                    kept = change(kept)
                cleaned.append((line, kept))
        if not cleaned:
            raise ValueError("no tree left: all words are empty elements")
        return cleaned, len(bank) - len(cleaned)

    def _trees_to_tokens(
        self, bank: Treebank, trees: Sequence[Tree], n_emptied: int
    ) -> tuple[bytes, Conversion]:
        from palmette.formats.tagged import tagged_words, to_conllu

        corpus = tagged_words(trees)
        conversion = self._account(bank, [], len(corpus), corpus.n_words, n_emptied)
        if self.target.name == "conllu":
            return self._token_text(to_conllu(corpus), comments=True), conversion
        return self._token_text(corpus, comments=False), conversion

    def _trees_to_trees(
        self, bank: Treebank, trees: Sequence[tuple[int, Tree]], n_emptied: int
    ) -> tuple[bytes, Conversion]:
        text_of = self._printer()
        texts: list[str] = []
        problems: list[tuple[int, str]] = []
        n_words = 0
        for line, tree in trees:
            try:
                texts.append(text_of(tree))
                n_words += len(tree.leaves)
            except ValueError as error:  # a tree that the target cannot hold
                problems.append((line, str(error)))
        conversion = self._account(bank, problems, len(texts), n_words, n_emptied)
        return "".join(texts).encode(), conversion

    def _printer(self) -> Callable[[Tree], str]:
        from palmette.formats.brackets import bracket_printer
        from palmette.formats.discbracket import discbracket_printer
        from palmette.formats.export import export_printer

        if self.target.name == "brackets":
            return bracket_printer(outer=self.options.outer)
        if self.target.name == "export":
            return export_printer()
        if self.target.name == "discbracket":
            return discbracket_printer()
        return lambda tree: self.target.format([tree]).decode()

    # What is said in the end.

    def _account(
        self,
        read: Corpus | Treebank,
        problems: Sequence[tuple[int, str]],
        n_sentences: int,
        n_words: int,
        n_emptied: int = 0,
    ) -> Conversion:
        """The problems of reading and writing put together; the first of them raised, unless lenient."""
        skipped = strict_or_lenient(
            problems,
            len(problems),
            n_sentences,
            lenient=self.lenient,
            path=self.path,
            noun="sentences",
            nothing="no sentences",
        )
        return Conversion(
            self.source.name,
            self.target.name,
            n_sentences,
            n_words,
            tuple(sorted([*read.skipped, *skipped])[:_MOST_SKIPPED]),
            read.n_skipped + len(problems),
            n_emptied,
        )
