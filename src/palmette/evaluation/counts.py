"""Precision, recall and F1 of one kind of thing: P = correct / guess, R = correct / gold, F1 = 2PR / (P + R)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Counts:
    """How many there are in gold, how many were guessed, how many of those are right.

    >>> Counts(gold=4, guess=2, correct=1).f1  # = 2 · 1 / (4 + 2)
    0.3333333333333333
    """

    gold: int
    guess: int
    correct: int

    @property
    def precision(self) -> float:
        """The part of the guesses that is right; 0 if there are none, as conlleval has it."""
        return ratio(self.correct, self.guess)

    @property
    def recall(self) -> float:
        """The part of gold that was guessed; 0 if there is none."""
        return ratio(self.correct, self.gold)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return ratio(2 * self.correct, self.gold + self.guess)

    def to_dict(self) -> dict[str, Any]:
        """Rates as fractions of one, and the counts."""
        return {
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
            "gold": self.gold,
            "guess": self.guess,
            "correct": self.correct,
        }

    def percentages(self) -> str:
        """As a line of conlleval."""
        return (
            f"precision: {100 * self.precision:6.2f}%; recall: {100 * self.recall:6.2f}%; "
            f"FB1: {100 * self.f1:6.2f}"
        )


def ratio(part: int, whole: int) -> float:
    """Return part / whole, and 0 if there is no whole."""
    return part / whole if whole else 0.0
