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

from palmette._native import SagMemory

Weights = NDArray[np.float32]
Order = NDArray[np.int64]


class Problem(Protocol):
    """Examples with their structure and features. Its length is the number of examples.

    n_weights: the length of w. `risk` asks for the expected loss in place of the log-likelihood.
    """

    @property
    def n_weights(self) -> int: ...

    def __len__(self) -> int: ...

    def observed(self) -> NDArray[np.uint8]:
        """One for every weight that some right output reads, zero for the others."""
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

    def sgd_epoch(
        self, v: Weights, scale: float, t: int, order: Order, eta0: float, l2: float, risk: bool
    ) -> tuple[float, float, int]:
        """Steps of stochastic gradient descent on w = scale · v; returns the loss, the new scale and the new t."""
        ...

    def sag_epoch(self, v: Weights, memory: SagMemory, order: Order, l2: float, risk: bool) -> float:
        """Steps of the stochastic average gradient; `memory.weights(v)` are the weights."""
        ...
