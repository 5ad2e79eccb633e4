"""Log-linear and max-margin models in the dual, by exponentiated gradient.

    maximise Σ_i V(α_i) − l2 · ‖w‖²   over a distribution α_i per example
    w = Σ_i (Φ(x, y) − E_{α_i} Φ) / (2 l2)

With V the entropy of α_i (Collins et al. 2008), the optimum equals the smallest −Σ log p(y | x) + l2 · ‖w‖², and
the weights are those of a CRF. With V the expected loss of α_i (Bartlett et al. 2004), it equals the smallest
structured hinge loss + l2 · ‖w‖², and the weights are those of a structured SVM. Every step raises the dual; the
gap between the two objectives tells how far there is to go. Memory: two numbers for every part of every example. A
pass costs a sum over the outputs of every example for each rate tried, and one more (for the hinge loss a search)
for the gap. Max-margin needs more passes: at its optimum most probabilities are zero, which products approach.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from palmette._native import DualMemory
from palmette.learning.capabilities import Capabilities
from palmette.learning.learner import Epoch, Learner, Shuffled, State
from palmette.learning.problem import Problem, Weights, squared_norm
from palmette.parameters import option


@dataclass(frozen=True, kw_only=True)
class ExponentiatedGradient(Learner):
    """A conditional random field or a structured SVM, trained in the dual.

    A warm start gives the first distributions. What the labels of an example leave open is filled in once, by the
    start weights. Passes are sequential: n_jobs serves the gap and the dev set.
    """

    loss: str = option(
        "log",
        "log: log-linear, as a CRF; hinge: margins as large as the loss, as an SVM",
        choices=("log", "hinge"),
    )
    l2: float = option(1.0, "weight of the squares of weights in the objective", above=0)
    rate: float = option(0.5, "first learning rate of every example", above=0, high=1)
    sharpness: float | None = option(
        None,
        "lead of the parts of right outputs at the start; 0: uniform distributions; "
        "none: 12, or 8 with the hinge loss",
        low=0,
    )
    tol: float = option(
        1e-4, "training stops when the duality gap is this small relative to the objective", low=0
    )

    @property
    def probabilistic(self) -> bool:  # type: ignore[override]
        """Scores are log-probabilities with the log loss, and not with the hinge loss."""
        return self.loss == "log"

    @property
    def passes(self) -> int:
        """Return how many passes there are at most: 10, or 40 with the hinge loss, unless `n_iter` says it."""
        return self.n_iter if self.n_iter is not None else 40 if self.loss == "hinge" else 10

    @property
    def needs(self) -> Capabilities:
        """Sums over all outputs, and parts that stay the same: a distribution over them is kept."""
        return frozenset({"marginals", "parts"} | ({"best", "costs"} if self.loss == "hinge" else set()))

    def epochs(self, problem: Problem, start: Weights, state: State = None) -> Iterator[Epoch]:
        """Passes in random order; the numbers are `loss`, `objective`, `dual` and `gap`."""
        hinge = self.loss == "hinge"
        if state is None:
            memory = DualMemory(hinge)
            usual = 8.0 if hinge else 12.0
            sharpness = 0.0 if start.any() else usual if self.sharpness is None else self.sharpness
            w = problem.start_dual(start, memory, self.l2, sharpness, self.rate)
            state = w, memory, Shuffled(len(problem), self.random_state)
        w, memory, shuffled = state
        gradient = np.empty_like(w)
        while True:
            for order in shuffled.slices():
                problem.exponentiated_epoch(w, memory, order, self.l2)
            norm = self.l2 * squared_norm(w)
            if hinge:
                loss, _ = problem.hinge(w, None, self.threads)
            else:
                loss = problem.gradient(w, gradient, False, self.threads)
            objective, dual = loss + norm, memory.values - norm
            numbers = {"loss": loss, "objective": objective, "dual": dual, "gap": objective - dual}
            yield Epoch(numbers, w.copy, objective - dual <= self.tol * abs(objective), state=state)
