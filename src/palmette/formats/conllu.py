"""CoNLL-U, the format of Universal Dependencies: ten tab-separated columns, a line per word.

ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC. All but ID and HEAD become columns of a `Corpus` under
their names in small letters; HEAD becomes `corpus.heads`; ID counts from 1 and is not kept. FEATS, DEPS and
MISC are text as it is in the file.

What was read is written back byte for byte: ranges, empty nodes, comments. Normalised are only: \\r\\n
to \\n, several empty lines to one, a missing last line end or empty line (added), a byte order mark (cut).
Reading and writing are O(length of the file).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import numpy as np

from palmette import _native
from palmette.formats.column import Column
from palmette.formats.corpus import Corpus, SentenceLines
from palmette.formats.files import Source, as_bytes, display_name, read_bytes, write_atomically
from palmette.formats.listed_corpus import as_corpus, conllu_names
from palmette.formats.parsed import check_problems, to_corpus

NAMES = ("form", "lemma", "upos", "xpos", "feats", "deprel", "deps", "misc")


def read_conllu(source: Source, *, lenient: bool = False) -> Corpus:
    """Reads a CoNLL-U file: a path, or "-" for standard input; gzip is unpacked.

    The first thing wrong raises `FormatError` with file and line. A lenient reading leaves out the sentences
    that have something wrong, and says which in `corpus.skipped` and `corpus.n_skipped`; a file without one
    good sentence is an error in both.
    """
    return parse_conllu(read_bytes(source), lenient=lenient, path=display_name(source))


def parse_conllu(text: str | bytes, *, lenient: bool = False, path: str | None = None) -> Corpus:
    """Reads CoNLL-U text as `read_conllu` does; `path` is what messages call it.

    >>> corpus = parse_conllu("1\\tGo\\tgo\\tVERB\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n")
    >>> corpus[0]["form"], corpus.heads.tolist()
    (['Go'], [0])
    """
    parsed = _native.parse_conllu(as_bytes(text), lenient)
    return to_corpus(parsed, NAMES, has_heads=True, lenient=lenient, path=path)


def parse_words(text: bytes, columns: Collection[str], *, path: str | None = None) -> Corpus:
    """Reads only some columns, the words always: no heads, comments, ranges or empty nodes. All is checked.

    >>> parse_words(b"1\\tGo\\tgo\\tVERB\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n", ["upos"]).names
    ('form', 'upos')
    """
    chosen = [name for name in NAMES if name == "form" or name in columns]
    if len(chosen) == len(NAMES):
        return parse_conllu(text, path=path)
    parsed = _native.parse_conllu(text, False, sum(1 << NAMES.index(name) for name in chosen))
    check_problems(parsed, lenient=False, path=path)
    read = {name: parsed.columns[NAMES.index(name)] for name in chosen}
    return Corpus(
        {name: Column(ids, strings) for name, (ids, strings) in read.items()},
        parsed.offsets,
        lines=parsed.lines,
    )


def fill_conllu(text: bytes, name: str, values: Column) -> bytes:
    """Return the text of a CoNLL-U file with one column of its words replaced; all else stays as it is."""
    field = NAMES.index(name)
    return _native.fill_conllu(text, field + (1 if field < 5 else 2), values.ids, values.strings)


def write_conllu(corpus: Corpus | Iterable[Any], target: Source, *, comments: bool = True) -> None:
    """Write a corpus as CoNLL-U: to a path (gzipped for `*.gz`), or to standard output for "-".

    corpus: a `Corpus`, or any iterable of its sentences, of `DependencyTree`s, of lists of words, of tuples (form,
    upos, xpos, feats, lemma) or of mappings with the names of columns. Columns and heads that it lacks are written
    as `_`. The file appears only when it is whole.
    """
    text = format_conllu(corpus, comments=comments)
    with write_atomically(target) as file:
        file.write(text)


def format_conllu(corpus: Corpus | Iterable[Any], *, comments: bool = True) -> bytes:
    """Return a corpus, or a list of sentences or dependency trees, as the bytes of a CoNLL-U file."""
    corpus = as_corpus(corpus, conllu_names)
    foreign = [name for name in corpus.names if name not in NAMES]
    if foreign:
        raise ValueError(f"CoNLL-U has no column {foreign[0]!r}: it has {', '.join(NAMES)}, and heads.")
    lines = corpus.comments if comments else SentenceLines.none(len(corpus))
    nothing = Column(np.zeros(corpus.n_words, dtype=np.int32), ["_"])
    columns = [corpus.column(name) if name in corpus.names else nothing for name in NAMES]
    return _native.format_conllu(
        corpus.offsets,
        [(name, column.ids, column.strings) for name, column in zip(NAMES, columns)],
        corpus.heads if corpus.heads is not None else np.full(corpus.n_words, -1, dtype=np.int32),
        lines.lines,
        lines.offsets,
        corpus.extras.lines,
        corpus.extras.offsets,
        corpus.extra_after,
    )
