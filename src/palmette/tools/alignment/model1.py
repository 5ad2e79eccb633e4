"""Models 1 and 2 of one direction, learnt by EM or VB. CSC 448, §14.1 to §14.3."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from palmette._native import Bitext
from palmette.learning.em import EM, Estimate
from palmette.learning.learner import Callback
from palmette.parameters import require_number
from palmette.tools.alignment.direction import (
    Direction,
    default_learner,
    learnt_weights,
    with_perplexity,
)
from palmette.tools.alignment.independent import (
    STEEPEST,
    Doubles,
    IndependentDirection,
    IndependentProblem,
    uniform_places,
)

N_ITER = 4
FIRST = EM(
    n_iter=N_ITER, tolerance=None, prior=3e-3
)  # from nothing, VB would forget most pairs of words at once


@dataclass(frozen=True, eq=False)
class IndependentStage:
    """A problem with what training needs beside it: weights to begin with, priors, and the way back."""

    kind: str
    problem: IndependentProblem
    begin: Doubles
    place_prior: float

    def priors(self, learner: EM) -> Doubles:
        """A prior for every parameter."""
        words = self.problem.words
        return np.concatenate(
            [words.priors(learner.prior), np.full(len(self.begin) - words.size, self.place_prior)]
        )

    def direction(self, learner: EM, estimate: Estimate) -> IndependentDirection:
        """What was learnt."""
        problem, words, bitext = self.problem, self.problem.words, self.problem.bitext
        weights = learnt_weights(learner, estimate, problem.groups)
        table = words.table(bitext, weights)
        places = estimate.weights[words.size :].astype(np.float32)
        return IndependentDirection(self.kind, table, problem.p0, problem.tension, problem.shapes, places)


def independent_problem(
    kind: str,
    bitext: Bitext,
    start: Direction | None,
    *,
    p0: float = 0.1,
    tension: float = 4.0,
    place_prior: float = 1.0,
    n_jobs: int = 1,
) -> IndependentStage:
    """A stage of Model 1 or 2 before its training."""
    if not 0 <= p0 < 1:
        raise ValueError(f"The 'p0' parameter must be a number in the range [0, 1). Got {p0!r} instead.")
    if not 0 < tension <= STEEPEST:
        raise ValueError(
            f"The 'tension' parameter must be a number in the range (0, 40]. Got {tension!r} instead."
        )
    require_number("place_prior", place_prior, 0, strict=True)
    problem = IndependentProblem(
        bitext, p0=p0, tension=tension if kind == "diagonal" else 0.0, full=kind == "model2", n_jobs=n_jobs
    )
    begin = np.concatenate([problem.words.begin(bitext, start, n_jobs), uniform_places(problem.shapes, p0)])
    return IndependentStage(kind, problem, begin, place_prior)


def train_independent(
    kind: str,
    bitext: Bitext,
    start: Direction | None = None,
    *,
    learner: EM | None = None,
    n_jobs: int = 1,
    callback: Callback | None = None,
    **options: Any,
) -> Direction:
    """Model 1, or Model 2 with places near the diagonal, or with a table of places for every pair of lengths.

    kind: "model1", "diagonal" or "model2". learner: `EM` or `VB`; None is EM with a small prior for Model 1,
    VB for the others. Options: p0, the probability of NULL; tension, how near the diagonal, where the fit begins;
    place_prior, added to the counts of places.
    """
    learner = learner or (FIRST if kind == "model1" else default_learner(N_ITER))
    stage = independent_problem(kind, bitext, start, n_jobs=n_jobs, **options)
    callback = with_perplexity(callback, int(bitext.lengths[1].sum()))
    estimate = learner.learn(stage.problem, stage.begin, priors=stage.priors(learner), callback=callback)
    return stage.direction(learner, estimate)
