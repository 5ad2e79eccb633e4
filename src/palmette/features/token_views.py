"""What a parser sees of a token: one 64-bit hash for each of a fixed list of views, made once per word type.

| view | of *Walked-2* |
| --- | --- |
| `word` | `walked-0`: lower case, digits alike |
| `lemma`, `upos`, `xpos`, `feats` | the columns of these names, whole |
| `end2`, `end3`, `start3` | the last and first letters, in lower case |
| `shape` | `Xx-d` |
| `cluster` | the class of the word, if classes are given |

A view is 0 where a token has no value (`_` in a column, a word too short, an unknown word). The morphology comes a
second time in pieces, one hash for each `Case=Nom`. The native side is `native/features/token_views.hpp`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from palmette._native import FeatureValues, hash_text
from palmette.features.attributes import attributes_of
from palmette.formats.column import Column
from palmette.formats.corpus import Corpus

VIEWS = ("word", "lemma", "upos", "xpos", "feats", "end2", "end3", "start3", "shape", "cluster")
TYPE_ATTRIBUTES = {
    "word": "collapsed",
    "end2": "end2",
    "end3": "end3",
    "start3": "start3",
    "shape": "shortshape",
}
_MOST_PIECES = 16  # of the morphology of a token

Hashes = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class TokenViews:
    """Sentences as parsers see them.

    offsets: sentence i has the tokens offsets[i] … offsets[i + 1] - 1. values: [tokens · views], one row per token
    in the order of VIEWS. pieces: those of token t's morphology are pieces[piece_rows[t] : piece_rows[t + 1]].
    whole: the corpus that they are views of, and `chosen`, which of its sentences, for networks.

    >>> corpus = Corpus.from_columns({"form": [["Dogs", "bark"]], "upos": [["NOUN", "VERB"]]})
    >>> views = TokenViews.of(corpus)
    >>> views.column("upos").tolist() == [hash_text("NOUN"), hash_text("VERB")]
    True
    >>> views.column("lemma").tolist()
    [0, 0]
    """

    offsets: NDArray[np.int64]
    values: Hashes
    piece_rows: NDArray[np.int64]
    pieces: Hashes
    whole: Corpus | None = None
    chosen: NDArray[np.int64] | None = None

    @classmethod
    def of(cls, corpus: Corpus, clusters: Mapping[str, str] | None = None) -> TokenViews:
        """The views of a corpus; columns that it lacks are absent. clusters: the class of a word, by `word`."""
        values = np.zeros((corpus.n_words, len(VIEWS)), dtype=np.uint64)
        form = corpus.column("form" if "form" in corpus.names else 0)
        types = attributes_of(form.strings)
        for place, view in enumerate(VIEWS):
            if view in TYPE_ATTRIBUTES:
                values[:, place] = types.values_of(TYPE_ATTRIBUTES[view]).hashes()[form.ids]
            elif view in corpus.names:
                values[:, place] = _column_hashes(corpus.column(view))
            elif view == "cluster" and clusters:
                words = types.values_of("collapsed").values()
                classes = FeatureValues.of([clusters.get(word or "") for word in words])
                values[:, place] = classes.hashes()[form.ids]
        piece_rows = np.zeros(corpus.n_words + 1, dtype=np.int64)
        pieces = np.zeros(0, dtype=np.uint64)
        if "feats" in corpus.names:
            piece_rows, pieces = _morphology(corpus.column("feats"))
        return cls(corpus.offsets, values.reshape(-1), piece_rows, pieces, corpus)

    @cached_property
    def corpus(self) -> Corpus | None:
        """The sentences with their words, made when a network asks for them."""
        return self.whole if self.whole is None or self.chosen is None else self.whole.select(self.chosen)

    @property
    def n_tokens(self) -> int:
        """How many tokens there are."""
        return len(self.piece_rows) - 1

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def places(self, sentences: ArrayLike) -> NDArray[np.int64]:
        """The tokens of some sentences, one after another."""
        chosen = np.asarray(sentences, dtype=np.int64)
        return _runs(self.offsets[chosen], np.diff(self.offsets)[chosen])

    def select(self, sentences: ArrayLike) -> TokenViews:
        """Some sentences, in this order; one may come several times."""
        chosen = np.asarray(sentences, dtype=np.int64)
        tokens, lengths = self.places(chosen), np.diff(self.offsets)[chosen]
        counts = np.diff(self.piece_rows)[tokens]
        return TokenViews(
            _ends(lengths),
            self.values.reshape(-1, len(VIEWS))[tokens].reshape(-1),
            _ends(counts),
            self.pieces[_runs(self.piece_rows[:-1][tokens], counts)],
            self.whole,
            chosen if self.chosen is None else self.chosen[chosen],
        )

    def column(self, view: str) -> Hashes:
        """One view of all tokens."""
        return self.values.reshape(-1, len(VIEWS))[:, VIEWS.index(view)]


def _column_hashes(column: Column) -> Hashes:
    values = FeatureValues.of([None if string in ("_", "") else string for string in column.strings])
    return values.hashes()[column.ids]


def _morphology(column: Column) -> tuple[NDArray[np.int64], Hashes]:
    """The pieces of every token's morphology, split once per distinct value."""
    split = [
        [] if string in ("_", "") else [hash_text(piece) for piece in string.split("|")[:_MOST_PIECES]]
        for string in column.strings
    ]
    sizes = np.array([len(pieces) for pieces in split], dtype=np.int64)
    flat = np.array([piece for pieces in split for piece in pieces], dtype=np.uint64)
    counts = sizes[column.ids]
    return _ends(counts), flat[_runs(_ends(sizes)[:-1][column.ids], counts)]


def _ends(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """0, and the sums of the first one, two, … lengths."""
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def _runs(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers from each start on, as many as its length."""
    ends = _ends(lengths)
    return np.repeat(starts, lengths) + np.arange(ends[-1]) - np.repeat(ends[:-1], lengths)
