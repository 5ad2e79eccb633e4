"""Column files: one token per line, an empty line between sentences (CoNLL-2000, 2002, 2003 and their kin).

The columns are separated by one tab, or by runs of blanks. Every line must have the same number of them.

Comments: in a tab-separated file, a line that begins with `#` and has no tab is a comment on the sentence
below it; `#\\tO` is a token. In a space-separated file there are no comments, and every line is a token: the
chunking data of CoNLL-2000 has `# # B-NP`. `-DOCSTART-` lines are sentences of one token like any other.
Reading and writing are O(length of the file).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from palmette import _native
from palmette.formats.corpus import Corpus, SentenceLines
from palmette.formats.files import Source, as_bytes, display_name, read_bytes, write_atomically
from palmette.formats.listed_corpus import as_corpus, column_names
from palmette.formats.parsed import to_corpus


def read_columns(
    source: Source, *, separator: str | None = None, names: Sequence[str] | None = None, lenient: bool = False
) -> Corpus:
    """Reads a column file: a path, or "-" for standard input; gzip is unpacked.

    `separator` is a tab or a space; without it, it is a tab if the first token line has one. `names` name
    the columns; without them they are `form`, `column2`, `column3` and so on, as many as the first token
    line has.
    The first thing wrong raises `FormatError` with file and line. A lenient reading leaves out the sentences
    that have something wrong, and says which in `corpus.skipped` and `corpus.n_skipped`.
    """
    return parse_columns(
        read_bytes(source), separator=separator, names=names, lenient=lenient, path=display_name(source)
    )


def parse_columns(
    text: str | bytes,
    *,
    separator: str | None = None,
    names: Sequence[str] | None = None,
    lenient: bool = False,
    path: str | None = None,
) -> Corpus:
    """Reads columns from text as `read_columns` does; `path` is what messages call it.

    >>> corpus = parse_columns("Time NN B-NP\\nflies VBZ B-VP\\n", names=("form", "pos", "chunk"))
    >>> corpus[0]["chunk"]
    ['B-NP', 'B-VP']
    """
    if separator not in (None, "\t", " "):
        raise ValueError(f"The 'separator' must be a tab, a space or None. Got {separator!r} instead.")
    if names is not None:
        _check_names(names)
    data = as_bytes(text)
    separator = separator or _native.detect_separator(data)
    parsed = _native.parse_columns(data, separator, 0 if names is None else len(names), lenient)
    if names is None:
        names = ["form", *(f"column{i + 1}" for i in range(1, len(parsed.columns)))]
    return to_corpus(parsed, names, has_heads=False, lenient=lenient, path=path)


def write_columns(
    corpus: Corpus | Iterable[Any],
    target: Source,
    *,
    separator: str = "\t",
    names: Sequence[str] | None = None,
    comments: bool = True,
) -> None:
    """Write the named columns (all without `names`) to a path (gzipped for `*.gz`), or to "-".

    corpus: a `Corpus`, or any iterable of its sentences, of lists of words, or of lists of tuples of strings.
    Heads, ranges and empty nodes are not columns and are not written. A corpus with comments can be
    space-separated only without them. The file appears only when it is whole.
    """
    text = format_columns(corpus, separator=separator, names=names, comments=comments)
    with write_atomically(target) as file:
        file.write(text)


def format_columns(
    corpus: Corpus | Iterable[Any],
    *,
    separator: str = "\t",
    names: Sequence[str] | None = None,
    comments: bool = True,
) -> bytes:
    """Return a corpus, or a list of sentences, as the bytes of a column file."""
    corpus = as_corpus(corpus, column_names)
    if separator not in ("\t", " "):
        raise ValueError(f"The 'separator' must be a tab or a space. Got {separator!r} instead.")
    chosen = corpus.names if names is None else names
    lines = corpus.comments if comments else SentenceLines.none(len(corpus))
    columns = [(name, corpus.column(name).ids, corpus.column(name).strings) for name in chosen]
    return _native.format_columns(corpus.offsets, columns, lines.lines, lines.offsets, separator)


def _check_names(names: Sequence[str]) -> None:
    if isinstance(names, str) or not 0 < len(names) <= 256 or len(set(names)) < len(names) or not all(names):
        raise ValueError(
            f"The 'names' must be up to 256 different strings, none empty. Got {names!r} instead."
        )
