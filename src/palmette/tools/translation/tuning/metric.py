"""The metrics that tuning maximises: counts of sentences, which are added up, and a score of the sums.

    bleu    ten counts: words, words of the nearest reference, right n-grams and all n-grams of one to four words
    ter     edits, and words of the references; the score is 1 − TER
    chrf    guessed, wanted and right n-grams of one to six characters

All are counted natively, and the numbers are those of sacrebleu.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from palmette._native import TranslationMetric as Formula
from palmette.evaluation.translations import words_of
from palmette.parameters import require_choice

KINDS = {"bleu": 0, "ter": 1, "chrf": 2}
N_COUNTS = {"bleu": 10, "ter": 2, "chrf": 18}
SMOOTHING = {"none": 0, "floor": 1, "add-k": 2, "exp": 3}
_VALUES = {"floor": 0.1, "add-k": 1.0}

Floats = NDArray[np.float64]
Counts = NDArray[np.float32]


@dataclass(frozen=True)
class TuningMetric:
    """A metric, how words are found, and how BLEU is smoothed: as sacrebleu has them.

    >>> TuningMetric().scores([[4, 4, 4, 3, 2, 1, 4, 3, 2, 1]]).round(4).tolist()
    [1.0]
    """

    name: str = "bleu"
    tokenize: str = "none"
    lowercase: bool = False
    smoothing: str = "exp"

    def __post_init__(self) -> None:
        require_choice("metric", self.name, tuple(KINDS))
        require_choice("smoothing", self.smoothing, tuple(SMOOTHING))

    @property
    def n_counts(self) -> int:
        """How many counts a sentence has."""
        return N_COUNTS[self.name]

    @cached_property
    def formula(self) -> Formula:
        """The score of the counts of a corpus, natively."""
        return _formula(self.name, self.smoothing, effective=False)

    def scores(self, counts: ArrayLike) -> Floats:
        """Return the score of each row of counts, as of a corpus."""
        return self.formula.scores(_rows(counts, self.n_counts))

    def sentence_scores(self, counts: ArrayLike, smoothing: str = "add-k") -> Floats:
        """Return the score of each row of counts as of one sentence.

        BLEU adds one to the counts of n-grams of two words and more, or is smoothed in another way of sacrebleu,
        and leaves out orders for which a sentence is too short.
        """
        require_choice("smoothing", smoothing, tuple(SMOOTHING))
        return _formula(self.name, smoothing, effective=True).scores(_rows(counts, self.n_counts))

    @cached_property
    def words(self) -> Callable[[str], Sequence[str]]:
        """What is counted of a text: words; for chrF characters without white space."""
        if self.name == "bleu":
            return words_of(self.tokenize, self.lowercase)
        if self.name == "chrf":
            return lambda text: "".join((text.lower() if self.lowercase else text).split())
        if self.lowercase:
            return lambda text: text.lower().split()
        return str.split


def _formula(name: str, smoothing: str, *, effective: bool) -> Formula:
    return Formula(
        KINDS[name], SMOOTHING[smoothing], _VALUES.get(smoothing, 0.0), effective, 2.0, N_COUNTS[name]
    )


def _rows(counts: ArrayLike, n: int) -> Floats:
    rows = np.ascontiguousarray(counts, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] != n:
        raise ValueError(f"Counts must be rows of {n} numbers. Got the shape {rows.shape}.")
    return rows.reshape(-1)
