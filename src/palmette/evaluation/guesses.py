"""Guesses beside gold with a probability each: reliability, and precision and recall by threshold.

Only the guesses with a probability of at least t are kept. Precision is the part of the kept that is right, recall
the right ones that are kept among all decisions; the average precision is Σ over right guesses of the precision at
their probability, divided by the number of decisions. O(n log n).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette.drawing.curves import Plot
from palmette.evaluation.calibration import Reliability, reliability
from palmette.evaluation.tagging import TaggingScores, evaluate_tags

_MOST_POINTS = 200  # of a curve on a page


@dataclass(frozen=True)
class PrecisionRecall:
    """The curve from the surest guess alone to all guesses: a point for each different probability.

    >>> Guesses(["A", "B", "B"], ["A", "B", "A"], np.array([0.9, 0.8, 0.6])).precision_recall().precision.tolist()
    [1.0, 1.0, 0.6666666666666666]
    """

    threshold: NDArray[np.float64]
    precision: NDArray[np.float64]
    recall: NDArray[np.float64]

    @property
    def average_precision(self) -> float:
        """The precision at each step of the recall, weighted by the step."""
        return float(np.sum(np.diff(self.recall, prepend=0.0) * self.precision))

    def plot(self) -> Plot:
        """Return precision by recall."""
        chosen = np.unique(np.linspace(0, len(self.recall) - 1, _MOST_POINTS).astype(int))
        points = list(zip(self.recall[chosen].tolist(), self.precision[chosen].tolist()))
        return Plot(
            {"": points},
            "recall",
            "precision",
            "Precision and recall by threshold",
            f"average precision {self.average_precision:.4f}; all guesses kept: {self.precision[-1]:.4f}",
            x_range=(0, 1),
            y_range=(0, 1),
        )

    def _repr_svg_(self) -> str:
        return self.plot().svg()

    def to_dict(self) -> dict[str, Any]:
        """Return the points as plain data."""
        columns = {"threshold": self.threshold, "precision": self.precision, "recall": self.recall}
        return {
            "average_precision": self.average_precision,
            **{name: column.tolist() for name, column in columns.items()},
        }


@dataclass(frozen=True)
class Guesses:
    """What was guessed: gold and guess are labels; probability: of each guess, None where there is none.

    correct: which guesses count as right, where this is not that the labels are equal.
    """

    gold: Sequence[str]
    guess: Sequence[str]
    probability: NDArray[np.floating] | None = None
    correct: NDArray[np.bool_] | None = None

    @property
    def right(self) -> NDArray[np.bool_]:
        """Which guesses are right."""
        if self.correct is not None:
            return self.correct
        return np.array([a == b for a, b in zip(self.gold, self.guess, strict=True)], dtype=bool)

    def scores(self) -> TaggingScores:
        """Return accuracy, F1 of labels and confusions."""
        return evaluate_tags([list(self.gold)], [list(self.guess)])

    def reliability(self, bins: int = 10) -> Reliability:
        """Return how often guesses are right, by their probability."""
        return reliability(self._known(), self.right, bins)

    def precision_recall(self) -> PrecisionRecall:
        """Return the curve over all thresholds."""
        p, right = self._known(), self.right
        if not len(p):
            raise ValueError("There are no guesses to compare.")
        order = np.argsort(-p, kind="stable")
        kept = np.arange(1, len(p) + 1)
        hits = np.cumsum(right[order])
        last = np.append(np.diff(p[order]) != 0, True)  # equal probabilities are kept together
        return PrecisionRecall(p[order][last], (hits / kept)[last], (hits / len(p))[last])

    def _known(self) -> NDArray[np.float64]:
        if self.probability is None:
            raise ValueError("These guesses have no probabilities.")
        return np.asarray(self.probability, dtype=np.float64)
