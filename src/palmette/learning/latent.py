"""Latent CRFs: every label has hidden variants, and p(y | x) sums over them.

CSC 448, §4.5: the refined labels of NN are NN-1, NN-2, … A chain over refined labels is trained on label
sets: where the label NN is right, every variant of NN is. The gradient is the features expected given the right
labels, less those expected of all. The objective is not convex, and its slope is the same for all variants
at zero: training begins with small random weights, and another `random_state` may find another optimum.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from palmette.learning.capabilities import Capabilities
from palmette.learning.learner import Epoch, State
from palmette.learning.loglinear import CRF
from palmette.learning.problem import Problem, Weights
from palmette.parameters import option


@dataclass(frozen=True, kw_only=True)
class LatentCRF(CRF):
    """A CRF over refined labels, for a problem that was made by a `Refinement`. With one variant it is a CRF."""

    dual = ""

    hidden: int = option(2, "variants of each label", low=1)
    noise: float = option(0.1, "standard deviation of the random weights that training starts from", above=0)

    @property
    def needs(self) -> Capabilities:
        """Sums over all outputs and over those that have the right labels, unless there is one variant only."""
        return super().needs | ({"latent"} if self.hidden > 1 else set())

    def epochs(self, problem: Problem, start: Weights, state: State = None) -> Iterator[Epoch]:
        """Passes of the CRF, from weights that tell the variants apart."""
        if state is None and self.hidden > 1 and not start.any():
            rng = np.random.default_rng(self.random_state)
            at = np.flatnonzero(problem.observed())
            start[at] = rng.normal(0.0, self.noise, len(at))
        return super().epochs(problem, start, state)
