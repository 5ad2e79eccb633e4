"""Loss-aware CRFs. The gradient stands in test_chain_problem.py, against the covariance by enumeration."""

import itertools

import numpy as np
import pytest

from palmette._native import ChainProblem
from palmette.learning.loglinear import CRF
from palmette.learning.risk import MinimumRisk
from samples.random_problems import random_chains


def expected_loss(problem: ChainProblem, w: np.ndarray) -> float:
    return problem.gradient(w, np.empty_like(w), True, 1)


@pytest.fixture
def problem() -> ChainProblem:
    return random_chains(1, lengths=(4, 3) * 15).problem()


@pytest.mark.parametrize("method", ["lbfgs", "sgd", "sag"])
def test_expected_loss_falls_below_that_of_a_crf(problem: ChainProblem, method: str) -> None:
    crf = CRF(method="lbfgs", l2=0.1, n_iter=100).learn(problem).weights
    learned = MinimumRisk(method=method, l2=0.1, n_iter=60, warm_up=10, tol=0).learn(problem)
    assert expected_loss(problem, learned.weights) < 0.95 * expected_loss(problem, crf)


def test_objective_falls(problem: ChainProblem) -> None:
    learned = MinimumRisk(method="lbfgs", n_iter=40, warm_up=0, tol=0).learn(problem)
    values = [report.numbers["objective"] for report in learned.history]
    assert all(after <= before + 1e-4 for before, after in itertools.pairwise(values))
    assert values[-1] < values[0]


def test_the_gradient_is_zero_at_the_end(problem: ChainProblem) -> None:
    l2 = 0.5
    w = MinimumRisk(method="lbfgs", features="all", l2=l2, n_iter=300, warm_up=0).learn(problem).weights
    gradient = np.empty_like(w)
    problem.gradient(w, gradient, True, 1)
    np.testing.assert_allclose(gradient, 2 * l2 * w, atol=2e-3)


def test_warm_up_is_a_crf(problem: ChainProblem) -> None:
    crf = CRF(n_iter=3, tol=0).learn(problem)
    learned = MinimumRisk(n_iter=4, warm_up=3, tol=0).learn(problem)
    assert [r.numbers["loss"] for r in learned.history[:3]] == [r.numbers["loss"] for r in crf.history]
    started = MinimumRisk(n_iter=1, warm_up=0, tol=0).learn(problem, start=crf.weights)
    np.testing.assert_array_equal(learned.weights, started.weights)


def test_warm_up_that_converges_goes_on_with_the_risk(problem: ChainProblem) -> None:
    learned = MinimumRisk(method="lbfgs", n_iter=400, warm_up=399, tol=1e-3).learn(problem)
    assert len(learned.history) < 400
    assert learned.history[-1].numbers["loss"] < learned.history[0].numbers["loss"]
    crf = CRF(method="lbfgs", n_iter=400, tol=1e-3).learn(problem).weights
    assert expected_loss(problem, learned.weights) <= expected_loss(problem, crf)


def test_warm_up_must_leave_a_pass() -> None:
    with pytest.raises(ValueError, match="shorter than all 5 passes"):
        MinimumRisk(n_iter=5, warm_up=5)
