"""The perceptron of Carreras: the update for "Jack London went to Paris", number by number."""

from __future__ import annotations

import numpy as np
import pytest

from palmette._native import PerceptronMemory
from palmette.learning.perceptron import Perceptron
from samples.learning_chains import SmallChain

pytestmark = pytest.mark.native

WORDS = ["jack", "london", "went", "to", "paris"]
PER, LOC, NONE = range(3)
GOLD = [PER, PER, NONE, NONE, LOC]
GUESS = [PER, LOC, NONE, NONE, LOC]
S = 8  # weights of one attribute: three labels, and pads
BIGRAMS = 5 * S


def slide() -> SmallChain:
    """One attribute per word, and label bigrams: f(x, i, y', y) = (word i with y, y' before y)."""
    return SmallChain([[[(i, 1.0)] for i in range(5)]], [GOLD], n_labels=3, n_attributes=5)


def weights_of_guess() -> np.ndarray:
    """Current weights under which z = (PER, LOC, -, -, LOC) is the best output."""
    w = np.zeros(slide().n_weights, np.float32)
    for i, y in enumerate(GUESS):
        w[i * S + y] = 1.0
    return w


# g = f(x, 2, PER, PER) − f(x, 2, PER, LOC) + f(x, 3, PER, -) − f(x, 3, LOC, -), positions counted from 1
UPDATE = {
    1 * S + PER: +1.0,  # london as PER
    1 * S + LOC: -1.0,  # london as LOC
    BIGRAMS + PER * S + PER: +1.0,
    BIGRAMS + PER * S + LOC: -1.0,
    BIGRAMS + PER * S + NONE: +1.0,  # into position 3; "went" keeps its label and so its own features
    BIGRAMS + LOC * S + NONE: -1.0,
}


def test_the_update_is_that_of_the_slide():
    chain, w = slide(), weights_of_guess()
    assert chain.problem().decode(w, 1)[0].tolist() == GUESS
    before = w.copy()
    mistakes, loss = chain.problem().perceptron_epoch(w, PerceptronMemory(0, False), np.array([0]))
    assert (mistakes, loss) == (1, 1.0)
    changed = w - before
    assert {int(k): float(changed[k]) for k in np.flatnonzero(changed)} == UPDATE


def test_perceptron_updates_are_very_sparse():
    """Positions 1, 4 and 5 have the same labels in both, and nothing of them changes."""
    chain = slide()
    d = chain.difference(0, tuple(GOLD), tuple(GUESS))
    assert {int(k): float(d[k]) for k in np.flatnonzero(d)} == UPDATE
    assert not {k // S for k in UPDATE} & {0, 2, 3, 4}


def test_after_the_update_the_right_output_leads_by_the_square_of_its_length():
    """w·g was −1 (the guess led by london's weight) and ‖g‖² = 6, so w·g becomes 5."""
    chain, w = slide(), weights_of_guess()
    d = chain.difference(0, tuple(GOLD), tuple(GUESS))
    assert w @ d == -1
    memory = PerceptronMemory(0, False)
    chain.problem().perceptron_epoch(w, memory, np.array([0]))
    assert w @ d == 5
    assert memory.radius == pytest.approx(np.sqrt(6))


def test_averaging_returns_the_mean_over_all_steps():
    """wa / mT: with one sentence and T passes, the mean of the weights after each pass."""
    chain = slide()
    passes = [Perceptron(n_iter=t, average=False).learn(chain.problem()).weights for t in (1, 2, 3)]
    mean = Perceptron(n_iter=3).learn(chain.problem())
    count = len(mean.history)
    np.testing.assert_allclose(mean.weights, np.mean(passes[:count], axis=0), atol=1e-6)


def test_separable_data_converges_within_the_bound():
    learned = Perceptron(n_iter=50, average=False).learn(slide().problem())
    numbers = learned.history[-1].numbers
    assert numbers["mistakes"] == 0
    assert sum(r.numbers["mistakes"] for r in learned.history) <= numbers["mistake_bound"]
    assert slide().problem().decode(learned.weights, 1)[0].tolist() == GOLD
