"""Exponentiated gradient: the dual rises, and meets the objective of the CRF."""

from __future__ import annotations

import numpy as np
import pytest

from palmette._native import DualMemory
from palmette.learning.exponentiated import ExponentiatedGradient
from palmette.learning.loglinear import CRF
from palmette.learning.svm import StructuredSVM
from samples.learning_chains import SmallChain, random_chain

pytestmark = pytest.mark.native


def distribution(chain: SmallChain, i: int, theta: np.ndarray) -> np.ndarray:
    p = np.exp(theta - theta.max())
    return p / p.sum()


def test_steps_against_distributions_over_all_outputs():
    """α_i in full, one number per output: α ← α^(1−η) · e^(η w·Φ), normalised."""
    chain, l2, rate, sharpness = random_chain(1, n=4, weighted=True), 0.5, 0.25, 2.0
    problem, memory = chain.problem(), DualMemory()
    w = problem.start_dual(np.zeros(chain.n_weights, np.float32), memory, l2, sharpness, rate)
    features = [np.array([chain.phi(i, y) for y in chain.outputs(i)]) for i in range(4)]
    gold = [chain.phi(i, tuple(chain.labels[i])) for i in range(4)]
    theta = []
    for i in range(4):
        right = [sum(a == b for a, b in zip(y, chain.labels[i])) for y in chain.outputs(i)]
        theta.append(sharpness * np.array(right))

    def dual_and_weights() -> tuple[float, np.ndarray]:
        alpha = [distribution(chain, i, theta[i]) for i in range(4)]
        v = sum(chain.weight(i) * (gold[i] - alpha[i] @ features[i]) for i in range(4)) / (2 * l2)
        entropy = sum(chain.weight(i) * -(alpha[i] @ np.log(alpha[i])) for i in range(4))
        return entropy - l2 * v @ v, v

    dual, want = dual_and_weights()
    np.testing.assert_allclose(w, want, atol=1e-4)
    rates = [rate] * 4
    for i in [0, 1, 2, 3, 0, 1, 2, 3]:
        risen = problem.exponentiated_epoch(w, memory, np.array([i]), l2)
        before, at_once = theta[i], True
        while True:
            theta[i] = (1 - rates[i]) * before + rates[i] * (features[i] @ want)
            after, moved = dual_and_weights()
            if after >= dual:
                break
            rates[i], at_once = rates[i] / 2, False
        if at_once:
            rates[i] = min(1.0, rates[i] * 1.05)
        assert risen == pytest.approx(after - dual, abs=1e-3)
        dual, want = after, moved
        np.testing.assert_allclose(w, want, atol=1e-3)
        assert memory.values - l2 * float(w @ w) == pytest.approx(dual, abs=1e-3)


@pytest.mark.parametrize("options", [{}, {"weighted": True}, {"order": 2}])
def test_meets_the_crf(options):
    chain = random_chain(2, n=12, **options)
    crf = CRF(method="lbfgs", l2=0.5, n_iter=500, features="all", tol=1e-7).learn(chain.problem())
    best = crf.history[-1].numbers["objective"]
    learned = ExponentiatedGradient(l2=0.5, n_iter=300, tol=1e-6).learn(chain.problem())
    numbers = learned.history[-1].numbers
    assert numbers["objective"] == pytest.approx(best, rel=1e-3)
    assert numbers["dual"] == pytest.approx(best, rel=1e-3)
    np.testing.assert_allclose(learned.weights, crf.weights, atol=1e-2)


@pytest.mark.parametrize("options", [{}, {"weighted": True}, {"order": 2}])
def test_meets_the_svm(options):
    chain = random_chain(2, n=12, **options)
    svm = StructuredSVM(method="cutting-plane", slack="n", l2=0.5, n_iter=500, tol=1e-5).learn(
        chain.problem()
    )
    best = svm.history[-1].numbers["objective"]
    learned = ExponentiatedGradient(loss="hinge", l2=0.5, n_iter=600, tol=1e-3).learn(chain.problem())
    numbers = learned.history[-1].numbers
    assert numbers["objective"] == pytest.approx(best, rel=2e-3)
    assert numbers["dual"] == pytest.approx(best, rel=2e-3)
    assert numbers["gap"] <= 1e-3 * numbers["objective"]
    np.testing.assert_allclose(learned.weights, svm.weights, atol=0.05)


