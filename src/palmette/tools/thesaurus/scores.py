"""How well similarities of words agree with those that people gave."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette.drawing.tables import ReportPicture


@dataclass(frozen=True)
class SimilarityScores(ReportPicture):
    """Rank correlation with judgements of people.

    spearman: over the pairs whose words both have entries; None with fewer than two different values on a side.
    spearman_all: over all pairs, where the others have similarity 0. pairs, covered: their numbers.
    """

    spearman: float | None
    spearman_all: float | None
    pairs: int
    covered: int

    @classmethod
    def of(cls, found: Sequence[float | None], gold: Sequence[float]) -> SimilarityScores:
        """Compare similarities, None where a word is unknown, with gold values.

        >>> SimilarityScores.of([0.1, 0.5, None, 0.3], [1, 9, 5, 4])
        SimilarityScores(spearman=1.0, spearman_all=0.4, pairs=4, covered=3)
        """
        if not np.isfinite(gold).all():
            raise ValueError("Values of pairs must be finite numbers.")
        known = [i for i, one in enumerate(found) if one is not None]
        return cls(
            spearman([found[i] or 0.0 for i in known], [gold[i] for i in known]),
            spearman([one or 0.0 for one in found], gold),
            len(gold),
            len(known),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the scores as plain data."""
        return dict(self.__dict__)

    def __str__(self) -> str:
        value = "none" if self.spearman is None else f"{self.spearman:.3f}"
        return f"Spearman {value} ({self.covered} of {self.pairs} pairs)"


def spearman(a: Sequence[float], b: Sequence[float]) -> float | None:
    """Return the correlation of ranks, those of equal values averaged; None where one side has no two values.

    >>> spearman([1, 2, 3], [10, 30, 20]), spearman([1, 1], [1, 2])
    (0.5, None)
    """
    x, y = (_ranks(np.asarray(values, dtype=np.float64)) for values in (a, b))
    x, y = x - x.mean() if len(x) else x, y - y.mean() if len(y) else y
    scale = float(np.sqrt((x * x).sum() * (y * y).sum()))
    return None if scale == 0 else round(float((x * y).sum()) / scale, 12)


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray((ends - (counts - 1) / 2)[places] if len(values) else values, dtype=np.float64)
