"""Lists of translations as a learning problem, so that the learners of `palmette.learning` tune weights.

A candidate is an output, and what it lacks of the best gain in its list is its loss. The gain of a candidate is
the metric of a corpus of average sentences of which one is this candidate, times the number of sentences: a sum
of gains is nearly the metric of the corpus (Chiang et al. 2008), where a sum of sentences' own metrics is not.
Features are divided by their spread, so that steps and penalties mean the same for all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette._native import RankingProblem
from palmette.learning.learner import Learner
from palmette.tools.translation.tuning.lists import NBestLists
from palmette.tools.translation.tuning.metric import Floats

_BACKGROUND = 10.0  # sentences of the corpus that a gain is measured in; more lose digits and gain nothing


def gains(lists: NBestLists, weights: Floats) -> Floats:
    """Return the gain of every candidate, beside average counts of the candidates that are best with weights."""
    average = lists.counts[lists.best(weights)].mean(axis=0, dtype=np.float64)
    beside = lists.metric.scores(lists.counts.astype(np.float64) + _BACKGROUND * average)
    return beside * (_BACKGROUND + 1)


def dense_problem(
    lists: NDArray[np.int64], values: Floats, losses: Floats, weights: NDArray[np.float32] | None = None
) -> RankingProblem:
    """Return the problem of choosing from lists of candidates, each with a row of values and a loss."""
    n, k = values.shape
    return RankingProblem(
        lists,
        np.arange(n + 1, dtype=np.int64) * k,
        np.tile(np.arange(k, dtype=np.int32), n),
        np.ascontiguousarray(values, dtype=np.float32).reshape(-1),
        np.ascontiguousarray(losses, dtype=np.float32),
        weights,
        k,
    )


class Scaled:
    """Features for learners: the tuned ones divided by their spread, and one more for all that is fixed.

    The last feature, if fixed ones differ within lists, is their score. Its weight begins as one. A learner may
    shrink it, as it does all weights, so the others are divided by it in the end: that changes no choice. All
    values are less those of the first candidate of their list, which keeps 32-bit numbers exact.
    """

    def __init__(self, lists: NBestLists, start: Floats, tuned: NDArray[np.bool_]) -> None:
        self.lists, self.start, self.tuned = lists, start, tuned
        self._spread = lists.spread[tuned]
        fixed = lists.features[:, ~tuned] @ start[~tuned]
        values = np.concatenate([lists.features[:, tuned] / self._spread, fixed[:, None]], axis=1)
        values -= np.repeat(values[lists.lists[:-1]], np.diff(lists.lists), axis=0)
        self.has_fixed = bool(values[:, -1].any())
        self.values: Floats = values if self.has_fixed else np.ascontiguousarray(values[:, :-1])

    @property
    def first(self) -> NDArray[np.float32]:
        """The start as learners see it."""
        own = self.start[self.tuned] * self._spread
        return np.append(own, [1.0] * self.has_fixed).astype(np.float32)

    def weights(self, learned: NDArray[Any]) -> Floats:
        """Return what a learner found as weights of all features."""
        own = learned.astype(np.float64)
        if self.has_fixed:
            own = own[:-1] / max(float(own[-1]), 1e-6)
        found = self.start.copy()
        found[self.tuned] = own / self._spread
        return found

    def score(self, learned: NDArray[Any]) -> float:
        """Return the metric on the lists of what a learner found."""
        return self.lists.score(self.weights(learned))

    def learn(self, learner: Learner, problem: RankingProblem, *, last: bool = False) -> Floats:
        """Return the weights of the pass whose metric on the lists is the best; last: those of the last pass."""
        if self.has_fixed:
            problem.keep_to(np.append(np.ones(len(self._spread)), 0).astype(np.uint8))
        start, scores = self.first, _ButTheFirst(self.score)
        found = learner.learn(problem, dev=None if last else scores, start=start)
        return self.weights(found.weights)


class _ButTheFirst:
    """A score for which the first weights that it sees, those of the start, are the worst.

    A learner returns the start if no pass is better; here the start is not among the answers.
    """

    def __init__(self, score: Callable[[NDArray[Any]], float]) -> None:
        self._score = score
        self._is_first = True

    def __call__(self, learned: NDArray[Any]) -> float:
        if self._is_first:
            self._is_first = False
            return -np.inf
        return self._score(learned)