def test_hinge_steps_against_distributions_over_all_outputs():
    """α_i in full: α ← α · e^(η (loss + w·Φ)), normalised; a step stays before the top of its parabola."""
    chain, l2, rate, sharpness = random_chain(1, n=4, weighted=True), 5.0, 0.25, 2.0
    problem, memory = chain.problem(), DualMemory(True)
    w = problem.start_dual(np.zeros(chain.n_weights, np.float32), memory, l2, sharpness, rate)
    features = [np.array([chain.phi(i, y) for y in chain.outputs(i)]) for i in range(4)]
    gold = [chain.phi(i, tuple(chain.labels[i])) for i in range(4)]
    losses = [
        np.array([sum(a != b for a, b in zip(y, chain.labels[i])) for y in chain.outputs(i)])
        for i in range(4)
    ]
    theta = [-sharpness * losses[i] for i in range(4)]

    def dual_and_weights() -> tuple[float, np.ndarray]:
        alpha = [distribution(chain, i, theta[i]) for i in range(4)]
        v = sum(chain.weight(i) * (gold[i] - alpha[i] @ features[i]) for i in range(4)) / (2 * l2)
        expected = sum(chain.weight(i) * (alpha[i] @ losses[i]) for i in range(4))
        return expected - l2 * v @ v, v

    dual, want = dual_and_weights()
    np.testing.assert_allclose(w, want, atol=1e-4)
    rates = [rate] * 4
    for i in [0, 1, 2, 3, 0, 1, 2, 3]:
        risen = problem.exponentiated_epoch(w, memory, np.array([i]), l2)
        before, at_once = theta[i], True
        while True:
            theta[i] = before + rates[i] * (losses[i] + features[i] @ want)
            after, moved = dual_and_weights()
            bend = l2 * (moved - want) @ (moved - want)
            if after - dual >= bend >= 0:  # the gain is at least half the slope: the slope is gain + bend
                break
            rates[i], at_once = rates[i] / 2, False
        if at_once:
            rates[i] *= 1.5
        assert risen == pytest.approx(after - dual, abs=1e-3)
        dual, want = after, moved
        np.testing.assert_allclose(w, want, atol=1e-3)
        assert memory.values - l2 * float(w @ w) == pytest.approx(dual, abs=1e-3)


def test_hinge_has_no_probabilities():
    assert ExponentiatedGradient().probabilistic
    assert not ExponentiatedGradient(loss="hinge").probabilistic


def test_the_dual_rises_and_stays_below():
    chain = random_chain(3, n=12)
    history = ExponentiatedGradient(l2=0.5, n_iter=40, tol=0).learn(chain.problem()).history
    duals = np.array([report.numbers["dual"] for report in history])
    assert (np.diff(duals) >= -1e-4).all()
    assert all(r.numbers["gap"] >= -1e-4 for r in history)


def test_warm_start_is_closer():
    chain = random_chain(4, n=12)
    crf = CRF(method="lbfgs", l2=0.5, n_iter=500, features="all").learn(chain.problem())
    one = ExponentiatedGradient(l2=0.5, n_iter=1)
    warm = one.learn(chain.problem(), start=crf.weights).history[-1].numbers
    cold = one.learn(chain.problem()).history[-1].numbers
    assert warm["gap"] < 1e-3 * warm["objective"] < cold["gap"]


def test_partly_labelled_and_unlabelled_examples():
    chain = random_chain(5, n=12, unknown=0.5)
    learned = ExponentiatedGradient(l2=0.5).learn(chain.problem())
    assert np.isfinite(learned.weights).all()
    assert learned.weights.any()


def test_bad_options():
    with pytest.raises(ValueError, match=r"The 'rate' parameter must be a number in the range \(0, 1\]"):
        ExponentiatedGradient(rate=1.5)
    chain = random_chain(1)
    problem, w = chain.problem(), np.zeros(chain.n_weights, np.float32)
    with pytest.raises(ValueError, match="memory is of another problem"):
        problem.exponentiated_epoch(w, DualMemory(), np.array([0]), 1.0)
