"""Structured support vector machines: minimise Σ_i max_z [loss(z) + w·Φ(x, z) − w·Φ(x, y)] + l2 · ‖w‖².

Carreras, "mistake-augmented margins"; McDonald and Nivre 2007, SVM. Three ways to the same optimum:

    subgradient     one example at a time with the Pegasos step 1 / (λ t)
    frank-wolfe     one example at a time in the dual, with a line search; knows its duality gap
    cutting-plane   all examples at a time, on several threads: a quadratic program over a growing set of
                    constraints, with one slack for all examples or one for each; knows its duality gap
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice

import numpy as np

from palmette._native import FrankWolfeMemory, SubgradientMemory
from palmette.learning.cutting_plane import n_slack, one_slack
from palmette.learning.learner import Epoch, Learner, Shuffled, State
from palmette.learning.problem import Problem, Weights, squared_norm
from palmette.parameters import option

FIRST_PASSES = 10
METHODS = ("subgradient", "frank-wolfe", "cutting-plane")


@dataclass(frozen=True, kw_only=True)
class StructuredSVM(Learner):
    """A structured SVM with margins as large as the loss.

    In terms of the constant C of ½ ‖w‖² + C Σ hinge, l2 is 1 / 2C.
    n_jobs: cutting-plane with one slack searches in threads, as do the others when they measure their gap; what
    else they do is sequential. One slack takes some hundreds of passes, n slacks and frank-wolfe some tens.
    A warm start: subgradient goes on from it as if a pass were done; the others, whose weights follow from the
    dual, use it for the first search only.
    """

    dual = "svm"

    l2: float = option(1.0, "weight of the squares of weights in the objective", above=0)
    method: str = option("frank-wolfe", "how the optimum is found", choices=METHODS)
    slack: str = option("1", "cutting-plane: one slack for all examples, or one for each", choices=("1", "n"))
    average: bool = option(
        True, "subgradient and frank-wolfe return a mean of their weights, in which later ones count more"
    )
    projection: bool = option(False, "subgradient stays in the ball in which the optimum lies")
    tol: float = option(
        1e-3,
        "frank-wolfe and cutting-plane stop when the duality gap is this small relative to the objective",
        low=0,
    )

    @property
    def spreads(self) -> bool:  # type: ignore[override]
        """Cutting planes with one slack are sums."""
        return self.method == "cutting-plane" and self.slack == "1"

    def epochs(self, problem: Problem, start: Weights, state: State = None) -> Iterator[Epoch]:
        """Passes of the chosen method; all but subgradient tell `objective`, `dual` and `gap`."""
        if self.method == "subgradient":
            return self._subgradient(problem, start, state)
        if self.method == "frank-wolfe":
            return self._frank_wolfe(problem, start, state)
        if self.slack == "n":
            shuffled = Shuffled(len(problem), self.random_state)
            return n_slack(problem, start, self.l2, self.tol, self.threads, shuffled, state)
        if state is None and not start.any() and not hasattr(problem, "mixed"):
            # Planes far from the optimum are of little use: a few passes of subgradients find where to begin.
            *_, found = islice(self._subgradient(problem, start), FIRST_PASSES)
            start = found.result()
        return one_slack(problem, start, self.l2, self.tol, self.threads, state)

    def _subgradient(self, problem: Problem, v: Weights, state: State = None) -> Iterator[Epoch]:
        n = len(problem)
        curvature, radius = 2 * self.l2 / n, 0.0
        if self.projection:
            # At the optimum λ ‖w‖² is at most the mean of the largest losses: the hinge of zero weights.
            radius = float(np.sqrt(problem.hinge(np.zeros_like(v), None, self.threads)[0] / n / curvature))
        if state is None:
            warm = bool(v.any())
            v *= np.float32(2 * self.l2)  # λ t w for t = n
            memory = SubgradientMemory(
                problem.n_weights if self.average else 0, n if warm else 0, squared_norm(v) if warm else 0.0
            )
            state = v, memory, Shuffled(n, self.random_state)
        v, memory, shuffled = state
        while True:
            loss = sum(
                problem.subgradient_epoch(v, memory, order, curvature, radius) for order in shuffled.slices()
            )
            yield Epoch({"loss": loss}, self._subgradient_weights(memory, v, curvature), state=state)

    def _subgradient_weights(
        self, memory: SubgradientMemory, v: Weights, curvature: float
    ) -> Callable[[], Weights]:
        if self.average:
            return partial(memory.mean, v)
        return lambda: v * np.float32(memory.factor(curvature))

    def _frank_wolfe(self, problem: Problem, start: Weights, state: State = None) -> Iterator[Epoch]:
        search = start if state is None and start.any() else None
        if state is None:
            memory = FrankWolfeMemory(problem.n_weights if self.average else 0)
            state = np.zeros_like(start), memory, Shuffled(len(problem), self.random_state)
        w, memory, shuffled = state
        while True:
            for order in shuffled.slices():
                problem.frank_wolfe_epoch(w, memory, order, self.l2, search)
            search = None
            now = memory.mean(w) if self.average else w
            norm = self.l2 * squared_norm(now)
            hinge, _ = problem.hinge(now, None, self.threads)
            dual = (memory.mean_loss if self.average else memory.loss) - norm
            objective = hinge + norm
            numbers = {"loss": hinge, "objective": objective, "dual": dual, "gap": objective - dual}
            converged = objective - dual <= self.tol * abs(objective)
            yield Epoch(numbers, now.copy, converged, state=state)
