"""The perceptron: where the best output is wrong, add the features of the right one, take off those of the other.

Carreras, "the structured perceptron" and "+ averaging"; Kernel Methods, "a variant of the perceptron algorithm".
If some weights separate the right outputs from all others, it finds such after at most R² / δ² mistakes: R bounds
‖Φ(x, y) − Φ(x, z)‖, and δ is the margin of unit weights. A pass costs one search per example.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from palmette._native import PerceptronMemory
from palmette.learning.capabilities import Capabilities
from palmette.learning.learner import Epoch, Learner, Shuffled, State, mixed_passes
from palmette.learning.problem import Problem, Weights
from palmette.learning.votes import VotedWeights
from palmette.parameters import option


@dataclass(frozen=True, kw_only=True)
class Perceptron(Learner):
    """The structured perceptron.

    The mean of the weights generalises far better than the last ones. With `voted`, `Learned.extra` are
    `VotedWeights`, which predict by a vote; with a dev set, the pass is chosen by the mean. With a margin, an
    update is as large as the loss. After a pass without a mistake the learner stops. Without a margin the data
    is then separated; if the problem has k best outputs, the numbers then have `radius` (R over the updates
    made), `margin` (δ of the last weights) and `mistake_bound`, R² / δ².
    Passes are sequential: n_jobs serves the dev set and the margin.
    """

    dual = "perceptron"

    average: bool = option(
        True, "return the mean of the weights after every example instead of the last ones"
    )
    voted: bool = option(False, "predict by the vote of many weight vectors, each with one search per input")
    vectors: int = option(
        100,
        "voted: number of vectors that vote, those that survived longest, an approximation; 0: all, exactly",
        low=0,
    )
    margin: float = option(
        0.0, "lead that the right output needs, for each unit of loss of another; 0: plain perceptron", low=0
    )

    @property
    def spreads(self) -> bool:  # type: ignore[override]
        """Weights are mixed; votes are not."""
        return not self.voted

    @property
    def needs(self) -> Capabilities:
        """The best output; a voted perceptron keeps many weight vectors too."""
        return frozenset({"best"} | ({"votes"} if self.voted else set()))

    def epochs(self, problem: Problem, start: Weights, state: State = None) -> Iterator[Epoch]:
        """Passes in random order; the numbers are `mistakes` (updates) and `loss`, that of the wrong outputs."""
        if (mixed := mixed_passes(self, problem, start, state)) is not None:
            yield from mixed
            return
        n_averaged = problem.n_weights if self.average else 0
        state = state or (
            start,
            start.copy() if self.voted else start,
            PerceptronMemory(n_averaged, self.voted, self.margin, self.vectors),
            Shuffled(len(problem), self.random_state),
        )
        w, first, memory, shuffled = state
        while True:
            mistakes, loss = 0, 0.0
            for order in shuffled.slices():
                more, cost = problem.perceptron_epoch(w, memory, order)
                mistakes, loss = mistakes + more, loss + cost
            numbers: dict[str, float] = {"mistakes": mistakes, "loss": loss}
            if not mistakes and not self.margin and "kbest" in problem.offers:
                numbers |= self._bound(problem, w, memory.radius)
            votes = VotedWeights.of(first, memory) if self.voted else None
            yield Epoch(numbers, partial(memory.mean, w), not mistakes, votes, state)

    def _bound(self, problem: Problem, w: Weights, radius: float) -> dict[str, float]:
        length = float(np.linalg.norm(w.astype(np.float64)))
        margin = problem.smallest_margin(w, self.threads) / length if length else 0.0
        bound = (radius / margin) ** 2 if margin > 0 else float("inf") if radius else 0.0
        return {"radius": radius, "margin": margin, "mistake_bound": bound}
