"""AROW: adaptive regularisation of weights, which trusts what it has seen often.

The weights are a Gaussian, one mean and one variance each; a mistake moves what varies much further than what
varies little, and takes some of its variance away (Crammer, Kulesza and Dredze 2009). A pass costs one search per
example.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from palmette._native import ArowMemory
from palmette.learning.capabilities import Capabilities
from palmette.learning.learner import Epoch, Learner, Shuffled, State
from palmette.learning.problem import Problem, Weights
from palmette.parameters import option


@dataclass(frozen=True, kw_only=True)
class AROW(Learner):
    """Adaptive regularisation of weights, with a diagonal covariance.

    With many overlapping features a small gamma (1 in CRFsuite) takes the variance away at once, and the learner
    learns by heart. Passes are sequential: n_jobs serves the dev set.
    """

    variance: float = option(1.0, "variance of every weight at the start", above=0)
    gamma: float = option(30.0, "inertia: the larger, the smaller the step for one example", above=0)

    @property
    def needs(self) -> Capabilities:
        """The best output, and a weight for every feature: each has a variance."""
        return frozenset({"best", "weights"})

    def epochs(self, problem: Problem, start: Weights, state: State = None) -> Iterator[Epoch]:
        """Passes in random order; the numbers are `updates` and `loss`, the violations of the margins."""
        memory = ArowMemory(problem.n_weights, self.variance)
        state = state or (start, memory, Shuffled(len(problem), self.random_state))
        w, memory, shuffled = state
        while True:
            updates, loss = 0, 0.0
            for order in shuffled.slices():
                more, violations = problem.arow_epoch(w, memory, order, self.gamma)
                updates, loss = updates + more, loss + violations
            yield Epoch({"updates": updates, "loss": loss}, w.copy, not updates, state=state)
