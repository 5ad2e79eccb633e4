"""The scores of brackets: sums over sentences, so that a class of sentences is a choice of rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette.drawing.tables import ReportPicture
from palmette.evaluation.bootstrap import Interval, interval
from palmette.evaluation.counts import Counts, ratio

COLUMNS = (
    "gold",  # brackets
    "guessed",
    "right",
    "crossing",  # guessed brackets that cross a gold one
    "words",  # that count
    "right_tags",
    "length",  # in all words
    "discontinuous_gold",
    "discontinuous_guessed",
    "discontinuous_right",
)


@dataclass(frozen=True)
class BracketScores(ReportPicture):
    """Scores of brackets; `per_sentence[i]` has the counts of sentence i by the names of COLUMNS.

    limit: the longest of the short sentences. disagreeing: sentences in which gold and guess, each by its own
    tags, would not take out the same words: EVALB gives these up.
    """

    per_sentence: NDArray[np.int64] = field(repr=False, compare=False)
    labels: dict[str, Counts]
    limit: int = 40
    disagreeing: int = 0

    @cached_property
    def totals(self) -> dict[str, int]:
        """The sums over the sentences, by the names of COLUMNS."""
        return dict(zip(COLUMNS, self.per_sentence.sum(axis=0).tolist()))

    @property
    def sentences(self) -> int:
        """How many were compared."""
        return len(self.per_sentence)

    @property
    def overall(self) -> Counts:
        """The brackets of all labels."""
        return Counts(self.totals["gold"], self.totals["guessed"], self.totals["right"])

    @property
    def discontinuous(self) -> Counts:
        """The brackets with gaps."""
        return Counts(*(self.totals[f"discontinuous_{name}"] for name in ("gold", "guessed", "right")))

    @property
    def precision(self) -> float:
        """The part of the guessed brackets that is right."""
        return self.overall.precision

    @property
    def recall(self) -> float:
        """The part of the gold brackets that was found."""
        return self.overall.recall

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return self.overall.f1

    @property
    def exact_match(self) -> float:
        """The part of the sentences with exactly the gold brackets."""
        gold, guessed, right = self.per_sentence[:, :3].T
        return ratio(int(((gold == right) & (guessed == right)).sum()), self.sentences)

    @property
    def crossing(self) -> float:
        """Guessed brackets that cross a gold one, per sentence."""
        return ratio(self.totals["crossing"], self.sentences)

    def at_most_crossing(self, most: int) -> float:
        """Return the share of the sentences with at most this number of crossing brackets."""
        return ratio(int((self.per_sentence[:, 3] <= most).sum()), self.sentences)

    @property
    def tagging_accuracy(self) -> float:
        """The part of the words, punctuation apart, whose tag is right."""
        return ratio(self.totals["right_tags"], self.totals["words"])

    @property
    def short(self) -> BracketScores:
        """The same for sentences of at most `limit` words, punctuation counted; without the table of labels."""
        chosen = self.per_sentence[self.per_sentence[:, COLUMNS.index("length")] <= self.limit]
        return BracketScores(chosen, {}, self.limit)

    def ratios(self) -> NDArray[np.int64]:
        """Per sentence two numbers, so that F1 is the ratio of their sums: for the bootstrap."""
        gold, guessed, right = self.per_sentence[:, :3].T
        return np.stack([2 * right, gold + guessed], axis=1)

    def interval(self, level: float = 0.95, n_resamples: int = 1000, random_state: int = 0) -> Interval:
        """The bootstrap interval of F1 over sentences."""
        return interval(self.ratios(), level, n_resamples, random_state)

    def to_dict(self) -> dict[str, Any]:
        """All of it as numbers by name."""
        gaps = self.discontinuous
        return {
            "f1": self.f1,
            "precision": self.precision,
            "recall": self.recall,
            "exact_match": self.exact_match,
            "crossing": self.crossing,
            "no_crossing": self.at_most_crossing(0),
            "two_or_less_crossing": self.at_most_crossing(2),
            "tagging_accuracy": self.tagging_accuracy,
            "discontinuous_f1": gaps.f1,
            "discontinuous_precision": gaps.precision,
            "discontinuous_recall": gaps.recall,
            "discontinuous_gold": gaps.gold,
            "short_f1": self.short.f1,
            "sentences": self.sentences,
            "short_sentences": self.short.sentences,
            "tokens": self.totals["words"],
            "disagreeing_punctuation": self.disagreeing,
            "labels": {label: counts.to_dict() for label, counts in self.labels.items()},
        }

    def __str__(self) -> str:
        """The summary that EVALB prints."""
        short = _summary(self.short)
        return "\n".join(["-- All --", *_summary(self), "", f"-- len<={self.limit} --", *short])


def _summary(scores: BracketScores) -> list[str]:
    rows = [
        ("Number of sentence", scores.sentences),
        ("Bracketing Recall", 100 * scores.recall),
        ("Bracketing Precision", 100 * scores.precision),
        ("Bracketing FMeasure", 100 * scores.f1),
        ("Complete match", 100 * scores.exact_match),
        ("Average crossing", scores.crossing),
        ("No crossing", 100 * scores.at_most_crossing(0)),
        ("2 or less crossing", 100 * scores.at_most_crossing(2)),
        ("Tagging accuracy", 100 * scores.tagging_accuracy),
    ]
    return [
        f"{name:<25} = {value:6d}" if type(value) is int else f"{name:<25} = {value:6.2f}"
        for name, value in rows
    ]
