"""Transition-based parsing as a learning problem: its updates. `test_problems.py` has the rest."""

from typing import Any

import numpy as np
import pytest

from palmette._native import TransitionProblem
from samples.problem_cases import BEAM, DYNAMIC, STATIC, TransitionCase
from samples.transitions import RandomTrees, random_trees

pytestmark = pytest.mark.native

SYSTEMS = ("arc-standard", "arc-hybrid", "arc-eager", "swap")


def problem(data: RandomTrees, system: str, training: int, **options: Any) -> TransitionProblem:
    return TransitionCase(data, system, training, **options).make()


def random_weights(p: TransitionProblem, seed: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, 0.3, p.n_weights).astype(np.float32)


CASES = [(s, STATIC) for s in SYSTEMS] + [(s, DYNAMIC) for s in ("arc-hybrid", "arc-eager")]


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
