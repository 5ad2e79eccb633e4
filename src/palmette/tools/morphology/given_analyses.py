"""Analyses as callers give them: columns of a corpus, or tuples of upos, xpos and feats."""

from __future__ import annotations

from collections.abc import Collection

from palmette.formats.column import Column
from palmette.formats.corpus import Corpus
from palmette.tools.morphology.analyses import Analysis
from palmette.tools.morphology.words import NOTHING, flat_labels, given_words, has_values
from palmette.tools.sentences import Labels as GivenLabels
from palmette.tools.sentences import Sentences

COLUMNS = Analysis._fields


def analyses_of(corpus: Corpus, columns: Collection[str]) -> list[Analysis | None]:
    """The analyses of all words by some columns; None for a word that has none."""
    rows = [corpus.column(name).values() if name in columns else None for name in COLUMNS]
    n = corpus.n_words
    filled = [row if row is not None else [NOTHING] * n for row in rows]
    needed = COLUMNS.index(next(name for name in COLUMNS if name in columns))
    # Without a part of speech a word is not annotated; without features it may well be.
    return [None if needed < 2 and row[needed] == NOTHING else Analysis(*row) for row in zip(*filled)]


def with_analyses(X: Sentences, y: GivenLabels | None) -> Corpus:
    """Words with their analyses: a corpus has its own, others come with y."""
    corpus = given_words(X)
    if y is None:
        if not any(name in corpus.names for name in COLUMNS):
            raise ValueError(
                "There are no analyses: give y, or a corpus with the columns upos, xpos and feats."
            )
        return corpus
    rows = [_analysis(label) for label in flat_labels(y, corpus)]
    found = {name: Column.of(row[k] for row in rows) for k, name in enumerate(COLUMNS)}
    return corpus.with_columns(
        {name: column for name, column in found.items() if column.strings != [NOTHING]}
    )


def columns_of(corpus: Corpus, asked: Collection[str] | None) -> tuple[tuple[str, ...], list[str], list[str]]:
    """The columns to predict, those that the training data does not have, and what to say about them."""
    for name in asked or ():
        if name not in COLUMNS:
            raise ValueError(f"'columns' must be among {', '.join(COLUMNS)}. Got {name!r}.")
    wanted = [name for name in COLUMNS if asked is None or name in asked]
    found = tuple(name for name in wanted if has_values(corpus, name))
    missing = [name for name in wanted if name not in found]
    if not found:
        raise ValueError(f"There is no analysis to learn from: the words have no {' and no '.join(wanted)}.")
    empty = [name for name in missing if name in corpus.names]
    told = f"the training data has no {' and no '.join(empty)}: the model will not predict them"
    return found, missing, [told] if empty else []


def _analysis(label: object) -> Analysis:
    values = (label,) if isinstance(label, str) else tuple(label) if isinstance(label, tuple | list) else ()
    if not 1 <= len(values) <= len(COLUMNS) or not all(isinstance(one, str) for one in values):
        raise TypeError(f"An analysis must be a tuple of upos, xpos and feats as strings. Got {label!r}.")
    return Analysis(*values)
