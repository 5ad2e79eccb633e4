"""How many words have the right sense, and how many could."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from palmette.drawing.tables import ReportPicture
from palmette.evaluation.bootstrap import Interval, interval


@dataclass(frozen=True)
class Judged:
    """A word with gold senses: whether a sense was given, whether it is right, and what baselines do.

    first: whether the first sense is right; chance: the part of the senses that are; possible: whether one is.
    """

    pos: str
    answered: bool
    right: bool
    first: bool
    chance: float
    possible: bool


@dataclass(frozen=True)
class SenseScores(ReportPicture):
    """The words with gold senses."""

    words: Sequence[Judged]

    @property
    def instances(self) -> int:
        return len(self.words)

    @property
    def precision(self) -> float:
        """The part of the words with a sense whose sense is right."""
        return sum(one.right for one in self.words) / max(sum(one.answered for one in self.words), 1)

    @property
    def recall(self) -> float:
        """The part of all words whose sense is right."""
        return _mean([float(one.right) for one in self.words])

    accuracy = recall

    @property
    def f1(self) -> float:
        p, r = self.precision, self.recall
        return 2 * p * r / (p + r) if p + r else 0.0

    @property
    def baselines(self) -> dict[str, float]:
        """What the first sense, a random one and the best one possible would reach."""
        return {
            "first_sense": _mean([float(one.first) for one in self.words]),
            "random": _mean([one.chance for one in self.words]),
            "upper_bound": _mean([float(one.possible) for one in self.words]),
        }

    def by_part_of_speech(self) -> dict[str, dict[str, float]]:
        """Recall and number of the words of each part of speech."""
        groups: defaultdict[str, list[float]] = defaultdict(list)
        for one in self.words:
            groups[one.pos or "-"].append(float(one.right))
        return {pos: {"recall": _mean(own), "instances": len(own)} for pos, own in sorted(groups.items())}

    def interval(self) -> Interval:
        """A confidence interval of the recall, over words."""
        return interval([[int(one.right), 1] for one in self.words])

    def to_dict(self) -> dict[str, Any]:
        return {
            "f1": self.f1,
            "precision": self.precision,
            "recall": self.recall,
            "instances": self.instances,
            **self.baselines,
        }

    def __str__(self) -> str:
        return f"F1 {self.f1:.4f} of {self.instances} words, first sense {self.baselines['first_sense']:.4f}"


def _mean(values: Sequence[float]) -> float:
    return sum(values) / max(len(values), 1)
