"""The regularisation path: one model for each strength of the L2 term, each started from the one before.

From strong to weak: a strong term needs few passes from zero, and each optimum lies near the next.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass

from palmette.learning.learner import Callback, Learned, Score
from palmette.learning.loglinear import CRF
from palmette.learning.problem import Problem, Weights
from palmette.parameters import require_number


@dataclass(frozen=True)
class PathPoint:
    """The model for one l2, and how well it did on the dev set (None without one)."""

    l2: float
    learned: Learned
    dev: float | None

    @property
    def weights(self) -> Weights:
        """The weights of the model."""
        return self.learned.weights


def regularisation_path(
    learner: CRF,
    problem: Problem,
    l2s: Iterable[float],
    *,
    dev: Problem | Score | None = None,
    start: Weights | None = None,
    callback: Callback | None = None,
) -> list[PathPoint]:
    """The models for these strengths, from the strongest to the weakest; after Ctrl-C those that were begun.

    learner: its own l2 is not used. The other parameters are those of `learn`.
    """
    strengths = sorted({float(l2) for l2 in _checked(l2s)}, reverse=True)
    points: list[PathPoint] = []
    for l2 in strengths:
        learned = dataclasses.replace(learner, l2=l2).learn(problem, dev=dev, start=start, callback=callback)
        scores = [report.numbers["dev"] for report in learned.history if "dev" in report.numbers]
        points.append(PathPoint(l2, learned, max(scores, default=None)))
        if learned.interrupted:
            break
        start = learned.weights
    return points


def _checked(l2s: Iterable[float]) -> list[float]:
    listed = list(l2s)
    if not listed:
        raise ValueError("A path needs at least one l2.")
    for l2 in listed:
        require_number("l2", l2, 0)
    return listed
