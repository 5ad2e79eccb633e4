"""Scores of word alignments: precision, recall, F and the alignment error rate, from sure and possible links.

    precision = |A ∩ P| / |A|      recall = |A ∩ S| / |S|      AER = 1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|)

Och and Ney 2003. Sure links are possible too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from palmette.drawing.tables import ReportPicture
from palmette.evaluation.bootstrap import Interval, interval
from palmette.evaluation.counts import ratio
from palmette.formats.pharaoh import GoldAlignment, Link


@dataclass(frozen=True)
class AlignmentScores(ReportPicture):
    """Counts over sentence pairs; `per_sentence` has links proposed, sure, right and sure, right and possible."""

    per_sentence: tuple[tuple[int, int, int, int], ...]

    @property
    def _sums(self) -> tuple[int, int, int, int]:
        a, s, both, may = np.asarray(self.per_sentence, dtype=np.int64).reshape(-1, 4).sum(axis=0).tolist()
        return a, s, both, may

    @property
    def precision(self) -> float:
        """The part of the links that is possible."""
        a, _, _, may = self._sums
        return ratio(may, a)

    @property
    def recall(self) -> float:
        """The part of the sure links that was found."""
        _, s, both, _ = self._sums
        return ratio(both, s)

    @property
    def f1(self) -> float:
        """The harmonic mean of the two."""
        p, r = self.precision, self.recall
        return 2 * p * r / (p + r) if p + r else 0.0

    @property
    def aer(self) -> float:
        """The alignment error rate."""
        a, s, both, may = self._sums
        return 1 - ratio(both + may, a + s) if a + s else 0.0

    def interval(self, level: float = 0.95) -> Interval:
        """The interval of the alignment error rate, by the bootstrap over sentence pairs."""
        table = np.asarray(self.per_sentence, dtype=np.float64).reshape(-1, 4)
        right = interval(np.stack([table[:, 2] + table[:, 3], table[:, 0] + table[:, 1]], axis=1), level)
        return Interval(1 - right.value, 1 - right.high, 1 - right.low, level)

    def to_dict(self) -> dict[str, Any]:
        """The measures by name."""
        a, s, _, _ = self._sums
        return {
            "aer": self.aer,
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
            "sentences": len(self.per_sentence),
            "links": a,
            "sure": s,
        }


def evaluate_alignments(gold: Iterable[GoldAlignment], found: Iterable[Collection[Link]]) -> AlignmentScores:
    """Compare links with the right ones.

    >>> gold = GoldAlignment(frozenset({(0, 0)}), frozenset({(0, 0), (1, 1)}))
    >>> scores = evaluate_alignments([gold], [{(0, 0), (1, 1), (1, 0)}])
    >>> round(scores.precision, 3), scores.recall, scores.aer
    (0.667, 1.0, 0.25)
    """
    rows = []
    for right, links in zip(gold, found, strict=True):
        made = set(links)
        rows.append((len(made), len(right.sure), len(made & right.sure), len(made & right.possible)))
    return AlignmentScores(tuple(rows))
