"""What every problem owes its learners, asked of all eight kinds in one place."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from oracles.enumeration import Enumeration
from palmette._native import MiraMemory
from palmette.learning.arow import AROW
from palmette.learning.capabilities import MEANINGS, LearnerError
from palmette.learning.exponentiated import ExponentiatedGradient
from palmette.learning.latent import LatentCRF
from palmette.learning.learner import Learner
from palmette.learning.loglinear import CRF
from palmette.learning.mira import MIRA, PassiveAggressive
from palmette.learning.perceptron import Perceptron
from palmette.learning.problem import Problem
from palmette.learning.registry import LEARNERS as ENTRIES
from palmette.learning.risk import MinimumRisk
from palmette.learning.svm import StructuredSVM
from palmette.tools.sequence.hmm import HMM
from palmette.tools.sequence.memm import MEMM
from samples.problem_cases import CASES, SEPARABLE, Case, ListedCase, Weights

pytestmark = pytest.mark.native

OBJECTIVES = {
    "marginals": False,
    "risk": True,
}  # the capability, and the argument of `gradient` that asks for it


@cache
def made(name: str) -> Case:
    return CASES[name]()


@pytest.fixture(params=list(CASES))
def case(request: pytest.FixtureRequest) -> Case:
    return made(request.param)


@pytest.fixture(params=[name for name in CASES if isinstance(made(name), ListedCase)])
def listed(request: pytest.FixtureRequest) -> ListedCase:
    found = made(request.param)
    assert isinstance(found, ListedCase)
    return found


def gradient(problem: Problem, w: Weights, risk: bool = False, n_jobs: int = 1) -> tuple[float, Weights]:
    g = np.zeros_like(w)
    return problem.gradient(w, g, risk, n_jobs), g


def test_all_eight_kinds_are_here() -> None:
    def kinds(base: type) -> set[type]:
        return {base}.union(*(kinds(each) for each in base.__subclasses__()))

    assert {type(made(name).problem) for name in CASES} == kinds(Problem) - {Problem}


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_gradient_by_finite_differences(case: Case, objective: str) -> None:
    problem, w, risk = case.problem, case.random_weights(), OBJECTIVES[objective]
    if objective not in problem.offers:
        return
    _, g = gradient(problem, w, risk)
    rng, step = np.random.default_rng(0), 1e-2
    steepest = np.argsort(-np.abs(g))[:4]
    directions = [*np.eye(len(w))[[*steepest, *rng.choice(len(w), 2)]], rng.normal(size=len(w))]
    for direction in directions:
        unit = (direction / np.linalg.norm(direction)).astype(np.float32) * np.float32(step)
        rise = gradient(problem, w + unit, risk)[0] - gradient(problem, w - unit, risk)[0]
        want = float(g.astype(float) @ unit) / step
        assert -rise / (2 * step) == pytest.approx(want, abs=0.02, rel=0.02)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_pullback_is_the_transpose_of_scores(case: Case, objective: str) -> None:
    """With all scores stretched a little, the loss moves by ⟨scores, d⟩; the gradient says it by ⟨w, pullback(d)⟩.

    What has no sums shows its scores in other tests only: by the k best, or by the hinge of enumeration.
    """
    problem, risk, step = case.problem, OBJECTIVES[objective], 1e-2
    if objective not in problem.offers:
        return
    for seed in range(3):
        w = case.random_weights(seed)
        more, less = (gradient(problem, w * np.float32(1 + h), risk)[0] for h in (step, -step))
        want = float(w.astype(float) @ gradient(problem, w, risk)[1])
        assert -(more - less) / (2 * step) == pytest.approx(want, abs=5e-3, rel=5e-3)


def test_a_step_for_each_example_makes_the_gradient(case: Case) -> None:
    """Steps of SGD take examples back one by one, the gradient takes them back in blocks."""
    problem, w, eta = case.problem, case.random_weights(), 0.25
    if "marginals" not in problem.offers:
        return
    want_loss, want = gradient(problem, w)
    loss, summed = 0.0, np.zeros(len(w))
    for i in range(len(problem)):
        v = w.copy()
        part, scale, steps = problem.sgd_epoch(v, 1.0, 0, np.array([i]), eta, 0.0, False)
        assert (scale, steps) == (1.0, 1)
        loss += part
        summed += (v.astype(float) - w) / eta
    assert loss == pytest.approx(want_loss, rel=1e-4, abs=1e-5)
    np.testing.assert_allclose(summed, want, atol=1e-3)


def test_losses_and_gradients_agree_with_enumeration(listed: ListedCase) -> None:
    problem, w = listed.problem, listed.random_weights()
    likelihood = risk = hinge = mistakes = 0.0
    steps = {name: np.zeros(len(w)) for name in OBJECTIVES}
    for i in range(len(problem)):
        table, losses, right, weight = listed.table(i), listed.losses(i), listed.right(i), listed.weight(i)
        every = Enumeration.of_scores(table @ w.astype(float))
        p, gold = every.probabilities, Enumeration.of_scores(every.scores[right])
        likelihood += weight * (every.log_z - gold.log_z)
        steps["marginals"] += weight * (gold.probabilities @ table[right] - p @ table)
        risk += weight * (p @ losses)
        steps["risk"] -= weight * (p * (losses - p @ losses)) @ table
        hinge += weight * ((every.scores + losses).max() - gold.best_score)
        mistakes += losses[np.argmax(every.scores)]
    assert problem.total_loss(w, 1) == pytest.approx(mistakes, abs=1e-4)
    assert problem.hinge(w, None, 1)[0] == pytest.approx(hinge, rel=1e-4, abs=1e-4)
    for (objective, asks), want in zip(OBJECTIVES.items(), (likelihood, risk)):
        if objective in problem.offers:
            have, g = gradient(problem, w, asks)
            assert have == pytest.approx(want, rel=1e-4, abs=2e-5)
            np.testing.assert_allclose(g, steps[objective], atol=2e-3)


def test_k_best_agree_with_enumeration(listed: ListedCase) -> None:
    w = listed.random_weights()
    found = listed.kbest(w, 7)
    for i, (places, scores) in enumerate(found or []):
        totals = listed.table(i) @ w.astype(float)
        want = np.sort(totals)[::-1][:7]
        assert len(set(places)) == len(want)
        np.testing.assert_allclose(totals[places], want, atol=1e-4)
        np.testing.assert_allclose(scores - scores[0], want - want[0], atol=1e-4)


def test_a_list_of_all_outputs_leaves_no_violation(listed: ListedCase) -> None:
    """MIRA meets the margins of all outputs in its list, so one step with a list of all leaves no hinge."""
    problem, most = listed.problem, 300
    if "kbest" not in problem.offers:
        return
    for i in range(len(problem)):
        right, losses = listed.right(i), listed.losses(i)
        wrong = {row.tobytes() for row in listed.table(i)[~right]}
        if len(right) > most or any(row.tobytes() in wrong for row in listed.table(i)[right]):
            continue  # no weights tell outputs with the same features apart
        w = listed.random_weights()
        problem.mira_epoch(w, MiraMemory(0), np.array([i]), 1, 1e6, most, True)
        totals = listed.table(i) @ w.astype(float)
        assert (totals + losses).max() - totals[right].max() < 1e-3


def test_threads_change_nothing(case: Case) -> None:
    problem, w = case.problem, case.random_weights()

    def everything(n_jobs: int) -> list[bytes]:
        g = np.zeros_like(w)
        numbers: list[Any] = [problem.total_loss(w, n_jobs), *problem.hinge(w, g, n_jobs), g]
        for objective, risk in OBJECTIVES.items():
            if objective in problem.offers:
                numbers += gradient(problem, w, risk, n_jobs)
        if "marginals" in problem.offers:
            numbers += [
                CRF(l2=0.1, n_iter=2, method="sgd", batch=3, eta0=0.1, n_jobs=n_jobs).learn(problem).weights,
                CRF(l2=0.1, n_iter=2, method="lbfgs", n_jobs=n_jobs).learn(problem).weights,
            ]
        return [np.asarray(number).tobytes() for number in [*numbers, *case.results(w, n_jobs)]]

    one = everything(1)
    assert everything(2) == one
    assert everything(3) == one


ONE_GOLD = [
    name
    for name in CASES
    if not any(
        word in name
        for word in ("partly", "label sets", "everything", "and all", "ranking", "many sentences")
    )
]


@pytest.mark.parametrize("name", ONE_GOLD)
def test_exponentiated_gradient_has_the_optimum_of_the_svm(name: str) -> None:
    """Where one output is right, the dual of one is at most the objective of the other, and both meet."""
    problem = made(name).problem
    learner = ExponentiatedGradient(loss="hinge", l2=50.0, n_iter=200, sharpness=3.0, tol=1e-3)
    if not learner.needs <= problem.offers:
        return
    svm = StructuredSVM(l2=50.0, n_iter=300, tol=1e-3).learn(problem).history[-1].numbers
    have = learner.learn(problem).history[-1].numbers
    assert have["gap"] == pytest.approx(have["objective"] - have["dual"])
    assert svm["dual"] <= have["objective"] * (1 + 1e-4)
    assert have["dual"] <= svm["objective"] * (1 + 1e-4)
    assert have["dual"] == pytest.approx(svm["objective"], rel=0.01)
    assert have["objective"] == pytest.approx(svm["objective"], rel=0.08)


# For each capability a learner that needs it.
ASKS: dict[str, Learner] = {
    "best": Perceptron(n_iter=2),
    "kbest": MIRA(n_iter=2, k=3),
    "marginals": CRF(n_iter=2, eta0=0.1),
    "risk": MinimumRisk(n_iter=3, warm_up=1, eta0=0.1),
    "parts": CRF(n_iter=2, method="sag"),
    "costs": ExponentiatedGradient(n_iter=2, loss="hinge"),
    "weights": AROW(n_iter=2),
    "votes": Perceptron(n_iter=2, voted=True),
    "history": MEMM(n_iter=2),
    "counts": HMM(),
    "latent": LatentCRF(n_iter=2, hidden=2),
}


def test_each_capability_has_a_learner_that_asks_for_it() -> None:
    # Boosting asks for pairs, which no problem of parts has: tests/learning/test_boosting.py.
    assert {*ASKS, "pairs"} == set(MEANINGS) - {entry.family for entry in ENTRIES.values()}
    assert all(name in learner.needs for name, learner in ASKS.items())


def test_what_is_offered_works_and_the_rest_is_refused(case: Case) -> None:
    problem = case.problem
    assert set(problem.offers) <= set(MEANINGS)
    for learner in ASKS.values():
        missing = learner.needs - problem.offers
        if missing:
            sentence = (
                f"{type(learner).__name__} needs .*{min(missing)}.*, which a {type(problem).__name__} does"
            )
            with pytest.raises(LearnerError, match=sentence):
                learner.learn(problem)
        else:
            weights = learner.learn(problem).weights
            assert np.isfinite(weights).all()
            assert weights.shape == (problem.n_weights,)


LEARNERS: dict[str, Learner] = {
    "perceptron": Perceptron(n_iter=60, average=False),
    "MIRA": MIRA(n_iter=60, c=1.0),
    "MIRA with lists": MIRA(n_iter=60, k=3, c=1.0),
    "passive-aggressive": PassiveAggressive(n_iter=60, c=1.0),
    "AROW": AROW(n_iter=60),
    "SVM, Frank-Wolfe": StructuredSVM(l2=0.001, n_iter=80),
    "SVM, subgradient": StructuredSVM(l2=0.001, method="subgradient", n_iter=80),
    "SVM, cutting plane": StructuredSVM(l2=0.01, method="cutting-plane", slack="n", n_iter=200),
    "CRF, SGD": CRF(l2=0.001, n_iter=60, eta0=0.1),
    "CRF, SAG": CRF(l2=0.001, method="sag", n_iter=60),
    "CRF, L-BFGS": CRF(l2=0.001, method="lbfgs"),
    "exponentiated gradient": ExponentiatedGradient(l2=0.001, n_iter=60),
    "exponentiated gradient, hinge": ExponentiatedGradient(loss="hinge", l2=0.2, n_iter=200, sharpness=3.0),
    "least risk": MinimumRisk(l2=0.001, n_iter=60),
}


@cache
def separable(name: str) -> Case:
    return SEPARABLE[name]()


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("name", SEPARABLE)
def test_every_learner_makes_no_mistake_where_none_is_needed(name: str, learner: str) -> None:
    case = separable(name)
    if not LEARNERS[learner].needs <= case.problem.offers:
        return
    judge = case.judge()
    random = [judge.total_loss(case.random_weights(seed), 1) for seed in range(20)]
    assert min(random) > 0, "random weights must not pass"
    assert judge.total_loss(LEARNERS[learner].learn(case.problem).weights, 1) == 0
