"""Boosting against the plain algorithm, and its limit against a minimiser of the same loss."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar
from scipy.sparse import csr_array

from palmette.features.sequence_templates import SequenceTemplates
from palmette.learning.boosting import Boosting, PairProblem
from palmette.tools.classification.classifier import Classifier
from palmette.tools.classification.linear_model import attributes_of, class_pairs
from palmette.tools.reranking.reranker import Reranker
from samples.ranking_lists import random_lists


def random_pairs(seed: int, real: bool, n: int = 40, features: int = 7) -> PairProblem:
    rng = np.random.default_rng(seed)
    table = rng.integers(-1, 2, size=(n, features)).astype(float)
    table[rng.random((n, features)) < 0.3] = 0
    if real:
        table *= rng.gamma(2.0, 1.0, size=table.shape)
    return PairProblem(csr_array(table), rng.random(n) + 0.5, n)


def plain(problem: PairProblem, rounds: int, smoothing: float) -> np.ndarray:
    """Every step by its definition: all gains of all features, and a search along the best one."""
    D, c = problem.differences.toarray(), problem.weights
    w = np.zeros(D.shape[1])
    for _ in range(rounds):
        losses = c * np.exp(-D @ w)
        total, gains = losses.sum(), []
        for k in range(len(w)):
            size = np.abs(D[:, k]).max()
            right = sum(e * d / size for e, d in zip(losses, D[:, k]) if d > 0)
            wrong = sum(-e * d / size for e, d in zip(losses, D[:, k]) if d < 0)
            gains.append((np.sqrt(right) - np.sqrt(wrong)) ** 2)
        k = int(np.argmax(gains))
        m = np.abs(D[:, k]).max()

        def along(delta: float, k: int = k, m: float = m, losses=losses, total=total) -> float:
            extra = smoothing * total * (np.exp(-delta * m) + np.exp(delta * m))
            return float(losses @ np.exp(-delta * D[:, k]) + extra)

        w[k] += minimize_scalar(along, bracket=(-0.1, 0.1), tol=1e-10).x
    return w


@pytest.mark.parametrize("real", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_every_step_is_that_of_the_plain_algorithm(seed: int, real: bool) -> None:
    problem = random_pairs(seed, real)
    learned = Boosting(rounds=4, n_iter=3, smoothing=0.01).learn(problem)  # type: ignore[arg-type]
    np.testing.assert_allclose(learned.weights, plain(problem, 12, 0.01), atol=1e-5)
    losses = [report.numbers["loss"] for report in learned.history]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] == pytest.approx(problem.loss(learned.weights.astype(float)), rel=1e-5)


@pytest.mark.parametrize("real", [False, True])
def test_the_limit_is_the_minimum_of_the_loss(real: bool) -> None:
    problem = random_pairs(5, real)
    learned = Boosting(rounds=500, n_iter=4, smoothing=1e-9).learn(problem)  # type: ignore[arg-type]
    want = minimize(problem.loss, np.zeros(problem.n_weights), tol=1e-12).fun
    assert problem.loss(learned.weights.astype(float)) == pytest.approx(want, rel=1e-6)


def test_pairs_of_classes() -> None:
    """w · d is the lead of the right class over another, with the weights as the model has them."""
    X, y = [{"a": 2.0}, {"b"}, {"a", "b"}], ["x", "y", "z"]
    classifier = Classifier(Boosting(rounds=5, n_iter=1)).fit(X, y, sample_weight=[1.0, 2.0, 0.5])
    model = classifier.model_.model
    instances = model.features.transform([[attributes_of(x)] for x in X])
    pairs = class_pairs(instances, np.arange(3, dtype=np.int32), 3, np.array([1.0, 2.0, 0.5]))
    scores = classifier.decision_function(X)
    want = [scores[i, i] - scores[i, z] for i in range(3) for z in range(3) if z != i]
    np.testing.assert_allclose(pairs.differences @ model.weights.astype(float), want, atol=1e-5)
    assert pairs.weights.tolist() == [1.0, 1.0, 2.0, 2.0, 0.5, 0.5]


def test_pairs_of_candidates() -> None:
    lists = random_lists(40, 1)
    reranker = Reranker(Boosting(rounds=50, n_iter=2), features=SequenceTemplates()).fit(lists)
    assert reranker.evaluate(lists).f1 > reranker.evaluate(lists).baseline
    # the loss is that of scores of candidates: right against worse
    total = 0.0
    for given, scores in zip(lists, reranker.scores(lists)):
        assert given.losses is not None
        right = min(range(len(given)), key=lambda c: (given.losses[c], -given.log_probabilities[c]))  # type: ignore[index]
        total += sum(
            np.exp(scores[c] - scores[right])
            for c in range(len(given))
            if given.losses[c] > given.losses[right]
        )
    assert reranker.history_[-1].numbers["loss"] == pytest.approx(total, rel=1e-3)


def test_pairs_that_can_all_be_right_end_the_training() -> None:
    problem = PairProblem(csr_array(np.array([[1.0, 0.0], [1.0, -1.0], [0.0, 2.0]])), np.ones(3), 3)
    learned = Boosting(rounds=500, n_iter=50).learn(problem)  # type: ignore[arg-type]
    assert len(learned.history) == 1
    assert 0 < problem.loss(learned.weights.astype(float)) < 1e-6
    assert np.abs(learned.weights).max() < 100


def test_nothing_to_learn() -> None:
    alike = PairProblem(csr_array((3, 2)), np.ones(3), 3)
    assert not Boosting().learn(alike).weights.any()  # type: ignore[arg-type]
    assert Classifier(Boosting()).fit([{"a"}, {"b"}], ["x", "x"]).predict([{"a"}]) == ["x"]
