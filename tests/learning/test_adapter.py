"""Structures written in Python: the same weights as the native ones, and clear errors."""

from itertools import permutations
from typing import Any

import numpy as np
import pytest

from oracles.enumeration import Enumeration
from palmette.learning.adapter import adapt
from palmette.learning.loglinear import CRF
from palmette.learning.perceptron import Perceptron
from palmette.learning.risk import MinimumRisk
from samples.problem_cases import EnumeratedSums
from samples.random_problems import Chains, random_chains, random_weights

pytestmark = pytest.mark.native


@pytest.fixture
def chains() -> Chains:
    return random_chains(1, order=2, lengths=(3, 2, 3, 1))


@pytest.mark.parametrize("risk", [False, True])
@pytest.mark.parametrize("n_jobs", [1, 3])
def test_gradient_as_the_native_one(chains: Chains, risk: bool, n_jobs: int) -> None:
    w = random_weights(chains, 2)
    have, want = np.empty_like(w), np.empty_like(w)
    loss = adapt(EnumeratedSums(chains)).gradient(w, have, risk, n_jobs)
    assert loss == pytest.approx(chains.problem().gradient(w, want, risk, 1), abs=1e-5)
    np.testing.assert_allclose(have, want, atol=1e-5)


@pytest.mark.parametrize("learner", [
    CRF(method="lbfgs", n_iter=30),
    CRF(method="lbfgs", n_iter=30, l1=0.1),
    CRF(method="sgd", n_iter=5),
    CRF(method="sag", n_iter=5),
    MinimumRisk(method="sgd", n_iter=6, warm_up=2),
], ids=lambda learner: f"{type(learner).__name__} {learner.method}")  # fmt: skip
def test_learners_find_the_same_weights(chains: Chains, learner: CRF) -> None:
    python, native = adapt(EnumeratedSums(chains)), chains.problem()
    have, want = learner.learn(python), learner.learn(native)
    np.testing.assert_allclose(have.weights, want.weights, atol=2e-3)
    assert learner.learn(python, dev=python).history[0].numbers["dev"] == -native.total_loss(
        learner.learn(native, dev=lambda w: 0.0).weights, 1
    )


def test_observed_weights_and_loss(chains: Chains) -> None:
    python, native = adapt(EnumeratedSums(chains)), chains.problem()
    np.testing.assert_array_equal(python.observed(), native.observed())
    w = random_weights(chains, 3)
    assert python.total_loss(w, 2) == native.total_loss(w, 1)


