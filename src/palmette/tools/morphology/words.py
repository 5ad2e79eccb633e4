"""What callers may give as words to analyse: a corpus, a file, lists of words, or lists of tuples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from palmette.formats.column import Column
from palmette.formats.corpus import Corpus
from palmette.formats.given import listed_labels
from palmette.tools.sentences import Labels, Listed, Sentences, as_corpus, given_sentences

NOTHING = "_"


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


def flat_labels(y: Labels, X: Listed | Corpus) -> list[object]:
    """Labels of all words in a row; ValueError unless there is one for every word."""
    given = listed_labels(y) or []
    lengths = np.diff(X.offsets).tolist() if isinstance(X, Corpus) else [len(one) for one in X]
    if [len(sentence) for sentence in given] != lengths:
        raise ValueError("There must be one label for every word of every sentence.")
    return [label for sentence in given for label in sentence]
