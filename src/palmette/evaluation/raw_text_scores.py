"""The scores of CoNLL-U from raw text: a row of counts for every measure, their intervals, the mistakes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette.drawing.tables import ReportPicture
from palmette.evaluation.bootstrap import Interval, interval
from palmette.evaluation.counts import Counts, ratio

MEASURES = tuple("tokens sentences words upos xpos ufeats alltags lemmas uas las clas mlas blex".split())
OF_TREES = MEASURES[8:]
# The shared task's names, for tables.
TITLES = dict(
    zip(MEASURES, "Tokens Sentences Words UPOS XPOS UFeats AllTags Lemmas UAS LAS CLAS MLAS BLEX".split())
)


@dataclass(frozen=True, slots=True)
class AlignedCounts(Counts):
    """Counts of words, and how many of gold's have a word in the guess: None for what is not compared by words."""

    aligned: int | None = None

    @property
    def aligned_accuracy(self) -> float | None:
        """The part of the aligned words that is right; 0 if there are none."""
        return None if self.aligned is None else ratio(self.correct, self.aligned)

    def to_dict(self) -> dict[str, Any]:
        """Rates as fractions of one, and the counts."""
        return {
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
            "aligned_accuracy": self.aligned_accuracy,
            "gold": self.gold,
            "guess": self.guess,
            "correct": self.correct,
            "aligned": self.aligned,
        }


@dataclass(frozen=True)
class RawTextScores(ReportPicture):
    """Scores of an analysis of raw text, by measure.

    `counts` has the measures in the order of the shared task; those of trees are missing if a file has no heads.
    `confused` has for each layer (upos, xpos, ufeats, lemmas, relations) the mistakes on aligned words: gold,
    guess, how often, the commonest first. `per_sentence[m]` has for measure m and every gold sentence what is in
    gold, in the guess and right; what the guess has belongs to the gold sentence in which it begins.
    """

    counts: dict[str, AlignedCounts]
    confused: dict[str, list[tuple[str, str, int]]]
    per_sentence: dict[str, NDArray[np.int64]] = field(repr=False, compare=False, default_factory=dict)

    @property
    def has_trees(self) -> bool:
        """Whether heads were scored."""
        return "las" in self.counts

    def f1(self, measure: str) -> float:
        """F1 of a measure, the number that the shared task calls its score."""
        return self._known(measure).f1

    def ratios(self, measure: str = "las") -> NDArray[np.int64]:
        """Per gold sentence two numbers, so that F1 is the ratio of their sums: for the bootstrap."""
        self._known(measure)
        gold, guess, correct = self.per_sentence[measure].T
        return np.stack([2 * correct, gold + guess], axis=1)

    def interval(
        self, measure: str = "las", level: float = 0.95, n_resamples: int = 1000, random_state: int = 0
    ) -> Interval:
        """A confidence interval of the F1 of a measure, over gold sentences."""
        return interval(self.ratios(measure), level, n_resamples, random_state)

    def worst(self, measure: str = "las", k: int = 10) -> list[tuple[int, int]]:
        """The k gold sentences with most mistakes, missed and invented: their numbers, from 1, and how many."""
        correct, all_of_it = self.ratios(measure).T
        wrong = all_of_it - correct
        order = np.argsort(-wrong, kind="stable")[:k].tolist()
        return [(i + 1, int(wrong[i])) for i in order if wrong[i]]

    def to_dict(self) -> dict[str, Any]:
        """Rates as fractions of one, and the counts, by measure; None for trees that were not scored."""
        rows = {name: self.counts[name].to_dict() if name in self.counts else None for name in MEASURES}
        confused = {
            layer: [{"gold": a, "guess": b, "count": n} for a, b, n in mistakes]
            for layer, mistakes in self.confused.items()
        }
        return {**rows, "confused": confused}

    def __str__(self) -> str:
        lines = ["Metric     | Precision |    Recall |        F1 | Aligned"]
        for name, one in self.counts.items():
            shown = [one.precision, one.recall, one.f1, one.aligned_accuracy]
            cells = [" " * 9 if rate is None else f"{100 * rate:9.2f}" for rate in shown]
            lines.append(f"{TITLES[name]:<10} | {' | '.join(cells)}".rstrip(" |"))
        return "\n".join(lines)

    def _known(self, measure: str) -> AlignedCounts:
        if measure in self.counts:
            return self.counts[measure]
        if measure in OF_TREES:
            raise ValueError(f"There is no {measure}: gold or the guess has no heads.")
        raise ValueError(f"The 'measure' must be one of {', '.join(MEASURES)}. Got {measure!r} instead.")
