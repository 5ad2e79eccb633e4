"""MIRA and passive-aggressive learners: the smallest change of the weights that gives the example its margin.

    minimise ½ ‖w′ − w‖²   subject to   w′·(Φ(x, y) − Φ(x, z)) ≥ loss(z)

for the best output z or the k best (Crammer and Singer 2003; McDonald et al. 2005; Crammer et al. 2006).
McDonald and Nivre 2007, MIRA. How far one example may go is bounded by c. A pass costs one search per example.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from palmette._native import MiraMemory
from palmette.learning.capabilities import Capabilities
from palmette.learning.learner import Epoch, Learner, Shuffled, State, mixed_passes
from palmette.learning.problem import Problem, Weights
from palmette.parameters import option

VARIANTS = {"plain": 0, "I": 1, "II": 2}


@dataclass(frozen=True, kw_only=True)
class _MarginLearner(Learner):
    dual = "margin"
    spreads = True

    c: float = option(0.05, "largest step for one example, times its weight", above=0)
    loss: bool = option(
        True, "search with the loss added and ask for a margin as large as the loss; false: a margin of one"
    )
    average: bool = option(
        True, "return the mean of the weights after every example instead of the last ones"
    )

    def _passes(self, problem: Problem, start: Weights, slack: int, k: int, state: State) -> Iterator[Epoch]:
        if (mixed := mixed_passes(self, problem, start, state)) is not None:
            yield from mixed
            return
        memory = MiraMemory(problem.n_weights if self.average else 0)
        state = state or (start, memory, Shuffled(len(problem), self.random_state))
        w, memory, shuffled = state
        while True:
            updates, loss = 0, 0.0
            for order in shuffled.slices():
                more, violations = problem.mira_epoch(w, memory, order, slack, self.c, k, self.loss)
                updates, loss = updates + more, loss + violations
            yield Epoch({"updates": updates, "loss": loss}, partial(memory.mean, w), not updates, state=state)


@dataclass(frozen=True, kw_only=True)
class MIRA(_MarginLearner):
    """The margin-infused relaxed algorithm.

    The small quadratic program over the constraints of the k best outputs is solved by Hildreth's method; c bounds
    the multiplier of each. Passes are sequential: n_jobs serves the dev set.
    """

    k: int = option(1, "number of best outputs that must keep their margins", low=1)

    @property
    def needs(self) -> Capabilities:
        """The best output, or the k best."""
        return frozenset({"best"} if self.k == 1 else {"best", "kbest"})

    def epochs(self, problem: Problem, start: Weights, state: State = None) -> Iterator[Epoch]:
        """Passes in random order; the numbers are `updates` and `loss`, the violations of the margins."""
        return self._passes(problem, start, VARIANTS["I"], self.k, state)


@dataclass(frozen=True, kw_only=True)
class PassiveAggressive(_MarginLearner):
    """Passive-aggressive learning: the violation v of one output's margin, with difference d, moves w by τ d.

    variant: "plain" τ = v / ‖d‖²; "I" τ = min(c, v / ‖d‖²); "II" τ = v / (‖d‖² + 1 / 2c). An example's weight
    multiplies c, or τ where there is no c. Passes are sequential: n_jobs serves the dev set.
    """

    variant: str = option("I", "how the step is bounded by c", choices=VARIANTS)

    def epochs(self, problem: Problem, start: Weights, state: State = None) -> Iterator[Epoch]:
        """Passes in random order; the numbers are `updates` and `loss`, the violations of the margins."""
        return self._passes(problem, start, VARIANTS[self.variant], 1, state)
