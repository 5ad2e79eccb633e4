"""Rows of tokens: which column has the words, and how a row for all tokens is cut into sentences."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from palmette.formats.corpus import Corpus

UNLABELLED = "_"  # in a corpus: the label is not known


def words_of(corpus: Corpus) -> str:
    """The column of the words."""
    return "form" if "form" in corpus.names else corpus.names[0]


def label_column(corpus: Corpus, column: str | int | None) -> str:
    """Return the name of the column that holds the labels; None: `upos` if there is one, and the last if not."""
    if column is None:
        return "upos" if "upos" in corpus.names else corpus.names[-1]
    if isinstance(column, str) and column in corpus.names:
        return column
    if isinstance(column, int) and -len(corpus.names) <= column < len(corpus.names):
        return corpus.names[column]
    raise ValueError(f"There is no column {column!r} with labels: there are {', '.join(corpus.names)}.")


def offsets_of(rows: Sequence[Any]) -> NDArray[np.int64]:
    """Where each of some rows begins if they are put one after another, and where the last ends."""
    return np.cumsum([0, *map(len, rows)], dtype=np.int64)


def cut(flat: list[Any], offsets: NDArray[np.int64]) -> list[list[Any]]:
    """A row of items cut into sentences."""
    bounds = offsets.tolist()
    return [flat[begin:end] for begin, end in pairwise(bounds)]
