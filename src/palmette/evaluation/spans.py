"""Precision, recall and F1 of spans, number by number those of conlleval.

A guessed span is right if gold has one with the same begin, end and type. Labels of both sides are read leniently
(`structures/schemes.py`), so invalid sequences count as conlleval counts them. O(tokens).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from palmette.drawing.tables import ReportPicture
from palmette.evaluation.bootstrap import Interval, interval
from palmette.evaluation.counts import Counts, ratio
from palmette.evaluation.pairs import Labels, Pairs
from palmette.structures.schemes import SpanArrays, corpus_spans


@dataclass(frozen=True)
class SpanScores(ReportPicture):
    """Scores of spans: overall, by type, and of the labels of tokens.

    `per_sentence[i]` has the gold, guessed and correct spans of sentence i. `unknown_labels` are the gold labels
    that the model never saw; they count as wrong.
    """

    tokens: int
    correct_tokens: int
    sentences: int
    overall: Counts
    types: dict[str, Counts]
    unknown_labels: tuple[str, ...] = ()
    per_sentence: NDArray[np.int64] = field(
        repr=False, compare=False, default_factory=lambda: np.zeros((0, 3), int)
    )

    @property
    def precision(self) -> float:
        """The part of the guessed spans that is right."""
        return self.overall.precision

    @property
    def recall(self) -> float:
        """The part of the gold spans that was found."""
        return self.overall.recall

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return self.overall.f1

    @property
    def accuracy(self) -> float:
        """The part of the tokens whose label is right."""
        return ratio(self.correct_tokens, self.tokens)

    @property
    def ratios(self) -> NDArray[np.int64]:
        """Per sentence two numbers, so that F1 is the ratio of their sums: what the bootstrap resamples."""
        gold, guess, correct = self.per_sentence.T
        return np.stack([2 * correct, gold + guess], axis=1)

    def interval(self, level: float = 0.95, n_resamples: int = 1000, random_state: int = 0) -> Interval:
        """A confidence interval of F1, over sentences."""
        return interval(self.ratios, level, n_resamples, random_state)

    def to_dict(self) -> dict[str, Any]:
        """Rates as fractions of one, and the counts."""
        return {
            **self.overall.to_dict(),
            "accuracy": self.accuracy,
            "tokens": self.tokens,
            "sentences": self.sentences,
            "types": {name: counts.to_dict() for name, counts in self.types.items()},
            "unknown_labels": list(self.unknown_labels),
        }

    def report(self) -> str:
        """The text that conlleval prints."""
        lines = [
            f"processed {self.tokens} tokens with {self.overall.gold} phrases; "
            f"found: {self.overall.guess} phrases; correct: {self.overall.correct}.",
        ]
        if self.tokens:
            lines.append(f"accuracy: {100 * self.accuracy:6.2f}%; {self.overall.percentages()}")
            lines += [f"{name:>17}: {c.percentages()}  {c.guess}" for name, c in self.types.items()]
        return "\n".join(lines) + "\n"

    def __str__(self) -> str:
        return self.report().rstrip("\n")


def evaluate_spans(
    gold: Labels,
    guess: Labels,
    offsets: ArrayLike | None = None,
    *,
    known_labels: Iterable[str] | None = None,
) -> SpanScores:
    """Compares the spans of two labellings of the same sentences.

    `gold` and `guess` are lists of sentences of labels, or columns of a corpus with its `offsets`. `known_labels`
    are those of the model, for `unknown_labels`.

    >>> evaluate_spans([["B-X", "I-X", "O", "B-Y"]], [["B-X", "O", "O", "B-Y"]]).f1
    0.5
    """
    pairs = Pairs.of(gold, guess, offsets)
    sides = [corpus_spans(ids, pairs.labels, pairs.offsets) for ids in (pairs.gold, pairs.guess)]
    # one numbering of the types for both sides: each side's numbers its own labels only
    types = sorted({side.types[kind] for side in sides for kind in np.unique(side.kinds).tolist()})
    number = {name: i for i, name in enumerate(types)}
    kinds = [np.array([number.get(t, -1) for t in s.types], dtype=np.int64)[s.kinds] for s in sides]
    common = _common(sides, kinds)
    found = [np.bincount(k, minlength=len(types)).tolist() for k in kinds]
    right = np.bincount(kinds[0][common], minlength=len(types)).tolist()
    n = len(pairs.offsets) - 1
    rows = [sides[0].sentences, sides[1].sentences, sides[0].sentences[common]]
    return SpanScores(
        tokens=len(pairs.gold),
        correct_tokens=int((pairs.gold == pairs.guess).sum()),
        sentences=n,
        overall=Counts(len(sides[0]), len(sides[1]), len(common)),
        types={t: Counts(found[0][i], found[1][i], right[i]) for i, t in enumerate(types)},
        unknown_labels=pairs.unseen(known_labels),
        per_sentence=np.stack([np.bincount(r, minlength=n) for r in rows], axis=1).astype(np.int64),
    )


def _common(sides: list[SpanArrays], kinds: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """The gold spans that were guessed. At most one span begins at a row, so begins identify them."""
    _, gold, guess = np.intersect1d(sides[0].begins, sides[1].begins, assume_unique=True, return_indices=True)
    same = (sides[0].ends[gold] == sides[1].ends[guess]) & (kinds[0][gold] == kinds[1][guess])
    common: NDArray[np.int64] = gold[same]
    return common
