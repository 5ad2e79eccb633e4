"""Transition-based parsing as a learning problem: gradients, updates, and every learner."""

import numpy as np
import pytest

from palmette._native import TransitionProblem, transition_templates
from palmette.learning.learner import Learner
from palmette.learning.registry import make_learner
from samples.transitions import LABELS, RandomTrees, random_trees

pytestmark = pytest.mark.native

FOLLOW, STATIC, DYNAMIC, BEAM = range(4)
SYSTEMS = ("arc-standard", "arc-hybrid", "arc-eager", "swap")


def problem(
    data: RandomTrees,
    system: str,
    training: int,
    *,
    width: int = 1,
    max_violation: bool = False,
    groups: int = 2,
    bits: int = 7,
) -> TransitionProblem:
    group = np.minimum(np.arange(LABELS), groups - 1).astype(np.int32)
    v = data.views
    arrays = (v.offsets, v.values, v.piece_rows, v.pieces, data.heads, data.labels)
    return TransitionProblem(
        *arrays, system, training, width, max_violation, group, *transition_templates(system), bits, bits - 1
    )


def random_weights(p: TransitionProblem, seed: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, 0.3, p.n_weights).astype(np.float32)


CASES = [(s, STATIC) for s in SYSTEMS] + [(s, DYNAMIC) for s in ("arc-hybrid", "arc-eager")]


@pytest.mark.parametrize("groups", [1, 2, LABELS])
@pytest.mark.parametrize(("system", "training"), CASES)
def test_gradient_by_finite_differences(system: str, training: int, groups: int) -> None:
    p = problem(random_trees(1, 4, projective=system != "swap"), system, training, groups=groups)
    w, g = random_weights(p), np.zeros(p.n_weights, dtype=np.float32)
    p.gradient(w, g, False, 1)
    rng, room = np.random.default_rng(0), np.zeros_like(g)
    at = np.concatenate([rng.choice(np.flatnonzero(g), 12), rng.choice(p.n_weights, 4)])
    for k in at.tolist():
        values = []
        for step in (0.01, -0.01):
            moved = w.copy()
            moved[k] += np.float32(step)
            values.append(p.gradient(moved, room, False, 1))
        assert -(values[0] - values[1]) / 0.02 == pytest.approx(g[k], abs=0.02, rel=0.02)


@pytest.mark.parametrize(("system", "training"), CASES)
def test_the_gradient_does_not_depend_on_threads(system: str, training: int) -> None:
    p = problem(random_trees(2, 30, projective=system != "swap"), system, training)
    w = random_weights(p)
    one, two = np.zeros_like(w), np.zeros_like(w)
    assert p.gradient(w, one, False, 1) == p.gradient(w, two, False, 3)
    np.testing.assert_allclose(one, two, atol=1e-5)


@pytest.mark.parametrize("cost", [0.0, 1.0])
@pytest.mark.parametrize(
    ("system", "training", "width", "max_violation"),
    [(s, t, 1, False) for s, t in CASES]
    + [(s, BEAM, k, v) for s in SYSTEMS for k in (1, 4) for v in (False, True)],
)
def test_every_update_is_a_violation(
    system: str, training: int, width: int, max_violation: bool, cost: float
) -> None:
    """The output found has at least the score of the right one: w · (Φ(right) − Φ(found)) ≤ cost · loss."""
    data = random_trees(4, 20, projective=system != "swap")
    p = problem(data, system, training, width=width, max_violation=max_violation)
    w = random_weights(p)
    updates = 0
    for i in range(len(p)):
        loss, indices, values = p.mistakes(w, i, cost)
        updates += len(indices) > 0
        assert (loss > 0) == (len(indices) > 0) or cost
        assert float(w[indices] @ values) <= cost * loss + 1e-3
        if training != DYNAMIC:
            assert values.sum() == pytest.approx(0, abs=1e-3) or training == BEAM
    assert updates > len(p) // 2


def test_early_updates_stop_no_later_than_the_greatest_violation() -> None:
    data = random_trees(5, 20)
    early = problem(data, "arc-hybrid", BEAM, width=3)
    late = problem(data, "arc-hybrid", BEAM, width=3, max_violation=True)
    w = random_weights(early)
    w[early.labels_at :] = 0
    for i in range(len(early)):
        first, last = early.mistakes(w, i, 0.0), late.mistakes(w, i, 0.0)
        a = -float(w[first[1]] @ first[2])
        b = -float(w[last[1]] @ last[2])
        assert b >= a - 1e-3


LEARNERS = [
    ("perceptron", {}, STATIC, 1),
    ("perceptron", {}, DYNAMIC, 1),
    ("perceptron", {}, BEAM, 4),
    ("perceptron", {"voted": True}, STATIC, 1),
    ("mira", {}, STATIC, 1),
    ("mira", {"k": 3, "c": 1.0, "n_iter": 30}, BEAM, 4),
    ("pa", {"variant": "II", "c": 1.0, "n_iter": 30}, DYNAMIC, 1),
    ("arow", {}, STATIC, 1),
    ("svm", {"method": "subgradient", "l2": 0.01}, STATIC, 1),
    ("svm", {"method": "frank-wolfe", "l2": 0.01}, STATIC, 1),
    ("svm", {"method": "cutting-plane", "slack": "n", "l2": 0.01}, STATIC, 1),
    ("crf", {"l2": 0.001}, STATIC, 1),
    ("crf", {"l2": 0.001}, DYNAMIC, 1),
    ("crf", {"method": "sag", "l2": 0.001}, STATIC, 1),
    ("crf", {"method": "lbfgs", "l2": 0.001, "n_iter": 20}, STATIC, 1),
    ("eg", {"l2": 0.01}, STATIC, 1),
]


@pytest.mark.parametrize(("name", "options", "training", "width"), LEARNERS)
def test_every_learner_learns_its_sentences(name: str, options: dict, training: int, width: int) -> None:
    data = random_trees(6, 15, distinct=True)
    p = problem(data, "arc-hybrid", training, width=width, bits=12)
    learner: Learner = make_learner(name, options)
    w = learner.learn(p).weights
    loss = problem(data, "arc-hybrid", FOLLOW, width=width, bits=12).total_loss(w, 1)
    assert loss <= 0.1 * len(data.heads)


def test_what_makes_no_sense_is_said() -> None:
    data = random_trees(7, 3)
    w = np.zeros(problem(data, "arc-eager", STATIC).n_weights, dtype=np.float32)
    with pytest.raises(ValueError, match="expected loss is not known"):
        problem(data, "arc-eager", STATIC).gradient(w, w.copy(), True, 1)
    with pytest.raises(ValueError, match="step by step"):
        problem(data, "arc-eager", BEAM, width=4).gradient(w, w.copy(), False, 1)
    with pytest.raises(ValueError, match="no dynamic oracle"):
        problem(data, "swap", DYNAMIC)
    crossing = random_trees(8, 1)
    crossing.heads[:4] = [3, 4, 0, 3]
    with pytest.raises(ValueError, match="sentence 1"):
        problem(crossing, "arc-eager", STATIC)


def test_observed_weights_are_those_of_right_outputs() -> None:
    p = problem(random_trees(9, 5), "arc-eager", STATIC)
    mask = p.observed()
    w = np.zeros(p.n_weights, dtype=np.float32)
    g = np.zeros_like(w)
    p.gradient(w, g, False, 1)
    assert (mask[g > 1e-6] == 1).all()
    p.keep_to(mask)
    p.gradient(w, g, False, 1)
    assert (g[mask == 0] == 0).all()
