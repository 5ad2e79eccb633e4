"""Structured SVMs: three methods, one optimum; and that optimum by a generic solver over all constraints."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from palmette._native import FrankWolfeMemory, SubgradientMemory
from palmette.learning.learner import Shuffled
from palmette.learning.svm import StructuredSVM
from samples.learning_chains import SmallChain, random_chain

pytestmark = pytest.mark.native

L2 = 0.3


def objective(chain: SmallChain, w: np.ndarray, l2: float = L2) -> float:
    w = w.astype(float)
    return chain.hinge(w) + l2 * float(w @ w)


def optimum(chain: SmallChain, l2: float = L2) -> tuple[float, np.ndarray]:
    """The dual over all outputs of all examples, by scipy."""
    D, losses, owner = [], [], []
    for i in range(len(chain.sentences)):
        gold = tuple(chain.labels[i])
        for y in chain.outputs(i):
            D.append(chain.difference(i, gold, y))
            losses.append(chain.loss(i, y))
            owner.append(i)
    D, losses, owner = np.array(D), np.array(losses), np.array(owner)
    start = np.array([chain.weight(i) / len(chain.outputs(i)) for i in owner])
    sums = np.array([[float(o == i) for o in owner] for i in range(len(chain.sentences))])
    wanted = np.array([chain.weight(i) for i in range(len(chain.sentences))])
    solved = minimize(
        lambda a: ((a @ D) @ (a @ D)) / (4 * l2) - losses @ a,
        start,
        jac=lambda a: D @ (a @ D) / (2 * l2) - losses,
        bounds=[(0, None)] * len(start),
        constraints={"type": "eq", "fun": lambda a: sums @ a - wanted, "jac": lambda a: sums},
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 500},
    )
    return -solved.fun, (solved.x @ D) / (2 * l2)


METHODS = {
    "subgradient": StructuredSVM(l2=L2, method="subgradient", n_iter=3000),
    "subgradient in a ball": StructuredSVM(l2=L2, method="subgradient", n_iter=3000, projection=True),
    "frank-wolfe": StructuredSVM(l2=L2, method="frank-wolfe", n_iter=3000, tol=1e-5, average=False),
    "averaged frank-wolfe": StructuredSVM(l2=L2, method="frank-wolfe", n_iter=3000, tol=1e-4),
    "one slack": StructuredSVM(l2=L2, method="cutting-plane", n_iter=500, tol=1e-5),
    "n slacks": StructuredSVM(l2=L2, method="cutting-plane", slack="n", n_iter=500, tol=1e-5),
}


def reached(method: str) -> float:
    """How near 3000 passes come: the steps of the first two kinds end in a slow approach of order 1 / t."""
    return 1e-5 if "slack" in method else 5e-3


@pytest.mark.parametrize("options", [{}, {"weighted": True}])
@pytest.mark.parametrize("method", METHODS)
def test_all_methods_reach_the_optimum_of_the_quadratic_program(method, options):
    chain = random_chain(1, n=4, length=2, **options)
    best, w = optimum(chain)
    learned = METHODS[method].learn(chain.problem())
    assert objective(chain, learned.weights) == pytest.approx(best, rel=reached(method))
    np.testing.assert_allclose(learned.weights, w, atol=0.05)


def test_all_methods_agree_on_longer_chains():
    chain = random_chain(2, n=15, length=4, order=2)
    values = {
        name: objective(chain, learner.learn(chain.problem()).weights) for name, learner in METHODS.items()
    }
    for name, value in values.items():
        assert value == pytest.approx(values["n slacks"], rel=5e-3), name


@pytest.mark.parametrize("method", ["frank-wolfe", "averaged frank-wolfe", "one slack", "n slacks"])
def test_the_gap_is_true(method):
    """The dual lies below the optimum, the objective is that of the weights, and the last gap is small."""
    chain = random_chain(3, n=4, length=2)
    best, _ = optimum(chain)
    learned = METHODS[method].learn(chain.problem())
    for report in learned.history:
        numbers = report.numbers
        assert numbers["dual"] <= best + 1e-4
        assert numbers["objective"] >= best - 1e-4
        assert numbers["gap"] == pytest.approx(numbers["objective"] - numbers["dual"])
    assert objective(chain, learned.weights) == pytest.approx(numbers["objective"], rel=1e-4)
    assert numbers["gap"] <= 2 * reached(method) * numbers["objective"]


def test_hinge_and_its_subgradient():
    chain = random_chain(4, n=9, weighted=True, unknown=0.2)
    w = np.random.default_rng(0).normal(size=chain.n_weights).astype(np.float32)
    gradient = np.zeros_like(w)
    hinge, loss = chain.problem().hinge(w, gradient, 1)
    assert hinge == pytest.approx(chain.hinge(w.astype(float)), rel=1e-5)
    assert hinge == pytest.approx(loss - float(w @ gradient), rel=1e-4)
    threaded = np.zeros_like(w)
    assert chain.problem().hinge(w, threaded, 3) == (hinge, loss)
    np.testing.assert_array_equal(gradient, threaded)


@pytest.mark.parametrize("radius", [0.0, 0.7])
def test_every_pegasos_step(radius):
    chain = random_chain(5, weighted=True)
    problem, lam = chain.problem(), 2 * L2 / 6
    v, memory = np.zeros(chain.n_weights, np.float32), SubgradientMemory(chain.n_weights, 0, 0.0)
    w, total = np.zeros(chain.n_weights), np.zeros(chain.n_weights)
    for t, i in enumerate([0, 1, 2, 3, 4, 5, 2, 4, 1, 0, 3, 5], start=1):
        problem.subgradient_epoch(v, memory, np.array([i]), lam, radius)
        d = chain.difference(i, chain.gold(i, w), chain.best(i, w, 1.0))
        w = (1 - 1 / t) * w + chain.weight(i) * d / (lam * t)
        if radius:
            w = w * min(1.0, radius / max(np.linalg.norm(w), 1e-9))
        total += t * w
        np.testing.assert_allclose(v * memory.factor(lam), w, atol=2e-4)
        np.testing.assert_allclose(memory.mean(v), total / (t * (t + 1) / 2), atol=2e-4)


def test_every_frank_wolfe_step():
    chain = random_chain(6, weighted=True)
    problem, n = chain.problem(), chain.n_weights
    w, memory = np.zeros(n, np.float32), FrankWolfeMemory(n)
    blocks, losses, want, total = np.zeros((6, n)), np.zeros(6), np.zeros(n), np.zeros(n)
    dual = 0.0
    for t, i in enumerate([0, 1, 2, 3, 4, 5, 2, 4, 1, 0, 3, 5] * 3, start=1):
        problem.frank_wolfe_epoch(w, memory, np.array([i]), L2, None)
        guess = chain.best(i, want, 1.0)
        corner = chain.weight(i) * chain.difference(i, tuple(chain.labels[i]), guess)
        move, gain = corner - blocks[i], chain.weight(i) * chain.loss(i, guess) - losses[i]
        step = np.clip((gain - move @ want) * 2 * L2 / max(move @ move, 1e-12), 0, 1)
        blocks[i] += step * move
        losses[i] += step * gain
        want = blocks.sum(axis=0) / (2 * L2)
        total += t * want
        np.testing.assert_allclose(w, want, atol=1e-3)
        np.testing.assert_allclose(memory.mean(w), total / (t * (t + 1) / 2), atol=1e-3)
        assert memory.loss == pytest.approx(losses.sum(), abs=1e-3)
        assert losses.sum() - L2 * want @ want >= dual - 1e-9  # the dual never falls
        dual = losses.sum() - L2 * want @ want


def test_warm_starts():
    chain = random_chain(7, n=10)
    best = METHODS["n slacks"].learn(chain.problem()).weights
    values = {}
    for name, learner in METHODS.items():
        learner = StructuredSVM(**learner.get_params() | {"n_iter": 1})
        learned = learner.learn(chain.problem(), start=best)
        values[name] = objective(chain, learned.weights)
        assert np.isfinite(values[name])
    cold = StructuredSVM(l2=L2, method="subgradient", n_iter=1).learn(chain.problem())
    assert values["subgradient"] < objective(chain, cold.weights)


def test_order_is_that_of_the_random_state():
    chain = random_chain(8, n=10)
    learned = StructuredSVM(l2=L2, n_iter=1, average=False, random_state=5).learn(chain.problem())
    w, memory = np.zeros(chain.n_weights, np.float32), FrankWolfeMemory(0)
    for order in Shuffled(10, 5).slices():
        chain.problem().frank_wolfe_epoch(w, memory, order, L2, None)
    np.testing.assert_array_equal(learned.weights, w)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"l2": 0}, r"The 'l2' parameter must be a number in the range \(0, inf\)"),
        ({"method": "smo"}, "The 'method' parameter must be one of 'subgradient'"),
        ({"slack": 1}, "The 'slack' parameter must be one of '1', 'n'"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        StructuredSVM(**options)
