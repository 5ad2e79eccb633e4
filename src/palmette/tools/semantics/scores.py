"""How many questions are answered as they should be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from palmette.drawing.tables import ReportPicture
from palmette.evaluation.bootstrap import Interval, interval


@dataclass(frozen=True)
class SemanticScores(ReportPicture):
    """right: for each question, whether its answer is the right one; answered: whether there is one at all."""

    right: Sequence[bool]
    answered: Sequence[bool]

    @property
    def questions(self) -> int:
        return len(self.right)

    @property
    def accuracy(self) -> float:
        """The part of all questions whose answer is right."""
        return sum(self.right) / max(len(self.right), 1)

    @property
    def precision(self) -> float:
        """The part of the answered questions whose answer is right."""
        return sum(self.right) / max(sum(self.answered), 1)

    @property
    def coverage(self) -> float:
        """The part of the questions that are answered."""
        return sum(self.answered) / max(len(self.answered), 1)

    def interval(self) -> Interval:
        """A confidence interval of the accuracy, over questions."""
        return interval([[int(right), 1] for right in self.right])

    def to_dict(self) -> dict[str, Any]:
        return {
            "accuracy": self.accuracy,
            "precision": self.precision,
            "coverage": self.coverage,
            "questions": self.questions,
        }

    def __str__(self) -> str:
        return f"accuracy {self.accuracy:.4f} of {self.questions} questions, {self.coverage:.4f} answered"
