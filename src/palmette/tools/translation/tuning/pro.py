"""Pairwise ranking optimization: a log-linear classifier of which candidate of a pair is the better translation.

CSC 448, §21.2.2, algorithm 18; Hopkins and May 2011. Random pairs of candidates of a sentence are drawn, those
that differ most are kept, and p(i is better than j) ∝ e^(w·f(i)) is learnt: lists of two candidates, one right.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from palmette._native import RankingProblem
from palmette.learning.loglinear import CRF
from palmette.parameters import Options, option
from palmette.tools.translation.tuning.candidates import Scaled, dense_problem, gains
from palmette.tools.translation.tuning.lists import NBestLists
from palmette.tools.translation.tuning.metric import Floats


@dataclass(frozen=True, kw_only=True)
class ProOptions(Options):
    """Which pairs are learnt from, and how."""

    pairs: int = option(5000, "pairs of candidates drawn for each sentence", low=1, high=10_000_000)
    kept: int = option(50, "most pairs kept for each sentence, those with the largest differences", low=1)
    difference: float = option(0.0, "least difference of the metric within a pair", low=0)
    gain: str = option(
        "sentence",
        "the metric of a candidate: of the sentence alone, or as a part of the corpus",
        choices=("sentence", "corpus"),
    )
    l2: float = option(0.1, "weight of the squares of weights in the objective", low=0)


def train(
    lists: NBestLists,
    start: Floats,
    tuned: NDArray[np.bool_],
    options: ProOptions,
    random_state: int,
    n_jobs: int,
) -> Floats:
    """Return the weights that rank pairs of candidates best."""
    values = lists.sentence_scores if options.gain == "sentence" else gains(lists, start)
    better, worse = sampled_pairs(lists, values, options, random_state)
    if not len(better):
        return start
    scaled = Scaled(lists, start, tuned)
    learner = CRF(
        method="sgd" if scaled.has_fixed else "lbfgs",
        features="all",
        l2=options.l2,
        warm_up=0,
        random_state=random_state,
        n_jobs=n_jobs,
    )
    return scaled.learn(learner, pair_problem(scaled.values, better, worse), last=True)


def pair_problem(values: Floats, better: NDArray[np.int64], worse: NDArray[np.int64]) -> RankingProblem:
    """Return pairs of rows as lists of two candidates, of which the first is right."""
    n = len(better)
    rows = np.stack([values[better], values[worse]], axis=1).reshape(2 * n, -1)
    return dense_problem(np.arange(n + 1, dtype=np.int64) * 2, rows, np.tile([0.0, 1.0], n))


def sampled_pairs(
    lists: NBestLists, values: Floats, options: ProOptions, random_state: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the better and the worse candidates of pairs, as rows of the lists."""
    rng = np.random.default_rng(random_state)
    better, worse = [], []
    for begin, end in zip(lists.lists[:-1].tolist(), lists.lists[1:].tolist()):
        drawn = rng.integers(begin, end, size=(2, options.pairs))
        gap = values[drawn[0]] - values[drawn[1]]
        drawn = np.where(gap >= 0, drawn, drawn[::-1])
        far = np.flatnonzero((np.abs(gap) >= options.difference) & (gap != 0))
        pairs = np.unique(drawn[:, far], axis=1)
        gap = values[pairs[0]] - values[pairs[1]]
        first = np.argsort(-gap, kind="stable")[: options.kept]
        better.append(pairs[0, first])
        worse.append(pairs[1, first])
    return np.concatenate(better), np.concatenate(worse)
