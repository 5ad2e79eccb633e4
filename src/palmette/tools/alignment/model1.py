"""Models 1 and 2 of one direction, learnt by EM or VB. Seeds 004, §14.1 to §14.3."""

from __future__ import annotations

import numpy as np

from palmette._native import Bitext
from palmette.learning.em import EM
from palmette.learning.learner import Callback
from palmette.tools.alignment.direction import (
    Direction,
    as_floats,
    default_learner,
    learnt_weights,
    with_perplexity,
)
from palmette.tools.alignment.independent import (
    IndependentDirection,
    IndependentProblem,
    uniform_places,
)
from palmette.tools.alignment.table import LexicalTable

N_ITER = 4


def train_model1(
    bitext: Bitext,
    start: Direction | None = None,
    *,
    learner: EM | None = None,
    p0: float = 0.1,
    n_jobs: int = 1,
    callback: Callback | None = None,
) -> IndependentDirection:
    """Model 1: only words count.

    learner: `EM` or `VB`; None is VB with a sparse prior. p0: the probability of NULL.
    """
    problem = IndependentProblem(bitext, p0=p0, n_jobs=n_jobs)
    return _learnt("model1", problem, start, learner, 0.0, callback)


def train_diagonal(
    bitext: Bitext,
    start: Direction | None = None,
    *,
    learner: EM | None = None,
    p0: float = 0.08,
    tension: float = 4.0,
    n_jobs: int = 1,
    callback: Callback | None = None,
) -> IndependentDirection:
    """Model 2 with places near the diagonal; `tension`, how near, is where the fit begins."""
    if not 0 < tension <= 40:
        raise ValueError(
            f"The 'tension' parameter must be a number in the range (0, 40]. Got {tension!r} instead."
        )
    problem = IndependentProblem(bitext, p0=p0, tension=tension, n_jobs=n_jobs)
    return _learnt("diagonal", problem, start, learner, 0.0, callback)


def train_model2(
    bitext: Bitext,
    start: Direction | None = None,
    *,
    learner: EM | None = None,
    p0: float = 0.1,
    place_prior: float = 1.0,
    n_jobs: int = 1,
    callback: Callback | None = None,
) -> IndependentDirection:
    """Model 2 with a table of places for every pair of lengths; `place_prior` is added to the counts of places."""
    problem = IndependentProblem(bitext, p0=p0, full=True, n_jobs=n_jobs)
    return _learnt("model2", problem, start, learner, place_prior, callback)


def _learnt(
    kind: str,
    problem: IndependentProblem,
    start: Direction | None,
    learner: EM | None,
    place_prior: float,
    callback: Callback | None,
) -> IndependentDirection:
    if not 0 <= problem.p0 < 1:
        raise ValueError(
            f"The 'p0' parameter must be a number in the range [0, 1). Got {problem.p0!r} instead."
        )
    bitext, words = problem.bitext, problem.words
    learner = learner or default_learner(N_ITER)
    shapes = bitext.shape_lengths.reshape(-1, 2) if problem.full else np.zeros((0, 2), np.int32)
    places = uniform_places(shapes, problem.p0)
    begin = np.concatenate([words.begin(bitext, start, problem.n_jobs), places])
    priors = np.concatenate([words.priors(learner.prior), np.full(len(places), place_prior)])
    callback = with_perplexity(callback, int(bitext.lengths[1].sum()))
    estimate = learner.learn(problem, begin, priors=priors, callback=callback)
    weights = learnt_weights(learner, estimate, problem.groups)
    table = LexicalTable(bitext.first_of, bitext.target_of, as_floats(weights[: words.n_pairs]))
    learnt_places = estimate.weights[words.size :].astype(np.float32)
    return IndependentDirection(kind, table, problem.p0, problem.tension, shapes, learnt_places)