class Assignment:
    """Another structure: n things to n places, one each. Parts are (thing, place), with a weight each."""

    def __init__(self, n: int, golds: list[tuple[int, ...]]) -> None:
        self.n, self.golds, self.n_weights = n, golds, n * n
        self.outputs = np.zeros((len(list(permutations(range(n)))), n * n))
        for row, places in zip(self.outputs, permutations(range(n))):
            row[[thing * n + place for thing, place in enumerate(places)]] = 1

    def __len__(self) -> int:
        return len(self.golds)

    def gold(self, i: int) -> list[float]:
        return [float(self.golds[i][part // self.n] == part % self.n) for part in range(self.n_weights)]

    def scores(self, i: int, w: np.ndarray) -> np.ndarray:
        return w

    def pullback(self, i: int, parts: np.ndarray) -> tuple[Any, Any]:
        return range(self.n_weights), parts

    def best(self, i: int, scores: np.ndarray) -> np.ndarray:
        return self.outputs[np.argmax(self.outputs @ scores)]

    def marginals(self, i: int, scores: np.ndarray) -> tuple[float, np.ndarray]:
        every = Enumeration.of_scores(self.outputs @ scores.astype(float))
        return every.log_z, every.marginals(self.outputs)


def test_another_structure_learns() -> None:
    problem = adapt(Assignment(3, [(1, 0, 2), (1, 0, 2), (1, 2, 0)]))
    start = np.zeros(9, dtype=np.float32)
    assert CRF(method="lbfgs", l2=0.01, warm_up=0).learn(problem).history[0].numbers["loss"] == pytest.approx(
        3 * np.log(6)
    )
    learned = CRF(method="lbfgs", l2=0.001, features="all", n_iter=200).learn(problem, start=start)
    _, marginals = Assignment(3, []).marginals(0, learned.weights)
    np.testing.assert_allclose(
        marginals.reshape(3, 3), [[0, 1, 0], [2 / 3, 0, 1 / 3], [1 / 3, 0, 2 / 3]], atol=0.01
    )
    assert problem.total_loss(learned.weights, 1) == 2  # two of the third example's parts are missed


def test_a_perceptron_needs_no_more_than_the_best_output() -> None:
    """Separable data: the pass without a mistake has no margin to report, because there are no two best."""
    structure = Assignment(3, [(1, 0, 2), (1, 0, 2)])
    learned = Perceptron().learn(adapt(structure))
    assert learned.history[-1].numbers["mistakes"] == 0
    assert "margin" not in learned.history[-1].numbers
    np.testing.assert_array_equal(structure.best(0, learned.weights), structure.gold(0))


class Coin:
    n_weights = 2

    def __len__(self) -> int:
        return 2

    def gold(self, i: int) -> list[float]:
        return [1.0, 0.0]

    def scores(self, i: int, w: np.ndarray) -> Any:
        return w

    def pullback(self, i: int, parts: np.ndarray) -> Any:
        return [0, 1], parts


def test_missing_methods_are_named() -> None:
    problem = adapt(Coin())
    w = np.zeros(2, dtype=np.float32)
    with pytest.raises(
        TypeError,
        match=r"CRF needs sums over all outputs \(marginals\), which a PythonProblem does not offer",
    ):
        CRF().learn(problem)
    with pytest.raises(TypeError, match=r"no method best\(i, scores\)"):
        problem.total_loss(w, 2)
    with pytest.raises(TypeError, match=r"no method risk\(i, scores\)"):
        problem.gradient(w, w.copy(), True, 2)
    with pytest.raises(TypeError, match="object has no 'n_weights', which every learner needs"):
        adapt(object())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("method", "value", "message"),
    [
        ("scores", [1.0], "Coin.scores must give 2 parts for example 0. Got 1."),
        ("scores", [[1.0, 2.0]], "Coin.scores must give a row of numbers for example 0"),
        ("scores", [np.nan, 0.0], "Coin.scores must give a row of numbers"),
        ("marginals", 3.0, "Coin.marginals must give a pair"),
        ("marginals", (0.0, [1.0]), "must give 2 parts"),
        ("pullback", ([5], [1.0]), "names a weight that is not among the 2"),
        ("pullback", ([-1], [1.0]), "names a weight that is not among the 2"),
        ("pullback", ([0.5], [1.0]), "whole numbers"),
        ("pullback", ([0, 1], [1.0]), "one value per index"),
    ],
)
def test_bad_answers(method: str, value: object, message: str) -> None:
    coin = Coin()
    coin.marginals = lambda i, scores: (0.0, [0.5, 0.5])  # type: ignore[attr-defined]
    setattr(coin, method, lambda *_: value)
    with pytest.raises(ValueError, match=message):
        CRF().learn(adapt(coin))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_exceptions_come_through(n_jobs: int) -> None:
    class Broken(Coin):
        def marginals(self, i: int, scores: np.ndarray) -> Any:
            raise ZeroDivisionError(f"example {i}")

    with pytest.raises(ZeroDivisionError, match="example"):
        CRF(method="lbfgs", n_jobs=n_jobs).learn(adapt(Broken()))


def test_ctrl_c_inside_a_method_keeps_the_best_so_far() -> None:
    class Interrupted(Coin):
        calls = 0

        def marginals(self, i: int, scores: np.ndarray) -> Any:
            self.calls += 1
            if self.calls > 20:
                raise KeyboardInterrupt
            return np.logaddexp(*scores), np.exp(scores - np.logaddexp(*scores))

    learned = CRF(eta0=0.1, n_iter=50, tol=0).learn(adapt(Interrupted()))
    assert learned.interrupted
    assert len(learned.history) == 10
    assert learned.weights[0] > 0 > learned.weights[1]


def test_example_weights() -> None:
    class Weighted(Coin):
        def marginals(self, i: int, scores: np.ndarray) -> Any:
            return np.logaddexp(*scores), np.exp(scores - np.logaddexp(*scores))

        def weight(self, i: int) -> float:
            return [3.0, 0.5][i]

    g = np.empty(2, dtype=np.float32)
    loss = adapt(Weighted()).gradient(np.zeros(2, dtype=np.float32), g, False, 1)
    assert loss == pytest.approx(3.5 * np.log(2))
    np.testing.assert_allclose(g, [1.75, -1.75])


def test_several_right_outputs() -> None:
    class Latent(Coin):  # three sides, the first two of which are right
        n_weights = 3

        def gold(self, i: int) -> list[float]:
            return [1.0, 0.0, 0.0]

        def pullback(self, i: int, parts: np.ndarray) -> Any:
            return [0, 1, 2], parts

        def marginals(self, i: int, scores: np.ndarray) -> Any:
            every = Enumeration.of_scores(scores)
            return every.log_z, every.probabilities

        def gold_marginals(self, i: int, scores: np.ndarray) -> Any:
            right = Enumeration.of_scores([*scores[:2], -np.inf])
            return right.log_z, right.probabilities

    g = np.empty(3, dtype=np.float32)
    problem = adapt(Latent())
    loss = problem.gradient(np.zeros(3, dtype=np.float32), g, False, 1)
    assert loss == pytest.approx(2 * np.log(3 / 2))
    np.testing.assert_allclose(g, [1 / 3, 1 / 3, -2 / 3], atol=1e-6)
    assert problem.observed().tolist() == [1, 1, 1]
