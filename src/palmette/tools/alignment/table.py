"""The lexical table of word alignment: p(target word | source word) for pairs of words that were seen together.

Row 0 is NULL's, row e + 1 that of source word e; a row's target words are in any order. CSC 448, §14.1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from palmette._native import Bitext, lexical_lookup

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]

NEW = 4.0  # how much likelier a new source word is than others to mean a word that it never met
UNSEEN = 1e-7  # the least probability of a pair of words that never met


@dataclass(frozen=True, eq=False)
class LexicalTable:
    """Pairs `first_of[e]` to `first_of[e + 1]` are those of row e: target words and their probabilities.

    unseen: for each row the probability of any one word that is not in it; last that for words without a row.
    """

    first_of: Longs
    target_of: Ints
    weights: Floats
    unseen: Floats

    def __post_init__(self) -> None:
        n = len(self.target_of)
        if (
            len(self.first_of) < 1
            or self.first_of[0] != 0
            or self.first_of[-1] != n
            or len(self.weights) != n
        ):
            raise ValueError(
                "A lexical table needs rows that go from 0 to its size, and a weight for every pair."
            )
        if len(self.unseen) != len(self.first_of) or not (np.isfinite(self.unseen) & (self.unseen > 0)).all():
            raise ValueError(
                "A lexical table needs a finite weight above zero for what is not in each of its rows."
            )
        if not (np.isfinite(self.weights) & (self.weights > 0)).all():
            raise ValueError("The weights of a lexical table must be finite, and above zero.")
        if (np.diff(self.first_of) < 0).any() or (n and int(self.target_of.min()) < 0):
            raise ValueError("The rows of a lexical table must not fall, and its words must not be negative.")

    @property
    def n_pairs(self) -> int:
        """How many pairs of words there are."""
        return len(self.target_of)

    @classmethod
    def of(
        cls, bitext: Bitext, weights: Floats, rest: npt.NDArray[np.floating] | None = None
    ) -> LexicalTable:
        """A table of all pairs of a bitext; rest: what each row has for all words that are not in it together."""
        n_rows = len(bitext.first_of) - 1
        others = np.maximum(bitext.n_target - np.diff(bitext.first_of), 1)
        each = np.zeros(n_rows) if rest is None else rest / others
        unseen = np.maximum([*each, NEW / max(bitext.n_target, 1)], UNSEEN).astype(np.float32)
        return cls(bitext.first_of, bitext.target_of, weights, unseen)

    def on(self, bitext: Bitext, n_jobs: int = 1) -> Floats:
        """The probability of every pair of words of a bitext. O(its pairs, and the rows that it needs)."""
        return lexical_lookup(bitext, self.first_of, self.target_of, self.weights, self.unseen, n_jobs)

    def row(self, source: int) -> tuple[Ints, Floats]:
        """Target words and their probabilities for a source word, or for NULL (-1), the likeliest first."""
        begin, end = self.first_of[source + 1], self.first_of[source + 2]
        order = np.argsort(-self.weights[begin:end], kind="stable")
        return self.target_of[begin:end][order], self.weights[begin:end][order]

    def pruned(self, least: float) -> LexicalTable:
        """Without pairs of a lower probability."""
        kept = self.weights >= least
        before = np.concatenate([[0], np.cumsum(kept)])
        return LexicalTable(before[self.first_of], self.target_of[kept], self.weights[kept], self.unseen)
