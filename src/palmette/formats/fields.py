"""Between CoNLL-U and columns: ids and heads as strings in columns, and back.

A column file has strings only, and any names; CoNLL-U has eight named columns and heads, which are numbers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from palmette.formats.column import Column
from palmette.formats.conllu import NAMES
from palmette.formats.corpus import Corpus

NOTHING = "_"  # a field without a value, and the name of a column that is left out
_HEAD = re.compile(r"0|[1-9]\d{0,8}")
_NO_HEAD, _NOT_A_HEAD = -1, -2


def choose_columns(corpus: Corpus, names: Sequence[str]) -> Corpus:
    """The corpus of these columns in this order, without ranges and empty nodes.

    `id` and `head` are columns too where the corpus has heads.
    """
    known = corpus.names if corpus.heads is None else ("id", *corpus.names, "head")
    for name in names:
        if name not in known:
            raise ValueError(f"no column {name!r}: there are {', '.join(known)}")
    columns = {name: _as_strings(corpus, name) for name in names}
    return Corpus(columns, corpus.offsets, comments=corpus.comments, lines=corpus.lines)


def _as_strings(corpus: Corpus, name: str) -> Column:
    if name in corpus.names:
        return corpus.column(name)
    if name == "id":
        numbers = np.arange(1, corpus.n_words + 1) - np.repeat(corpus.offsets[:-1], np.diff(corpus.offsets))
        return Column.of(map(str, numbers.tolist()))
    assert corpus.heads is not None
    return Column.of(NOTHING if head < 0 else str(head) for head in corpus.heads.tolist())


def reading_names(names: Sequence[str]) -> list[str]:
    """Names for the columns of a file that becomes CoNLL-U, each different; those left out begin with `_`."""
    for name in names:
        if name not in (*NAMES, "head", "id", NOTHING):
            raise ValueError(
                f"CoNLL-U has no column {name!r}: it has {', '.join(NAMES)} and head; "
                "a column named _ is left out"
            )
    if "form" not in names:
        raise ValueError("one of the columns must be named form: the words")
    return [f"_{i}" if name in ("id", NOTHING) else name for i, name in enumerate(names)]


def to_conllu(corpus: Corpus) -> tuple[Corpus, list[tuple[int, str]]]:
    """A corpus of columns under the names of CoNLL-U as CoNLL-U, and its problems by line.

    Empty fields become `_`; the column `head` becomes heads. A sentence with a bad head is left out.
    """
    columns = {
        name: Column(column.ids, [string or NOTHING for string in column.strings])
        for name, column in corpus.columns.items()
        if name in NAMES
    }
    if "head" not in corpus.names:
        return Corpus(columns, corpus.offsets, comments=corpus.comments, lines=corpus.lines), []
    heads, wrong = _heads(corpus)
    sentences = np.searchsorted(corpus.offsets, wrong, side="right") - 1
    bad, first = np.unique(sentences, return_index=True)
    problems = [_problem(corpus, int(i), int(row)) for i, row in zip(bad, wrong[first])]
    good = np.setdiff1d(np.arange(len(corpus)), bad)
    heads[wrong] = _NO_HEAD
    full = Corpus(columns, corpus.offsets, heads=heads, comments=corpus.comments, lines=corpus.lines)
    return full.select(good.tolist()) if len(bad) else full, problems


def _heads(corpus: Corpus) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The heads as numbers, and the rows where that cannot be right."""
    column = corpus.column("head")
    values = [
        int(string) if _HEAD.fullmatch(string) else _NO_HEAD if string in ("", NOTHING) else _NOT_A_HEAD
        for string in column.strings
    ]
    heads = np.array(values, dtype=np.int32)[column.ids]
    lengths = np.diff(corpus.offsets)
    return heads, np.flatnonzero((heads == _NOT_A_HEAD) | (heads > np.repeat(lengths, lengths)))


def _problem(corpus: Corpus, sentence: int, row: int) -> tuple[int, str]:
    assert corpus.lines is not None
    begin, end = corpus.offsets[sentence : sentence + 2].tolist()
    line = int(corpus.lines[sentence]) + len(corpus.comments.of(sentence)) + row - begin
    head = corpus.column("head")[row]
    if _HEAD.fullmatch(head):
        return line, f"head {head} in a sentence of {end - begin} token{'' if end - begin == 1 else 's'}"
    return line, f"head {head!r} is not a number: a head is 0 for the root, the id of a word, or _"
