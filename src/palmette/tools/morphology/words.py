"""What callers may give as words to analyse: a corpus, a file, lists of words, or lists of tuples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from palmette.formats.column import Column
from palmette.formats.corpus import Corpus
from palmette.formats.given import listed_labels
from palmette.tools.sentences import Labels, Listed, Sentences, as_corpus, given_sentences

NOTHING = "_"
_LARGEST = 1 << 62


def given_words(X: Sentences, names: Sequence[str] = ("form",)) -> Corpus:
    """The words as a corpus with a column `form`.

    names: of the values of tuples, and of the columns of files without names, in their order.
    """
    found = as_corpus(given_sentences(X))
    if found is None:
        raise ValueError("Words are needed here: lists of strings, tuples of strings, or a corpus.")
    if "form" in found.names and "column2" not in found.names:
        return found
    known = dict(zip(names, found.names))
    return found.with_columns({new: found.column(old) for new, old in known.items()})


def one_sentence(sentence: Sentences | Sequence[str]) -> Sentences:
    """One sentence as several; a corpus stays."""
    return sentence if isinstance(sentence, Corpus) else [sentence]


def column_or_nothing(corpus: Corpus, name: str) -> Column:
    """A column of the corpus, or one without values."""
    if name in corpus.names:
        return corpus.column(name)
    return Column(np.zeros(corpus.n_words, dtype=np.int32), [NOTHING])


def has_values(corpus: Corpus, name: str) -> bool:
    """Whether some word has a value in a column."""
    if name not in corpus.names:
        return False
    column = corpus.column(name)
    return any(column.strings[k] != NOTHING for k in np.unique(column.ids).tolist())


def combinations(columns: Sequence[Column]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The combinations of values that rows of some columns have: the first row of each, and of every row which.

    >>> first, which = combinations([Column.of(["a", "b", "a"]), Column.of(["x", "x", "x"])])
    >>> first.tolist(), which.tolist()
    ([0, 1], [0, 1, 0])
    """
    codes, size = np.zeros(len(columns[0]) if columns else 0, dtype=np.int64), 1
    for column in columns:
        n = max(len(column.strings), 1)
        if size * n > _LARGEST:
            codes = np.unique(codes, return_inverse=True)[1].reshape(-1)
            size = len(codes)
        codes, size = codes * n + column.ids, size * n
    _, first, which = np.unique(codes, return_index=True, return_inverse=True)
    return first.astype(np.int64), which.reshape(-1).astype(np.int64)


def flat_labels(y: Labels, X: Listed | Corpus) -> list[object]:
    """Labels of all words in a row; ValueError unless there is one for every word."""
    given = listed_labels(y) or []
    lengths = np.diff(X.offsets).tolist() if isinstance(X, Corpus) else [len(one) for one in X]
    if [len(sentence) for sentence in given] != lengths:
        raise ValueError("There must be one label for every word of every sentence.")
    return [label for sentence in given for label in sentence]
