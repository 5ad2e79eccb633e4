"""MIRA and passive-aggressive updates against closed forms, a generic solver, and their own constraints."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from palmette._native import MiraMemory
from palmette.learning.learner import Shuffled
from palmette.learning.mira import MIRA, VARIANTS, PassiveAggressive
from samples.learning_chains import SmallChain, random_chain

pytestmark = pytest.mark.native


def start_of(chain: SmallChain, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(scale=0.3, size=chain.n_weights).astype(np.float32)


def one_step(chain: SmallChain, w: np.ndarray, i: int, variant: str, c: float, loss: bool) -> np.ndarray:
    guess, gold = chain.best(i, w, float(loss)), chain.gold(i, w)
    if guess == gold:
        return w
    d = chain.difference(i, gold, guess)
    violation = (chain.loss(i, guess) if loss else 1.0) - w @ d
    norm, c = d @ d, c * chain.weight(i)
    tau = {
        "plain": chain.weight(i) * violation / norm,
        "I": min(c, violation / norm),
        "II": violation / (norm + 1 / (2 * c)),
    }[variant]
    return w + max(0.0, tau) * d


@pytest.mark.parametrize("variant", ["plain", "I", "II"])
@pytest.mark.parametrize("loss", [True, False])
@pytest.mark.parametrize("options", [{}, {"weighted": True}, {"unknown": 0.4}, {"order": 2}])
def test_every_passive_aggressive_step(variant, loss, options):
    chain = random_chain(1, **options)
    problem, start = chain.problem(), start_of(chain)
    w, want, memory, mean = start.copy(), start.astype(float), MiraMemory(chain.n_weights), []
    for i in [0, 1, 2, 3, 4, 5, 3, 1, 0]:
        problem.mira_epoch(w, memory, np.array([i]), VARIANTS[variant], 0.2, 1, loss)
        want = one_step(chain, want, i, variant, 0.2, loss)
        mean.append(want)
        np.testing.assert_allclose(w, want, atol=1e-5)
        np.testing.assert_allclose(memory.mean(w), np.mean(mean, axis=0), atol=1e-4)


@pytest.mark.parametrize("seed", range(4))
def test_plain_step_meets_its_margin_exactly(seed):
    chain = random_chain(seed)
    problem, start = chain.problem(), start_of(chain, seed)
    for i in range(6):
        w = start.copy()
        guess, gold = chain.best(i, start, 1.0), chain.gold(i, start)
        updates, violation = problem.mira_epoch(w, MiraMemory(0), np.array([i]), 0, 1.0, 1, True)
        if updates:
            margin = w.astype(float) @ chain.difference(i, gold, guess)
            assert margin == pytest.approx(chain.loss(i, guess), abs=1e-4)
            assert violation > 0


@pytest.mark.parametrize("c", [0.05, 0.5, 1e6])
@pytest.mark.parametrize("k", [2, 5])
def test_k_best_step_is_the_smallest_change(c, k):
    """Against a generic solver of the dual; with a large c all k margins hold afterwards."""
    chain = random_chain(2, weighted=True)
    problem, start = chain.problem(), start_of(chain, 2)
    for i in range(6):
        w = start.copy()
        problem.mira_epoch(w, MiraMemory(0), np.array([i]), 1, c, k, True)
        gold, before = chain.gold(i, start), start.astype(float)
        value = {y: before @ chain.phi(i, y) + chain.loss(i, y) for y in chain.outputs(i)}
        guesses = [y for y in sorted(value, key=value.get, reverse=True)[:k] if y != gold]
        D = np.array([chain.difference(i, gold, y) for y in guesses])
        loss = np.array([chain.loss(i, y) for y in guesses])
        b, H, limit = loss - D @ before, D @ D.T, c * chain.weight(i)
        have = w - before
        solved = minimize(
            lambda a, H=H, b=b: 0.5 * a @ H @ a - b @ a,
            np.zeros(len(b)),
            jac=lambda a, H=H, b=b: H @ a - b,
            bounds=[(0, limit)] * len(b),
            options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 5000},
        )
        np.testing.assert_allclose(have, solved.x @ D, atol=2e-3)
        if c > 1000:
            assert (D @ w.astype(float) >= loss - 1e-3).all()


def test_one_best_mira_is_passive_aggressive_one():
    chain = random_chain(3, n=10)
    a = MIRA(n_iter=3, c=0.1).learn(chain.problem())
    b = PassiveAggressive(n_iter=3, c=0.1, variant="I").learn(chain.problem())
    np.testing.assert_array_equal(a.weights, b.weights)


def test_learner_follows_the_shuffled_order_and_stops_when_all_margins_hold():
    chain = random_chain(4, separable=True)
    learned = PassiveAggressive(n_iter=500, variant="plain", average=False, random_state=1).learn(
        chain.problem()
    )
    w, shuffled = np.zeros(chain.n_weights), Shuffled(6, 1)
    for _ in range(len(learned.history)):
        for order in shuffled.slices():
            for i in order:
                w = one_step(chain, w, int(i), "plain", 1.0, True)
    np.testing.assert_allclose(learned.weights, w, atol=1e-3)
    assert learned.history[-1].numbers["loss"] < 1e-3


def test_zero_weight_examples_change_nothing():
    chain = random_chain(5)
    chain.weights = [0.0] * 6
    for learner in (MIRA(k=3), MIRA(), *(PassiveAggressive(variant=v) for v in VARIANTS)):
        assert not learner.learn(chain.problem()).weights.any()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: MIRA(c=0), r"The 'c' parameter must be a number in the range \(0, inf\)"),
        (lambda: MIRA(c=10**400), r"The 'c' parameter must be a number in the range \(0, inf\)"),
        (lambda: MIRA(k=0), "The 'k' parameter must be an int"),
        (
            lambda: PassiveAggressive(variant="III"),
            "The 'variant' parameter must be one of 'plain', 'I', 'II'",
        ),
    ],
)
def test_bad_options(make, message):
    with pytest.raises(ValueError, match=message):
        make()
