"""The perceptron against a plain one that lists all outputs, update by update."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from palmette._native import PerceptronMemory
from palmette.learning.learner import Shuffled
from palmette.learning.perceptron import Perceptron
from palmette.learning.votes import VotedWeights
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


def distinct(vectors: np.ndarray) -> tuple[list[np.ndarray], list[int]]:
    """The vectors that differ from the one before, the first being zero, and how many examples each survived."""
    found, counts = [np.zeros(vectors.shape[1])], [0]
    for w in vectors:
        if (w != found[-1]).any():
            found.append(w)
            counts.append(0)
        counts[-1] += 1
    return found, counts


def decode(votes: VotedWeights, chain: SmallChain) -> list[int]:
    """The labels that win, all in a row."""
    problem = chain.problem()
    ends = np.cumsum([len(chain.outputs(i)[0]) for i in range(len(problem))])[:-1]
    won = votes.elect(lambda w: [tuple(part) for part in np.split(problem.decode(w, 1)[0], ends)])
    return [y for tally in won for y in tally[0].output]


def test_votes():
    chain, test = random_chain(7, n=12), random_chain(8, n=5)
    learned = Perceptron(n_iter=3, voted=True, vectors=0).learn(chain.problem())
    votes = learned.extra
    assert isinstance(votes, VotedWeights)
    vectors, mistakes, _ = plain(chain, orders(12, len(learned.history)))
    assert len(votes.votes) == mistakes + 1
    assert votes.votes.sum() == len(vectors)
    want = []
    for i in range(5):
        count = Counter(test.best(i, w) for w in vectors)
        want += max(count, key=count.get)
    assert decode(votes, test) == want


@pytest.mark.parametrize("most", [1, 2, 3, 5, 1000])
@pytest.mark.parametrize("seed", range(4))
def test_few_votes_are_those_that_survived_longest(most, seed):
    chain = random_chain(seed, n=12)
    learned = Perceptron(n_iter=4, voted=True, vectors=most).learn(chain.problem())
    vectors, counts = distinct(plain(chain, orders(12, len(learned.history)))[0])
    longest = sorted(sorted(range(len(counts)), key=lambda k: -counts[k])[:most])
    want = [(vectors[k], counts[k]) for k in longest if counts[k]]
    have = [(w.copy(), share) for w, share in learned.extra.vectors()]
    assert len(have) == len(want) == len(learned.extra)
    total = sum(count for _, count in want)
    for (w, share), (vector, count) in zip(have, want):
        np.testing.assert_allclose(w, vector, atol=1e-5)
        assert share == pytest.approx(count / total)


def test_the_longest_of_many_updates_do_not_depend_on_when_others_are_forgotten():
    """More updates than are kept at a time: vectors are forgotten during the passes."""
    chain = random_chain(3, n=60)
    orders_of = np.random.default_rng(0).integers(60, size=(40, 50))
    found = []
    for most in (4, 0):
        w, memory = np.zeros(chain.n_weights, np.float32), PerceptronMemory(0, True, 0.5, most)
        for order in orders_of:
            chain.problem().perceptron_epoch(w, memory, order.astype(np.int64))
        found.append(VotedWeights.of(np.zeros_like(w), memory))
    few, every = found
    assert np.count_nonzero(every.votes) > 300
    longest = sorted(np.argsort(-every.votes, kind="stable")[:4].tolist())
    of_all = {int(k): w.copy() for k, (w, _) in zip(np.flatnonzero(every.votes), every.vectors())}
    assert sorted(few.votes[few.votes > 0]) == sorted(every.votes[longest])
    for (w, _), k in zip(few.vectors(), longest):
        np.testing.assert_allclose(w, of_all[k], atol=1e-3)


def test_votes_survive_arrays_and_damage_is_found():
    learned = Perceptron(n_iter=2, voted=True).learn(random_chain(1).problem())
    votes = learned.extra
    n = len(votes.start)
    again = VotedWeights.of_arrays(votes.arrays(), n)
    for (a, p), (b, q) in zip(votes.vectors(), again.vectors()):
        np.testing.assert_array_equal(a, b)
        assert p == q
    assert VotedWeights.of_arrays({}, n) is None
    for name, damaged in {
        "votes.votes": -votes.arrays()["votes.votes"],
        "votes.places": votes.arrays()["votes.places"] + np.uint32(n),
        "votes.bounds": votes.arrays()["votes.bounds"][::-1].copy(),
        "votes.values": votes.arrays()["votes.values"] * np.float32(np.inf),
        "votes.start": np.ones(3, dtype="<f4"),
    }.items():
        with pytest.raises(ValueError, match="votes"):
            VotedWeights.of_arrays({**votes.arrays(), name: damaged}, n)
    without = {name: array for name, array in votes.arrays().items() if name != "votes.places"}
    with pytest.raises(ValueError, match="votes"):
        VotedWeights.of_arrays(without, n)


def test_dev_set_keeps_the_votes_of_the_best_pass():
    chain = random_chain(10, n=12)
    scores = iter([1.0, 3.0, 2.0, 0.0])
    learned = Perceptron(n_iter=4, voted=True, vectors=0).learn(chain.problem(), dev=lambda w: next(scores))
    _, mistakes, _ = plain(chain, orders(12, 2))
    assert len(learned.extra.votes) == mistakes + 1


def test_bad_options():
    with pytest.raises(ValueError, match="The 'average' parameter must be True or False"):
        Perceptron(average="yes")
    with pytest.raises(ValueError, match="The 'vectors' parameter"):
        Perceptron(vectors=-1)
