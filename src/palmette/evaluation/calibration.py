"""Whether probabilities are what they say: of the guesses with p = 0.8, four of five should be right.

Guesses go into bins of equal width by their probability. The expected calibration error is
Σ over bins of (n_bin / n) · |share right in the bin − mean probability in the bin|. O(guesses).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from palmette.drawing.curves import Plot
from palmette.messages import counted


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """The guesses with a probability from `low` to below `high` (the last bin has 1 too)."""

    low: float
    high: float
    count: int
    probability: float  # the mean
    accuracy: float

    @property
    def gap(self) -> float:
        """Accuracy minus probability: below zero where the guesses are too sure."""
        return self.accuracy - self.probability


@dataclass(frozen=True)
class Reliability:
    """The bins that have guesses, lowest first."""

    bins: tuple[ReliabilityBin, ...]

    @property
    def count(self) -> int:
        """How many guesses there are."""
        return sum(one.count for one in self.bins)

    @property
    def error(self) -> float:
        """The expected calibration error; 0 of nothing."""
        total = sum(one.count * abs(one.gap) for one in self.bins)
        return total / self.count if self.bins else 0.0

    def plot(self) -> Plot:
        """Return the reliability diagram: how often guesses are right, by their probability."""
        right = [((one.low + one.high) / 2, one.accuracy) for one in self.bins]
        return Plot(
            {"guesses that are right": right, "probabilities that are true": [(0, 0), (1, 1)]},
            "probability",
            "share of guesses that are right",
            "Reliability",
            f"{counted(self.count, 'guess', 'guesses')}; expected calibration error {self.error:.4f}",
            styles={"guesses that are right": "bars", "probabilities that are true": "dashed"},
            x_range=(0, 1),
            y_range=(0, 1),
        )

    def _repr_svg_(self) -> str:
        return self.plot().svg()

    def to_dict(self) -> dict[str, Any]:
        """The error and a row for each bin."""
        rows = {
            f"{one.low:.2f} to {one.high:.2f}": {
                "count": one.count,
                "probability": one.probability,
                "accuracy": one.accuracy,
                "gap": one.gap,
            }
            for one in self.bins
        }
        return {"expected_calibration_error": self.error, "bins": rows}


def reliability(probabilities: ArrayLike, correct: ArrayLike, bins: int = 10) -> Reliability:
    """How often guesses are right, by the probability that was given to them.

    >>> table = reliability([0.95, 0.95, 0.55, 0.55], [True, True, True, False])
    >>> [(one.count, one.accuracy) for one in table.bins]
    [(2, 0.5), (2, 1.0)]
    """
    p, right = _checked(probabilities, correct)
    if bins < 1:
        raise ValueError(f"The number of bins must be at least 1. Got {bins}.")
    which = np.minimum((p * bins).astype(np.int64), bins - 1)
    counts = np.bincount(which, minlength=bins)
    sums = np.bincount(which, weights=p, minlength=bins)
    hits = np.bincount(which, weights=right, minlength=bins)
    rows = zip(range(bins), counts.tolist(), sums.tolist(), hits.tolist())
    return Reliability(
        tuple(
            ReliabilityBin(i / bins, (i + 1) / bins, count, total / count, hit / count)
            for i, count, total, hit in rows
            if count
        )
    )


def expected_calibration_error(probabilities: ArrayLike, correct: ArrayLike, bins: int = 10) -> float:
    """How far probabilities are from the shares that are right, on average over guesses.

    >>> round(expected_calibration_error([0.8, 0.8, 0.8, 0.8, 0.8], [1, 1, 1, 1, 0]), 12)
    0.0
    """
    return reliability(probabilities, correct, bins).error


def _checked(probabilities: ArrayLike, correct: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    p = np.asarray(probabilities, dtype=np.float64)
    right = np.asarray(correct, dtype=np.float64)
    if p.ndim != 1 or p.shape != right.shape:
        raise ValueError(f"There must be one answer for each probability. Got {p.shape} and {right.shape}.")
    # sums of floats may end a little above one
    if not ((p >= 0) & (p <= 1 + 1e-4)).all():
        raise ValueError("Probabilities must lie between 0 and 1.")
    if not ((right == 0) | (right == 1)).all():
        raise ValueError("Whether a guess is correct must be true or false.")
    return np.minimum(p, 1.0), right
