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
from palmette.learning.learner import (
    Epoch,
    Learner,
    Shuffled,
    require_bool,
    require_choice,
    require_int,
    require_number,
)
from palmette.learning.problem import Problem, Weights

VARIANTS = {"plain": 0, "I": 1, "II": 2}


@dataclass(frozen=True, kw_only=True)
class _MarginLearner(Learner):
    c: float = 0.05
    loss: bool = True
    average: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        require_number("c", self.c, 0, strict=True)
        require_bool("loss", self.loss)
        require_bool("average", self.average)

    def _passes(self, problem: Problem, w: Weights, slack: int, k: int) -> Iterator[Epoch]:
        memory = MiraMemory(problem.n_weights if self.average else 0)
        shuffled = Shuffled(len(problem), self.random_state)
        while True:
            updates, loss = 0, 0.0
            for order in shuffled.slices():
                more, violations = problem.mira_epoch(w, memory, order, slack, self.c, k, self.loss)
                updates, loss = updates + more, loss + violations
            yield Epoch({"updates": updates, "loss": loss}, partial(memory.mean, w), not updates)


@dataclass(frozen=True, kw_only=True)
class MIRA(_MarginLearner):
    """The margin-infused relaxed algorithm.

    c: the largest multiplier of one constraint, times the example's weight. k: constraints per example, for the
    k best outputs; the small quadratic program over them is solved by Hildreth's method. loss: search with the
    loss added, and ask for a margin as large as the loss; without it search plainly and ask for a margin of one.
    average: as for the perceptron. Passes are sequential: n_jobs serves the dev set.
    """

    k: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        require_int("k", self.k, 1)

    @property
    def needs(self) -> Capabilities:
        """The best output, or the k best."""
        return frozenset({"best"} if self.k == 1 else {"best", "kbest"})

    def epochs(self, problem: Problem, start: Weights) -> Iterator[Epoch]:
        """Passes in random order; the numbers are `updates` and `loss`, the violations of the margins."""
        return self._passes(problem, start, VARIANTS["I"], self.k)


@dataclass(frozen=True, kw_only=True)
class PassiveAggressive(_MarginLearner):
    """Passive-aggressive learning: the violation v of one output's margin, with difference d, moves w by τ d.

    variant: "plain" τ = v / ‖d‖²; "I" τ = min(c, v / ‖d‖²); "II" τ = v / (‖d‖² + 1 / 2c). An example's weight
    multiplies c, or τ where there is no c. loss, average: as for MIRA. Passes are sequential: n_jobs serves the
    dev set.
    """

    variant: str = "I"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_choice("variant", self.variant, tuple(VARIANTS))

    def epochs(self, problem: Problem, start: Weights) -> Iterator[Epoch]:
        """Passes in random order; the numbers are `updates` and `loss`, the violations of the margins."""
        return self._passes(problem, start, VARIANTS[self.variant], 1)
