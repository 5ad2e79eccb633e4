"""The columns that a parser looks at: which there are, and taggers that fill them where they are missing.

A parser that was trained on the right tags trusts them too much when they are predicted. Jackknifing trains it on
such tags as it will meet: the sentences are cut into k parts, and each is tagged by a tagger that was trained on
the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np

from palmette.features.token_views import TokenViews
from palmette.formats.column import Column
from palmette.formats.corpus import Corpus
from palmette.learning.learner import Learner
from palmette.tools.tagger import Tagger

SEEN = ("lemma", "upos", "xpos", "feats")  # the columns of which a parser has views
TAGGED = ("upos", "xpos", "feats")  # those that a tagger can fill
_EMPTY = "_"
_NOTHING = "–"  # what a tagger calls an empty XPOS or FEATS, since "_" is no label to it


def columns_with_values(corpus: Corpus) -> tuple[str, ...]:
    """The columns a parser could look at in which something stands."""
    return tuple(name for name in SEEN if not is_empty(corpus, name))


def is_empty(corpus: Corpus, name: str) -> bool:
    """Whether a column is not there, or has not one value."""
    column = corpus.columns.get(name)
    if column is None:
        return True
    used = np.unique(column.ids).tolist()
    return all(column.strings[k] in (_EMPTY, "") for k in used)


def views_of(corpus: Corpus, columns: Iterable[str]) -> TokenViews:
    """What a parser that looks at these columns sees of a corpus."""
    form = "form" if "form" in corpus.names else corpus.names[0]
    kept = {"form": corpus.column(form)} | {name: corpus.column(name) for name in columns}
    return TokenViews.of(Corpus(kept, corpus.offsets))


def train_taggers(
    corpus: Corpus, columns: Iterable[str], learner: Learner | None, n_jobs: int | None = None
) -> dict[str, Tagger]:
    """A tagger for each column, which looks at words only."""
    return {
        name: Tagger(learner, column=name, n_jobs=n_jobs).fit(_to_learn(corpus, name)) for name in columns
    }


def fill(corpus: Corpus, taggers: Mapping[str, Tagger]) -> Corpus:
    """The corpus with the columns of the taggers as they predict them."""
    words = Corpus({"form": corpus.column("form" if "form" in corpus.names else 0)}, corpus.offsets)
    for name, tagger in taggers.items():
        corpus = corpus.with_column(name, _restored(tagger.predict_column(words)))
    return corpus


def jackknifed(
    corpus: Corpus,
    columns: Sequence[str],
    folds: int,
    learner: Learner | None,
    *,
    n_jobs: int | None = None,
    note: Callable[[str], None] = lambda text: None,
) -> Corpus:
    """The corpus with each of `folds` parts tagged by taggers trained on the others."""
    if len(corpus) < folds:
        raise ValueError(f"{len(corpus)} sentences cannot be cut into {folds} parts: take fewer parts.")
    bounds = np.linspace(0, len(corpus), folds + 1).astype(int).tolist()
    filled: dict[str, list[str]] = {name: [] for name in columns}
    for k, (begin, end) in enumerate(pairwise(bounds), 1):
        others = corpus.select([*range(begin), *range(end, len(corpus))])
        part = fill(corpus[begin:end], train_taggers(others, columns, learner, n_jobs))
        for name in columns:
            filled[name] += part.column(name).values()
        note(f"tagged part {k} of {folds} by taggers that have not seen it")
    for name, values in filled.items():
        corpus = corpus.with_column(name, Column.of(values))
    return corpus


def _to_learn(corpus: Corpus, name: str) -> Corpus:
    """Words and one column to learn; where a word may have no value, that is a value as well."""
    column = corpus.column(name)
    if name != "upos":
        column = Column(column.ids, [_NOTHING if s == _EMPTY else s for s in column.strings])
    return Corpus({"form": corpus.column("form"), name: column}, corpus.offsets)


def _restored(column: Column) -> Column:
    return Column(column.ids, [_EMPTY if s == _NOTHING else s for s in column.strings])
