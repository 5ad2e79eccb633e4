"""AROW against its update written out over dense vectors; weights that may not move."""

from __future__ import annotations

import numpy as np
import pytest

from palmette._native import ArowMemory, PerceptronMemory
from palmette.learning.arow import AROW
from palmette.learning.learner import Shuffled
from samples.learning_chains import random_chain

pytestmark = pytest.mark.native


@pytest.mark.parametrize("options", [{}, {"weighted": True}, {"unknown": 0.4}, {"order": 2}])
def test_every_step(options):
    chain = random_chain(1, **options)
    gamma, w = 0.7, np.zeros(chain.n_weights)
    variance = np.full(chain.n_weights, 2.0)
    memory, have = ArowMemory(chain.n_weights, 2.0), w.astype(np.float32)
    problem, updates = chain.problem(), 0
    for i in [*range(len(chain.sentences))] * 2:
        guess, gold = chain.best(i, have.astype(np.float64), 0.0), chain.gold(i, have.astype(np.float64))
        made, violations = problem.arow_epoch(have, memory, np.array([i]), gamma)
        d = chain.difference(i, gold, guess)
        violation = chain.loss(i, guess) - w @ d
        if guess != gold and violation > 0:
            weight = chain.weight(i)
            w = w + weight * violation / (gamma + variance @ d**2) * variance * d
            variance = 1 / (1 / variance + weight * d**2 / gamma)
            assert violations == pytest.approx(weight * violation, rel=1e-3, abs=1e-4)
            updates += made
        np.testing.assert_allclose(have, w, atol=1e-4)
        np.testing.assert_allclose(memory.variance(), variance, rtol=1e-4)
    assert updates > 2


def test_learner_separates_and_stops():
    chain = random_chain(2)
    learned = AROW(n_iter=100, gamma=0.1).learn(chain.problem())
    losses = [report.numbers["loss"] for report in learned.history]
    assert losses[-1] < losses[0]


@pytest.mark.parametrize("options", [{"gamma": 0.0}, {"variance": -1.0}])
def test_bad_options(options):
    with pytest.raises(ValueError, match="must be a number"):
        AROW(**options)


def test_bad_memories():
    problem = random_chain(1).problem()
    w, order = np.zeros(problem.n_weights, dtype=np.float32), np.array([0])
    with pytest.raises(ValueError, match="another problem"):
        problem.arow_epoch(w, ArowMemory(3, 1.0), order, 1.0)
    with pytest.raises(ValueError, match="gamma must be positive"):
        problem.arow_epoch(w, ArowMemory(problem.n_weights, 1.0), order, 0.0)
    with pytest.raises(ValueError, match="one entry per weight"):
        problem.keep_to(np.zeros(3, dtype=np.uint8))


def test_weights_that_are_not_free_stay():
    chain = random_chain(3)
    free = np.random.default_rng(0).integers(0, 2, chain.n_weights).astype(np.uint8)
    problem, plain = chain.problem(), chain.problem()
    problem.keep_to(free)
    order = next(Shuffled(len(problem), 0).slices())
    w, v = (np.zeros(chain.n_weights, dtype=np.float32) for _ in range(2))
    problem.perceptron_epoch(w, PerceptronMemory(0, False), order)
    problem.sgd_epoch(v, 1.0, 0, order, 0.1, 0.0, False)
    for moved in (w, v):
        assert moved.any()
        assert not moved[free == 0].any()
    gradients = [np.zeros(chain.n_weights, dtype=np.float32) for _ in range(3)]
    plain.gradient(w, gradients[0], False, 1)
    problem.gradient(w, gradients[1], False, 1)
    problem.gradient(w, gradients[2], False, 2)
    shared = problem.n_shared
    for masked in gradients[1:]:
        np.testing.assert_allclose(masked[:-shared], (gradients[0] * free)[:-shared], atol=1e-5)
