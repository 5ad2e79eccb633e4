"""The perceptron against a plain one that lists all outputs, update by update."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from palmette._native import PerceptronMemory
from palmette.learning.learner import Shuffled
from palmette.learning.perceptron import Perceptron, Votes
from samples.learning_chains import SmallChain, random_chain

pytestmark = pytest.mark.native


def orders(n: int, passes: int, random_state: int = 0) -> list[int]:
    shuffled = Shuffled(n, random_state)
    return [int(i) for _ in range(passes) for order in shuffled.slices() for i in order]


def plain(chain: SmallChain, order: list[int], start: np.ndarray | None = None, margin: float = 0.0):
    """All weight vectors, one after every example, and the numbers of mistakes and R."""
    w = np.zeros(chain.n_weights) if start is None else start.astype(float)
    vectors, mistakes, radius = [], 0, 0.0
    for i in order:
        guess, gold = chain.best(i, w, margin), chain.gold(i, w)
        step = chain.loss(i, guess) if margin else float(guess != gold)
        if step:
            d = chain.difference(i, gold, guess)
            w = w + chain.weight(i) * step * d
            mistakes, radius = mistakes + 1, max(radius, np.linalg.norm(d))
        vectors.append(w)
    return np.array(vectors), mistakes, radius


@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize("options", [{}, {"weighted": True}, {"unknown": 0.4}])
@pytest.mark.parametrize("margin", [0.0, 0.5])
def test_every_update_is_that_of_the_plain_algorithm(order, options, margin):
    chain = random_chain(order, order=order, **options)
    problem = chain.problem()
    w, memory = np.zeros(chain.n_weights, np.float32), PerceptronMemory(chain.n_weights, False, margin)
    examples = orders(6, 3)
    want, mistakes, radius = plain(chain, examples, margin=margin)
    have = 0
    for step, i in enumerate(examples):
        more, _ = problem.perceptron_epoch(w, memory, np.array([i]))
        have += more
        np.testing.assert_allclose(w, want[step], atol=1e-5)
        np.testing.assert_allclose(memory.mean(w), want[: step + 1].mean(axis=0), atol=1e-4)
    assert have == mistakes
    assert memory.radius == pytest.approx(radius, rel=1e-4)


def test_learner_passes_and_averages():
    chain = random_chain(5, n=10)
    learned = Perceptron(n_iter=4, random_state=3).learn(chain.problem())
    want, _, _ = plain(chain, orders(10, len(learned.history), 3))
    np.testing.assert_allclose(learned.weights, want.mean(axis=0), atol=1e-4)
    last = Perceptron(n_iter=4, random_state=3, average=False).learn(chain.problem())
    np.testing.assert_allclose(last.weights, want[-1], atol=1e-4)


def test_warm_start():
    chain = random_chain(6)
    start = np.random.default_rng(0).normal(size=chain.n_weights).astype(np.float32)
    have = Perceptron(n_iter=2, average=False).learn(chain.problem(), start=start)
    np.testing.assert_allclose(
        have.weights, plain(chain, orders(6, len(have.history)), start)[0][-1], atol=1e-4
    )


@pytest.mark.parametrize("seed", range(5))
def test_mistake_bound_holds_on_separable_data(seed):
    chain = random_chain(seed, n=8, separable=True)
    learned = Perceptron(n_iter=1000, average=False).learn(chain.problem())
    numbers = learned.history[-1].numbers
    assert numbers["mistakes"] == 0
    mistakes = sum(report.numbers["mistakes"] for report in learned.history)
    assert 0 < mistakes <= numbers["mistake_bound"]
    assert numbers["mistake_bound"] == pytest.approx(numbers["radius"] ** 2 / numbers["margin"] ** 2)
    w = learned.weights.astype(float)
    margins = [
        w @ chain.difference(i, tuple(chain.labels[i]), z) / np.linalg.norm(w)
        for i in range(8)
        for z in chain.outputs(i)
        if z != tuple(chain.labels[i])
    ]
    assert numbers["margin"] == pytest.approx(min(margins), rel=1e-4)
    assert chain.problem().smallest_margin(learned.weights, 2) == chain.problem().smallest_margin(
        learned.weights, 1
    )


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_votes(n_jobs):
    chain, test = random_chain(7, n=12), random_chain(8, n=5)
    learned = Perceptron(n_iter=3, voted=True).learn(chain.problem())
    votes = learned.extra
    assert isinstance(votes, Votes)
    vectors, mistakes, _ = plain(chain, orders(12, len(learned.history)))
    assert len(votes) == mistakes + 1
    assert votes.memory.survived().sum() == len(vectors)
    have = votes.decode(test.problem(), n_jobs=n_jobs)
    want = []
    for i in range(5):
        count = Counter(test.best(i, w) for w in vectors)
        want += max(count, key=count.get)
    assert have.tolist() == want


def test_few_votes_are_those_that_survived_longest():
    chain = random_chain(9, n=12)
    learned = Perceptron(n_iter=2, voted=True).learn(chain.problem())
    vectors, _, _ = plain(chain, orders(12, len(learned.history)))
    distinct, counts = [], []
    for w in vectors:
        if not distinct or (w != distinct[-1]).any():
            distinct.append(w)
            counts.append(0)
        counts[-1] += 1
    longest = distinct[int(np.argmax(counts))]
    have = learned.extra.decode(chain.problem(), most=1)
    assert have.tolist() == [y for i in range(12) for y in chain.best(i, longest)]


def test_dev_set_keeps_the_votes_of_the_best_pass():
    chain = random_chain(10, n=12)
    scores = iter([1.0, 3.0, 2.0, 0.0])
    learned = Perceptron(n_iter=4, voted=True).learn(chain.problem(), dev=lambda w: next(scores))
    _, mistakes, _ = plain(chain, orders(12, 2))
    assert len(learned.extra) == mistakes + 1


def test_bad_options():
    with pytest.raises(ValueError, match="The 'average' parameter must be True or False"):
        Perceptron(average="yes")
    learned = Perceptron(n_iter=1, voted=True).learn(random_chain(1).problem())
    other = random_chain(1, n_attributes=5).problem()
    with pytest.raises(ValueError, match="wrong length"):
        learned.extra.decode(other)
