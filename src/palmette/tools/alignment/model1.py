"""Models 1 and 2 of one direction, learnt by EM or VB. CSC 448, §14.1 to §14.3."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from palmette._native import Bitext
from palmette.learning.em import EM, Estimate
from palmette.learning.learner import Callback
from palmette.parameters import Options, option
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
# From nothing, VB would forget most pairs of words at once.
MODEL1_LEARNERS: tuple[EM, ...] = (EM(n_iter=N_ITER, tolerance=None, prior=3e-3),)
MODEL2_LEARNERS = DIAGONAL_LEARNERS = (default_learner(N_ITER),)


@dataclass(frozen=True, kw_only=True)
class Model1Options(Options):
    """The options of Model 1."""

    p0: float = option(0.1, "probability of NULL", low=0, below=1)


@dataclass(frozen=True, kw_only=True)
class Model2Options(Model1Options):
    """The options of Model 2."""

    place_prior: float = option(1.0, "number added to the counts of places", above=0)


@dataclass(frozen=True, kw_only=True)
class DiagonalOptions(Model1Options):
    """The options of Model 2 with places near the diagonal."""

    tension: float = option(
        4.0, "how near the diagonal places are when the fit begins", above=0, high=STEEPEST
    )


TABLES: dict[str, type[Model1Options]] = {
    "model1": Model1Options,
    "model2": Model2Options,
    "diagonal": DiagonalOptions,
}


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
    kind: str, bitext: Bitext, start: Direction | None, *, n_jobs: int = 1, **options: Any
) -> IndependentStage:
    """A stage of Model 1 or 2 before its training, with options of its table."""
    own = TABLES[kind].of(options, f"The model {kind!r}")
    problem = IndependentProblem(
        bitext,
        p0=own.p0,
        tension=own.tension if isinstance(own, DiagonalOptions) else 0.0,
        full=kind == "model2",
        n_jobs=n_jobs,
    )
    places = uniform_places(problem.shapes, own.p0)
    begin = np.concatenate([problem.words.begin(bitext, start, n_jobs), places])
    return IndependentStage(kind, problem, begin, own.place_prior if isinstance(own, Model2Options) else 1.0)


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
    VB for the others. Options: those of the table of the kind.
    """
    learner = learner or (MODEL1_LEARNERS if kind == "model1" else MODEL2_LEARNERS)[0]
    stage = independent_problem(kind, bitext, start, n_jobs=n_jobs, **options)
    callback = with_perplexity(callback, int(bitext.lengths[1].sum()))
    estimate = learner.learn(stage.problem, stage.begin, priors=stage.priors(learner), callback=callback)
    return stage.direction(learner, estimate)


train_model1 = partial(train_independent, "model1")
train_model2 = partial(train_independent, "model2")
train_diagonal = partial(train_independent, "diagonal")
