"""MIRA, minimum risk and the perceptron over lists of translations, with gains in the place of losses.

Each sentence is an example; the candidates of the highest gain are right, and the loss of another is what it lacks
(`candidates.gains`), in hundredths of the metric. The learners are those of `palmette.learning`. Chiang et al.
2008; Cherry and Foster 2012; Smith and Eisner 2006; Liang et al. 2006.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from palmette._native import RankingProblem
from palmette.learning.mira import MIRA
from palmette.learning.perceptron import Perceptron
from palmette.learning.risk import MinimumRisk
from palmette.parameters import Options, option
from palmette.tools.translation.tuning.candidates import Scaled, dense_problem, gains
from palmette.tools.translation.tuning.lists import NBestLists
from palmette.tools.translation.tuning.metric import Floats


@dataclass(frozen=True, kw_only=True)
class MiraOptions(Options):
    """Options of k-best MIRA."""

    k: int = option(
        30, "number of candidates that must keep their margins, those that violate them most", low=1
    )
    c: float = option(0.01, "largest step for one sentence and candidate", above=0)
    passes: int = option(30, "passes over the sentences", low=1)


@dataclass(frozen=True, kw_only=True)
class RiskOptions(Options):
    """Options of minimum risk."""

    l2: float = option(0.01, "weight of the squares of weights in the objective", low=0)
    passes: int = option(100, "most steps of L-BFGS", low=1)


@dataclass(frozen=True, kw_only=True)
class PerceptronOptions(Options):
    """Options of the perceptron."""

    margin: float = option(
        0.0, "lead that the best candidate needs for each hundredth of the metric; 0: plain perceptron", low=0
    )
    passes: int = option(30, "passes over the sentences", low=1)


def train_mira(
    lists: NBestLists,
    start: Floats,
    tuned: NDArray[np.bool_],
    options: MiraOptions,
    random_state: int,
    n_jobs: int,
) -> Floats:
    """Return weights that keep each right candidate ahead of others by what these lack."""
    scaled, problem = _problem(lists, start, tuned)
    learner = MIRA(k=options.k, c=options.c, n_iter=options.passes, random_state=random_state, n_jobs=n_jobs)
    return scaled.learn(learner, problem)


def train_risk(
    lists: NBestLists,
    start: Floats,
    tuned: NDArray[np.bool_],
    options: RiskOptions,
    random_state: int,
    n_jobs: int,
) -> Floats:
    """Return weights with the least expected loss, where candidates have probabilities ∝ e^(w·f)."""
    scaled, problem = _problem(lists, start, tuned)
    learner = MinimumRisk(
        method="sgd" if scaled.has_fixed else "lbfgs",
        features="all",
        l2=options.l2,
        warm_up=0,
        n_iter=options.passes,
        random_state=random_state,
        n_jobs=n_jobs,
    )
    return scaled.learn(learner, problem)


def train_perceptron(
    lists: NBestLists,
    start: Floats,
    tuned: NDArray[np.bool_],
    options: PerceptronOptions,
    random_state: int,
    n_jobs: int,
) -> Floats:
    """Return weights of the averaged perceptron, whose updates all fix a violation.

    The wrong candidate of an update leads the best right one, or comes too close to it for its loss. So every
    update is valid in the sense of Huang et al. 2012, although the search that made the lists was not exact.
    """
    scaled, problem = _problem(lists, start, tuned)
    learner = Perceptron(
        margin=options.margin, n_iter=options.passes, random_state=random_state, n_jobs=n_jobs
    )
    return scaled.learn(learner, problem)


def _problem(lists: NBestLists, start: Floats, tuned: NDArray[np.bool_]) -> tuple[Scaled, RankingProblem]:
    scaled = Scaled(lists, start, tuned)
    values = gains(lists, start)
    best = np.maximum.reduceat(values, lists.lists[:-1])
    losses = 100 * (np.repeat(best, np.diff(lists.lists)) - values)
    return scaled, dense_problem(lists.lists, scaled.values, losses)
