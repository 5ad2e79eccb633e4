"""Structured SVMs by cutting planes: the optimum over a set of constraints, which grows until none is missing.

    one slack    minimise l2 · ‖w‖² + ξ    w·g_k ≥ ℓ_k − ξ        a constraint is a sum over all examples
                 (Joachims, Finley and Yu 2009); few constraints, a small dense quadratic program
    n slacks     minimise l2 · ‖w‖² + Σ weight_i ξ_i               a constraint belongs to one example
                 (Tsochantaridis et al. 2005); many sparse constraints, solved in the native core

The dual of either bounds the objective from below; the best weights met bound it from above.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from palmette._native import WorkingSet
from palmette.learning.learner import Epoch
from palmette.learning.problem import Problem, Weights
from palmette.learning.simplex_qp import solve_simplex_qp

IDLE = 20  # rounds after which a plane without mass is dropped


class _Planes:
    """Constraints w·g_k ≥ ℓ_k − ξ with their Gram matrix; the first is ξ ≥ 0. Only non-zeros are kept."""

    def __init__(self, n_weights: int) -> None:
        self.n_weights = n_weights
        self.planes: list[tuple[NDArray[np.int64], NDArray[np.float64]]] = [(np.empty(0, int), np.empty(0))]
        self.losses, self.gram, self.alpha = np.zeros(1), np.zeros((1, 1)), np.ones(1)
        self.idle = np.zeros(1, int)

    def add(self, gradient: Weights, loss: float) -> None:
        index = np.flatnonzero(gradient)
        values = gradient[index].astype(np.float64)
        dense = gradient.astype(np.float64)
        row = np.array([float(v @ dense[at]) for at, v in self.planes] + [float(values @ values)])
        m = len(self.planes)
        grown = np.zeros((m + 1, m + 1))
        grown[:m, :m] = self.gram
        grown[m], grown[:, m] = row, row
        self.gram, self.losses = grown, np.append(self.losses, loss)
        self.alpha, self.idle = np.append(self.alpha, 0.0), np.append(self.idle, 0)
        self.planes.append((index, values))

    def solve(self, l2: float) -> float:
        """Find the best α, and return the dual objective."""
        self.alpha = solve_simplex_qp(self.gram / (2 * l2), self.losses, self.alpha)
        self.idle = np.where(self.alpha > 0, 0, self.idle + 1)
        return float(self.losses @ self.alpha - self.alpha @ self.gram @ self.alpha / (4 * l2))

    def weights(self, l2: float) -> Weights:
        w = np.zeros(self.n_weights)
        for a, (index, values) in zip(self.alpha, self.planes, strict=True):
            if a > 0:
                w[index] += a / (2 * l2) * values
        return w.astype(np.float32)

    def drop_idle(self) -> None:
        keep = self.idle < IDLE
        keep[0] = True
        self.planes = [plane for plane, kept in zip(self.planes, keep, strict=True) if kept]
        self.gram = self.gram[np.ix_(keep, keep)]
        self.losses, self.alpha, self.idle = self.losses[keep], self.alpha[keep], self.idle[keep]


def one_slack(problem: Problem, start: Weights, l2: float, tol: float, n_jobs: int) -> Iterator[Epoch]:
    """A pass: the quadratic program, then one search with its solution, which gives the next plane."""
    planes, gradient = _Planes(problem.n_weights), np.zeros_like(start)
    _, loss = problem.hinge(start, gradient, n_jobs)
    best = _Best()
    while True:
        planes.add(gradient, loss)
        dual = planes.solve(l2)
        w = planes.weights(l2)
        planes.drop_idle()
        hinge, loss = problem.hinge(w, gradient, n_jobs)
        best.offer(w, hinge, l2)
        yield best.epoch(dual, len(planes.planes) - 1, tol)


def n_slack(problem: Problem, start: Weights, l2: float, tol: float, n_jobs: int) -> Iterator[Epoch]:
    """A pass: the quadratic program over all examples' constraints, then one search for each example."""
    working_set = WorkingSet()
    problem.add_constraints(start, working_set, 0.0, n_jobs)
    best = _Best()
    tolerance = np.inf
    while True:
        scale = max(1e-9, min(tolerance, 0.1 * max(best.objective, 1.0)))
        tolerance = scale if np.isfinite(scale) else 1.0
        working_set.solve(l2, tolerance, 10_000)
        w, dual = working_set.weights(), working_set.dual(l2)
        hinge, _ = problem.add_constraints(w, working_set, 0.0, n_jobs)
        best.offer(w, hinge, l2)
        epoch = best.epoch(dual, working_set.size, tol)
        # The program need not be solved much better than the set describes the problem.
        tolerance = max(1e-9, 0.1 * (best.objective - dual))
        yield epoch


class _Best:
    """The best weights met, and their objective."""

    def __init__(self) -> None:
        self.objective, self.hinge = np.inf, np.inf
        self.w: Weights | None = None

    def offer(self, w: Weights, hinge: float, l2: float) -> None:
        objective = hinge + l2 * float(np.einsum("i,i->", w, w, dtype=np.float64))
        if objective < self.objective or self.w is None:
            self.w, self.objective, self.hinge = w, objective, hinge

    def epoch(self, dual: float, constraints: int, tol: float) -> Epoch:
        assert self.w is not None
        gap = self.objective - dual
        numbers = {"loss": self.hinge, "objective": self.objective, "dual": dual, "gap": gap}
        return Epoch(
            numbers | {"constraints": constraints}, self.w.copy, gap <= tol * max(abs(self.objective), 1e-12)
        )
