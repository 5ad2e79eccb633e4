"""Maximum-entropy Markov models: p(y | x) = Π_t P(y_t | y_{t-1}, x), each factor a log-linear model of its own.

Training is a logistic regression: every token is a choice of its own, and the right label before it is one of its
attributes. It is convex and needs no sums over sequences. The price is the label bias of CSC 448, §4.1:
what comes later cannot change how likely a label was. The weights are those of a chain; scores from them must be
normalised position by position, which a `ChainProblem` with `local=True` does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from palmette._native import ChainProblem
from palmette.learning.capabilities import Capabilities
from palmette.learning.learner import Epoch, State
from palmette.learning.loglinear import CRF
from palmette.learning.problem import Problem, Weights


@dataclass(frozen=True, kw_only=True)
class MEMM(CRF):
    """A maximum-entropy Markov model of the order of its chain; parameters as for `CRF`.

    A dev problem must have `local=True`, as all problems that decode with these weights.
    """

    dual = ""

    local = True

    @property
    def needs(self) -> Capabilities:
        """Sums over the labels of a token, which sees the labels before it."""
        return super().needs | {"history"}

    def epochs(self, problem: Problem, start: Weights, state: State = None) -> Iterator[Epoch]:
        """Passes over the tokens of the chains with their label history."""
        # What offers the history of labels is a chain.
        return super().epochs(cast(ChainProblem, problem).with_history(), start, state)
