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
from palmette.learning.learner import Epoch, Shuffled, State
from palmette.learning.problem import Problem, Weights, squared_norm
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
        row = np.array([float(v @ gradient[at]) for at, v in self.planes] + [float(values @ values)])
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
        w = np.zeros(self.n_weights, dtype=np.float32)
        for a, (index, values) in zip(self.alpha, self.planes, strict=True):
            if a > 0:
                w[index] += (a / (2 * l2) * values).astype(np.float32)
        return w

    def drop_idle(self) -> None:
        keep = self.idle < IDLE
        keep[0] = True
        self.planes = [plane for plane, kept in zip(self.planes, keep, strict=True) if kept]
        self.gram = self.gram[np.ix_(keep, keep)]
        self.losses, self.alpha, self.idle = self.losses[keep], self.alpha[keep], self.idle[keep]


def one_slack(
    problem: Problem, start: Weights, l2: float, tol: float, n_jobs: int, state: State = None
) -> Iterator[Epoch]:
    """A pass: the quadratic program, then one search, which gives the next plane.

    The solution w of an early program is far off, and so are the planes that it leads to. The search is therefore
    made between the best weights met and w: nearer to w after a success, nearer to the best after a failure, and
    at w itself when the last plane told the program nothing new (as OCAS does: Franc and Sonnenburg 2008).
    """
    if state is None:
        gradient = np.zeros_like(start)
        hinge, loss = problem.hinge(start, gradient, n_jobs)
        best = _Best()
        best.offer(start, hinge, l2)
        state = _Planes(problem.n_weights), best, gradient, loss, -np.inf, 0.5
    planes, best, gradient, loss, before, share = state
    while True:
        planes.add(gradient, loss)
        dual = planes.solve(l2)
        w = planes.weights(l2)
        planes.drop_idle()
        stuck = dual - before <= 1e-3 * tol * abs(dual)
        if not stuck:
            w = best.w + np.float32(share) * (w - best.w)
        hinge, loss = problem.hinge(w, gradient, n_jobs)
        better = best.offer(w, hinge, l2)
        share = min(1.0, 2 * share) if better else max(0.05, share / 2)
        before = dual
        state = planes, best, gradient, loss, before, share
        yield best.epoch(dual, len(planes.planes) - 1, tol, state)


def n_slack(
    problem: Problem,
    start: Weights,
    l2: float,
    tol: float,
    n_jobs: int,
    shuffled: Shuffled,
    state: State = None,
) -> Iterator[Epoch]:
    """A pass: one search per example, whose constraint is used at once; then the program over all constraints.

    The program is solved to a twentieth of the gap, which the next constraints will change more than that.
    """
    search = start if state is None and start.any() else None
    working_set, best, gap, shuffled = state or (WorkingSet(), _Best(), np.inf, shuffled)
    while True:
        for order in shuffled.slices():
            problem.working_set_epoch(working_set, order, l2, search)
        search = None
        working_set.solve(l2, max(1e-9, 0.05 * min(gap, abs(working_set.dual(l2)))), 20)
        w, dual = working_set.weights(), working_set.dual(l2)
        hinge, _ = problem.hinge(w, None, n_jobs)
        best.offer(w, hinge, l2)
        gap = best.objective - dual
        yield best.epoch(dual, working_set.size, tol, (working_set, best, gap, shuffled))


class _Best:
    """The best weights met, and their objective."""

    def __init__(self) -> None:
        self.objective, self.hinge = np.inf, np.inf
        self.w: Weights = np.empty(0, dtype=np.float32)

    def offer(self, w: Weights, hinge: float, l2: float) -> bool:
        objective = hinge + l2 * squared_norm(w)
        better = objective < self.objective
        if better:
            self.w, self.objective, self.hinge = w, objective, hinge
        return better

    def epoch(self, dual: float, constraints: int, tol: float, state: State) -> Epoch:
        gap = self.objective - dual
        numbers = {"loss": self.hinge, "objective": self.objective, "dual": dual, "gap": gap}
        converged = gap <= tol * max(abs(self.objective), 1e-12)
        return Epoch(numbers | {"constraints": constraints}, self.w.copy, converged, state=state)
