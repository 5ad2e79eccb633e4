"""The columns that a parser looks at, and taggers that fill them where they are missing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from palmette.errors import UsageError
from palmette.features.token_views import TokenViews
from palmette.formats.column import Column
from palmette.formats.corpus import Corpus
from palmette.tools.sequence.jackknifing import NO_VALUE, NOTHING, fill
from palmette.tools.sequence.tokens import cut

if TYPE_CHECKING:
    from palmette.tools.sequence.tagger import Tagger

SEEN = ("lemma", "upos", "xpos", "feats")  # the columns of which a parser has views
TAGGED = ("upos", "xpos", "feats")  # those that a tagger can fill


def columns_with_values(corpus: Corpus) -> tuple[str, ...]:
    """Return the columns a parser could look at that are filled."""
    return tuple(name for name in SEEN if not is_empty(corpus, name))


def is_empty(corpus: Corpus, name: str) -> bool:
    """Tell whether a column is missing or empty."""
    column = corpus.columns.get(name)
    if column is None:
        return True
    used = np.bincount(column.ids, minlength=len(column.strings)) > 0
    return not any(
        there and string not in (NO_VALUE, "") for there, string in zip(used.tolist(), column.strings)
    )


def chosen_columns(wanted: Sequence[str] | None, corpus: Corpus, *, taggers: bool) -> tuple[str, ...]:
    """Return the columns to look at: those wanted, or all filled ones. taggers: only what a tagger can fill."""
    there = columns_with_values(corpus)
    if isinstance(wanted, str):
        raise TypeError(f"The 'columns' parameter must be a list of names. Got {wanted!r}.")
    if wanted is None:
        return tuple(name for name in there if not taggers or name in TAGGED)
    for name in wanted:
        if name not in SEEN:
            raise UsageError(f"A parser can look at {listed(SEEN)}, and not at {name!r}.")
        if name not in there:
            raise ValueError(f"The column {name!r} of the treebank is empty: it has {listed(there)}.")
        if taggers and name not in TAGGED:
            raise ValueError(
                f"No tagger can fill {name!r}: leave it out of the columns, or do without taggers."
            )
    return tuple(wanted)


def completed(
    corpus: Corpus, columns: Sequence[str], taggers: Mapping[str, Tagger], *, retag: bool
) -> Corpus:
    """Return the corpus with all of these columns: taggers fill what is empty, or with `retag` all they can.

    A column with some values keeps them: only empty words are filled, unless the tagger knows words without one.
    ValueError if a column is empty and has no tagger; but words without any morphology are possible.
    """
    require_columns(corpus, columns, taggers)
    known = {name: column for name, column in corpus.columns.items() if not is_empty(corpus, name)}
    tagged = [name for name in columns if name in taggers and (retag or _lacks(corpus, name, taggers[name]))]
    corpus = fill(corpus, {name: taggers[name] for name in tagged})
    for name in columns:
        if name not in corpus.names:
            corpus = corpus.with_column(name, Column(np.zeros(corpus.n_words, np.int32), [NO_VALUE]))
        elif name in tagged and name in known and not retag:
            corpus = corpus.with_column(
                name, _merged(known[name], _agreeing(corpus, known[name], taggers[name]))
            )
    return corpus


def _agreeing(corpus: Corpus, known: Column, tagger: Tagger) -> Column:
    """The tags of all words, the best that agree with those that are known."""
    words = corpus.only({"form": "form" if "form" in corpus.names else 0})
    labels = set(tagger.classes_)
    rows = cut([value if value in labels else None for value in known.values()], corpus.offsets)
    return Column.of(label for row in tagger.predict(words, known=list(rows)) for label in row)


def require_columns(corpus: Corpus, columns: Sequence[str], taggers: Collection[str]) -> None:
    """ValueError if a column is empty and no tagger fills it; but words without any morphology are possible."""
    missing = [name for name in columns if is_empty(corpus, name)] if corpus.n_words else []
    left = [name for name in missing if name not in taggers]
    if left and left != ["feats"]:
        raise ValueError(
            f"This parser looks at {listed(columns)}, and the sentences have no {listed(left)}: "
            "give them, or train the parser with taggers "
            "(taggers=True in Python, --with-tags on the command line)."
        )


def _lacks(corpus: Corpus, name: str, tagger: Tagger) -> bool:
    """Whether words lack a value of a column that its tagger would give them."""
    if is_empty(corpus, name):
        return bool(corpus.n_words)
    if NOTHING in tagger.classes_:
        return False  # no value is a value
    column = corpus.column(name)
    return bool(_no_value(column)[column.ids].any())


def _no_value(column: Column) -> NDArray[np.bool_]:
    """By the number of a string: is it no value?"""
    return np.array([string in (NO_VALUE, "") for string in column.strings], dtype=bool)


def _merged(known: Column, predicted: Column) -> Column:
    """The values that are known, and the predicted ones where there is none."""
    return Column(
        np.where(_no_value(known)[known.ids], predicted.ids + len(known.strings), known.ids).astype(np.int32),
        [*known.strings, *predicted.strings],
    )


def listed(names: Sequence[str]) -> str:
    """Columns in a message."""
    return ", ".join(names) if names else "words only"


def views_of(corpus: Corpus, columns: Iterable[str]) -> TokenViews:
    """What a parser that looks at these columns sees of a corpus."""
    form = "form" if "form" in corpus.names else 0
    return TokenViews.of(corpus.only({"form": form, **{name: name for name in columns}}))
