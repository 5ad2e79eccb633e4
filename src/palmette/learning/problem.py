"""The contract between learners and everything else: GEN, Φ and the examples, as a learner sees them.

    weights w ──scores──▶ part scores ──structure──▶ part values p      (decode, infer)
    weights w ◀──pullback── part differences gold − p                   (learn)

The two arrows live in the native core, where a pass over all examples is one call; here is what Python may ask.
Weights are one flat array of float32. `palmette._native.ChainProblem` is such a problem.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from palmette._native import (
    ArowMemory,
    DualMemory,
    FrankWolfeMemory,
    MiraMemory,
    PerceptronMemory,
    SagMemory,
    SubgradientMemory,
    WorkingSet,
)
from palmette.learning.capabilities import Capabilities

Weights = NDArray[np.float32]
Order = NDArray[np.int64]


def squared_norm(w: Weights) -> float:
    """‖w‖², summed in doubles."""
    return float(np.einsum("i,i->", w, w, dtype=np.float64))


class Problem(Protocol):
    """Examples with their structure and features. Its length is the number of examples.

    n_weights: the length of w. `risk` asks for the expected loss in place of the log-likelihood.
    """

    @property
    def n_weights(self) -> int: ...

    @property
    def offers(self) -> Capabilities:
        """What learners may ask of it: names of `capabilities.MEANINGS`."""
        ...

    def __len__(self) -> int: ...

    def observed(self) -> NDArray[np.uint8]:
        """One for every weight that some right output reads, zero for the others."""
        ...

    def keep_to(self, free: NDArray[np.uint8] | None) -> None:
        """Let only weights with a 1 move from now on; None: all."""
        ...

    def total_loss(self, w: Weights, n_jobs: int) -> float:
        """The loss of the best outputs, summed over the examples."""
        ...

    def gradient(self, w: Weights, gradient: Weights, risk: bool, n_jobs: int) -> float:
        """Fill `gradient` with Σ Φᵀ(gold − p), and return the negative log-likelihood (or the expected loss)."""
        ...

    def curvature(self, w: Weights, diagonal: Weights, n_jobs: int) -> None:
        """Fill `diagonal` with about the second derivatives of the negative log-likelihood."""
        ...

    def expected_counts(self, w: Weights, counts: Weights, n_jobs: int) -> float:
        """Fill `counts` with Σ Φᵀp, p given what is known of the outputs; returns Σ log Σ_y e^(w · Φ)."""
        ...

    def sgd_epoch(
        self,
        v: Weights,
        scale: float,
        t: int,
        order: Order,
        eta0: float,
        l2: float,
        risk: bool,
        batch: int = 1,
        n_jobs: int = 1,
    ) -> tuple[float, float, int]:
        """Steps of stochastic gradient descent on w = scale · v; returns the loss, the new scale and the new t.

        The examples of a batch see the same weights, and may be worked on by several threads.
        """
        ...

    def sag_epoch(self, v: Weights, memory: SagMemory, order: Order, l2: float, risk: bool) -> float:
        """Steps of the stochastic average gradient; `memory.weights(v)` are the weights."""
        ...

    def perceptron_epoch(self, w: Weights, memory: PerceptronMemory, order: Order) -> tuple[int, float]:
        """Perceptron updates of w; returns the number of mistakes and their loss."""
        ...

    def smallest_margin(self, w: Weights, n_jobs: int) -> float:
        """The least lead of a right output over the best wrong one."""
        ...

    def mira_epoch(
        self, w: Weights, memory: MiraMemory, order: Order, slack: int, c: float, k: int, loss: bool
    ) -> tuple[int, float]:
        """Margin updates of w (slack: 0 none, 1 linear, 2 squared); returns their number and the violations."""
        ...

    def arow_epoch(self, w: Weights, memory: ArowMemory, order: Order, gamma: float) -> tuple[int, float]:
        """AROW updates of w; returns their number and the violations."""
        ...

    def hinge(self, w: Weights, gradient: Weights | None, n_jobs: int) -> tuple[float, float]:
        """The structured hinge loss, and the loss of the outputs that violate their margins most.

        `gradient` is filled with Σ weight · (Φ(x, y) − Φ(x, z)), so that hinge = loss − w · gradient.
        """
        ...

    def subgradient_epoch(
        self, v: Weights, memory: SubgradientMemory, order: Order, l2: float, radius: float
    ) -> float:
        """Pegasos steps on w = memory.factor(l2) · v; returns the hinge loss met on the way."""
        ...

    def frank_wolfe_epoch(
        self, w: Weights, memory: FrankWolfeMemory, order: Order, l2: float, search: Weights | None
    ) -> float:
        """Block-coordinate Frank-Wolfe steps; returns the sum of the gaps met on the way."""
        ...

    def working_set_epoch(
        self, working_set: WorkingSet, order: Order, l2: float, search: Weights | None
    ) -> int:
        """Add what is violated most, example by example, and optimise each at once; returns the additions."""
        ...

    def start_dual(
        self, start: Weights, memory: DualMemory, l2: float, sharpness: float, rate: float
    ) -> Weights:
        """Fill the memory with a first distribution for every example, and return the weights of these."""
        ...

    def exponentiated_epoch(self, w: Weights, memory: DualMemory, order: Order, l2: float) -> float:
        """Exponentiated-gradient steps in the dual; returns by how much it rose."""
        ...
