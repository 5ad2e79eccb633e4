"""The dual perceptron makes the mistakes of the primal one, pass by pass."""

from __future__ import annotations

import numpy as np
import pytest

from palmette import Classifier, KernelPerceptron, Perceptron
from palmette.features.kernels import FunctionKernel, LinearKernel, PolynomialKernel
from palmette.learning.kernel_examples import KernelExamples

pytestmark = pytest.mark.native


def data(seed: int, n: int = 60, classes: int = 3) -> tuple[list[dict[str, float]], np.ndarray]:
    """Small whole numbers, so that floats of the primal and doubles of the dual are the same."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, size=(n, 5))
    y = (X @ rng.integers(-2, 3, size=(5, classes)) + rng.integers(-2, 3, size=(n, classes))).argmax(axis=1)
    return [{f"x{i}": float(v) for i, v in enumerate(row) if v} for row in X], y.astype(np.int32)


def naive(X, y, classes, kernel, orders) -> tuple[list[int], np.ndarray, np.ndarray]:
    """By the definition: a kernel call for every pair."""
    alpha, total, mistakes = np.zeros((len(X), classes)), np.zeros((len(X), classes)), []
    for order in orders:
        mistakes.append(0)
        for i in order:
            scores = sum(alpha[j] * kernel(X[j], X[i]) for j in range(len(X)) if alpha[j].any())
            z = int(np.argmax(scores)) if np.ndim(scores) else 0
            if z != y[i]:
                mistakes[-1] += 1
                alpha[i, y[i]] += 1
                alpha[i, z] -= 1
            total += alpha
    return mistakes, alpha, total / sum(map(len, orders))


def mistakes(found) -> list[int]:
    return [report.numbers["mistakes"] for report in found.history]


@pytest.mark.parametrize("kernel", [LinearKernel(), PolynomialKernel(2)], ids=str)
@pytest.mark.parametrize("classes", [2, 4])
def test_it_is_the_definition(kernel, classes) -> None:
    X, y = data(1, 30, classes)
    n = int(y.max()) + 1
    rng = np.random.default_rng(5)
    orders = [rng.permutation(30) for _ in range(3)]
    want, alpha, mean = naive(X, y, n, kernel, orders)
    for average, expected in ((False, alpha), (True, mean)):
        learner = KernelPerceptron(n_iter=3, average=average, random_state=5)
        found = learner.learn(KernelExamples.of(kernel, X, y, n))
        assert mistakes(found) == want[: len(found.history)]
        gram = kernel.gram(X)
        np.testing.assert_allclose(found.scores(X), gram @ expected, atol=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_primal_and_dual_make_the_same_mistakes(seed) -> None:
    X, y = data(seed)
    seen: list[float] = []
    primal = Classifier(Perceptron(n_iter=6, average=False, random_state=seed))
    primal.fit(X, y, callback=lambda report: seen.append(report.numbers["mistakes"]))
    with_bias = PolynomialKernel(1)  # 1 + x · y: the primal has a bias
    dual = Classifier(KernelPerceptron(n_iter=6, average=False, random_state=seed), kernel=with_bias)
    told: list[float] = []
    dual.fit(X, y, callback=lambda report: told.append(report.numbers["mistakes"]))
    assert told == seen
    assert dual.predict(X) == primal.predict(X)
    np.testing.assert_allclose(dual.decision_function(X), primal.decision_function(X), atol=1e-6)


def test_votes_are_counted() -> None:
    X, y = data(7, 25, 3)
    kernel, n = PolynomialKernel(1), int(y.max()) + 1
    rng = np.random.default_rng(2)
    votes, alpha = np.zeros((len(X), n)), np.zeros((len(X), n))
    gram = kernel.gram(X)
    for _ in range(2):
        for i in rng.permutation(len(X)):
            z = int(np.argmax(gram[i] @ alpha))
            if z != y[i]:
                alpha[i, y[i]] += 1
                alpha[i, z] -= 1
            votes[np.arange(len(X)), (gram @ alpha).argmax(axis=1)] += 1
    found = KernelPerceptron(n_iter=2, voted=True, random_state=2).learn(KernelExamples.of(kernel, X, y, n))
    np.testing.assert_allclose(found.scores(X), votes / votes.sum(axis=1, keepdims=True), atol=1e-12)


def test_the_mean_of_a_vote_is_that_of_all_vectors() -> None:
    X, y = data(7, 25, 3)
    given = KernelExamples.of(PolynomialKernel(1), X, y, int(y.max()) + 1)
    voted = KernelPerceptron(n_iter=3, voted=True).learn(given)
    averaged = KernelPerceptron(n_iter=3, average=True).learn(given)
    assert averaged.mean is averaged.sums.coefficients
    gram = PolynomialKernel(1).gram(X, voted.sums.supports)
    np.testing.assert_allclose(gram @ voted.mean, averaged.scores(X), atol=1e-9)


@pytest.mark.parametrize("options", [{}, {"voted": True}, {"budget": 5}], ids=str)
def test_a_function_that_is_no_kernel_is_refused(options) -> None:
    rng = np.random.default_rng(0)
    X, y = list(rng.normal(size=(30, 3))), (np.arange(30) % 2).astype(np.int32)
    given = KernelExamples.of(FunctionKernel(lambda a, b: float(np.linalg.norm(a - b))), X, y, 2)
    with pytest.raises(ValueError, match=r"not positive semi-definite.*check=False"):
        KernelPerceptron(**options).learn(given)
    assert KernelPerceptron(check=False, **options).learn(given).history


def test_the_best_pass_by_a_dev_set() -> None:
    X, y = data(3, 80)
    given = KernelExamples.of(PolynomialKernel(2), X, y, int(y.max()) + 1)
    scores = iter([1.0, 3.0, 2.0])
    found = KernelPerceptron(n_iter=3).learn(given, dev=lambda made: next(scores))
    assert [report.numbers["dev"] for report in found.history] == [1.0, 3.0, 2.0]
    two = KernelPerceptron(n_iter=2).learn(given)
    np.testing.assert_array_equal(found.scores(X), two.scores(X))


def test_ctrl_c_keeps_what_was_learnt() -> None:
    X, y = data(3, 80)
    given = KernelExamples.of(PolynomialKernel(2), X, y, int(y.max()) + 1)

    def interrupt(report) -> None:
        if report.epoch == 2:
            raise KeyboardInterrupt

    found = KernelPerceptron(n_iter=5).learn(given, callback=interrupt)
    assert found.interrupted
    np.testing.assert_array_equal(found.scores(X), KernelPerceptron(n_iter=2).learn(given).scores(X))


def test_a_budget_is_kept() -> None:
    X, y = data(3, 80)
    learner = KernelPerceptron(n_iter=4, budget=7)
    found = learner.learn(KernelExamples.of(PolynomialKernel(2), X, y, int(y.max()) + 1))
    assert 1 <= len(found.sums.supports) <= 7
    # what was forgotten left no trace in the scores that the learner goes by
    many = KernelPerceptron(n_iter=4, budget=10_000, average=False)
    free = KernelPerceptron(n_iter=4, average=False)
    given = KernelExamples.of(PolynomialKernel(2), X, y, int(y.max()) + 1)
    assert mistakes(many.learn(given)) == mistakes(free.learn(given))


def test_rows_on_demand_change_nothing() -> None:
    X, y = data(3, 80)
    n = int(y.max()) + 1
    one = KernelPerceptron().learn(KernelExamples.of(PolynomialKernel(2), X, y, n))
    two = KernelPerceptron().learn(KernelExamples.of(PolynomialKernel(2), X, y, n, cache_mb=0.002))
    assert mistakes(one) == mistakes(two)
    np.testing.assert_allclose(one.scores(X), two.scores(X), atol=1e-12)


def test_bad_options() -> None:
    with pytest.raises(ValueError, match="one of 'budget' and 'voted'"):
        KernelPerceptron(budget=5, voted=True)
    with pytest.raises(ValueError, match="'budget' parameter must be an int"):
        KernelPerceptron(budget=0)
    with pytest.raises(ValueError, match="'check' parameter must be True or False"):
        KernelPerceptron(check=1)
