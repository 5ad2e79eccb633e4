"""Several segmented texts as one, so that the steps of a pipeline run over many short texts at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from palmette.formats.column import Column
from palmette.formats.corpus import Corpus, SentenceLines


def join_corpora(corpora: Sequence[Corpus]) -> Corpus:
    """The sentences of corpora that have the same columns, one after the other; at least one corpus.

    >>> parts = [Corpus.from_columns({"form": [["Go"]]}), Corpus.from_columns({"form": [["Stop", "!"]]})]
    >>> join_corpora(parts)[1]["form"]
    ['Stop', '!']
    """
    if len(corpora) == 1:
        return corpora[0]
    first = corpora[0]
    for other in corpora:
        if other.names != first.names or (other.heads is None) != (first.heads is None):
            raise ValueError(
                f"Corpora with other columns: {', '.join(first.names)}; {', '.join(other.names)}."
            )
    heads = None
    if first.heads is not None:
        heads = np.concatenate([corpus.heads for corpus in corpora if corpus.heads is not None])
    return Corpus(
        {name: join_columns([corpus.column(name) for corpus in corpora]) for name in first.names},
        _offsets([corpus.offsets for corpus in corpora]),
        heads=heads,
        comments=_lines([corpus.comments for corpus in corpora]),
        extras=_lines([corpus.extras for corpus in corpora]),
        extra_after=np.concatenate([corpus.extra_after for corpus in corpora]),
    )


def join_columns(columns: Sequence[Column]) -> Column:
    """The rows of columns, one after the other."""
    index: dict[str, int] = {}
    ids = []
    for column in columns:
        places = np.array([index.setdefault(text, len(index)) for text in column.strings], dtype=np.int32)
        ids.append(places[column.ids] if len(column.ids) else column.ids)
    return Column(np.concatenate(ids), list(index))


def _lines(parts: Sequence[SentenceLines]) -> SentenceLines:
    return SentenceLines(
        _offsets([part.offsets for part in parts]), [line for p in parts for line in p.lines]
    )


def _offsets(parts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.cumsum(np.concatenate([[0], *(np.diff(part) for part in parts)])).astype(np.int64)
