"""How good predicted labels are, also for words that the training data does not have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from palmette.evaluation.tagging import TaggingScores, evaluate_tags
from palmette.formats.column import Column
from palmette.tools.sentences import Gold
from palmette.tools.sequence.tokens import words_of

if TYPE_CHECKING:
    from palmette.features.word_hashes import KnownWords
    from palmette.formats.corpus import Corpus


def tag_scores(
    gold: Gold, guess: Column, corpus: Corpus | None, seen: KnownWords | None, labels: Sequence[str]
) -> TaggingScores:
    """Return the scores of the tokens whose label is known; seen: the words of the training data."""
    known = gold.known
    ends = np.concatenate([[0], np.cumsum(known)])[gold.offsets]
    words = vocabulary = None
    if corpus is not None and seen is not None:
        column = corpus.column(words_of(corpus))
        words = Column(column.ids[known], column.strings)
        vocabulary = seen.among(column.strings)
    return evaluate_tags(
        Column(gold.ids[known], list(gold.strings)),
        Column(guess.ids[known], guess.strings),
        ends,
        words=words,
        vocabulary=vocabulary,
        known_labels=labels,
    )
