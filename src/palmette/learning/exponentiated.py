"""Conditional random fields in the dual, by exponentiated gradient (Collins et al. 2008).

    maximise Σ_i H(α_i) − l2 · ‖w‖²   over a distribution α_i per example,   w = Σ_i (Φ(x, y) − E_{α_i} Φ) / (2 l2)

At the optimum this equals the smallest value of the log-linear objective, −Σ log p(y | x) + l2 · ‖w‖², and the
weights are those of a CRF. Every step raises the dual; the gap between the two tells how far there is to go.
Memory: two numbers for every part of every example. A pass costs a sum over the outputs of every example for each
rate tried, and one more for the gap.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from palmette._native import DualMemory
from palmette.learning.capabilities import Capabilities
from palmette.learning.learner import Epoch, Learner, Shuffled
from palmette.learning.problem import Problem, Weights, squared_norm
from palmette.parameters import option


@dataclass(frozen=True, kw_only=True)
class ExponentiatedGradient(Learner):
    """A conditional random field, trained in the dual.

    A warm start gives the first distributions. What the labels of an example leave open is filled in once, by the
    start weights. Passes are sequential: n_jobs serves the gap and the dev set.
    """

    l2: float = option(1.0, "weight of the squares of weights in the objective", above=0)
    rate: float = option(0.5, "first learning rate of every example", above=0, high=1)
    sharpness: float = option(
        12.0, "lead of the parts of right outputs at the start; 0: uniform distributions", low=0
    )
    tol: float = option(
        1e-4, "training stops when the duality gap is this small relative to the objective", low=0
    )
    probabilistic = True

    @property
    def needs(self) -> Capabilities:
        """Sums over all outputs, and parts that stay the same: a distribution over them is kept."""
        return frozenset({"marginals", "parts"})

    def epochs(self, problem: Problem, start: Weights) -> Iterator[Epoch]:
        """Passes in random order; the numbers are `loss`, `objective`, `dual` and `gap`."""
        memory = DualMemory()
        sharpness = 0.0 if start.any() else self.sharpness
        w = problem.start_dual(start, memory, self.l2, sharpness, self.rate)
        gradient = np.empty_like(w)
        shuffled = Shuffled(len(problem), self.random_state)
        while True:
            for order in shuffled.slices():
                problem.exponentiated_epoch(w, memory, order, self.l2)
            norm = self.l2 * squared_norm(w)
            loss = problem.gradient(w, gradient, False, self.threads)
            objective, dual = loss + norm, memory.entropies - norm
            numbers = {"loss": loss, "objective": objective, "dual": dual, "gap": objective - dual}
            yield Epoch(numbers, w.copy, objective - dual <= self.tol * abs(objective))
