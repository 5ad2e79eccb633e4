"""Loss-aware CRFs: minimise Σ E[loss(y, gold)] + l2 · ‖w‖² under p(y | x) ∝ e^(w·Φ).

CSC 448, §4.6. The gradient is the covariance of the features with the loss, E[loss Φ] − E[loss] E[Φ], and
costs about three times that of the likelihood. The objective is not convex, and flat far from its optima: so
training begins with some passes of the likelihood.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass

from palmette.learning.capabilities import Capabilities
from palmette.learning.learner import Epoch, State
from palmette.learning.loglinear import CRF
from palmette.learning.problem import Problem, Weights
from palmette.parameters import option


@dataclass(frozen=True, kw_only=True)
class MinimumRisk(CRF):
    """A log-linear model with the lowest expected loss.

    Take `warm_up` 0 if training is started from a CRF. All other options are those of `CRF`.

    >>> MinimumRisk(n_iter=10, warm_up=4).warm_up
    4
    """

    dual = ""

    warm_up: int = option(
        5, "first passes, of those that n_iter counts, that maximise the likelihood as a CRF does", low=0
    )
    risk = True

    def check(self) -> None:
        """Check that passes are left after the warm-up."""
        super().check()
        if self.warm_up >= self.passes:
            raise ValueError(
                f"The warm-up must be shorter than all {self.passes} passes ('n_iter'). Got {self.warm_up}."
            )

    @property
    def needs(self) -> Capabilities:
        """Sums over all outputs, and the expected loss over them."""
        return super().needs | {"risk"}

    def epochs(self, problem: Problem, start: Weights, state: State = None) -> Iterator[Epoch]:
        """Passes of the likelihood, then those of the expected loss; `loss` is what the pass made small."""
        done, inner = state or (
            0,
            None,
        )  # passes of the likelihood, none if that is over; the state of what goes on
        if self.warm_up and done is not None:
            shared = {f.name: getattr(self, f.name) for f in dataclasses.fields(CRF)}
            for number, epoch in enumerate(CRF(**shared).epochs(problem, start, inner), start=done + 1):
                ended = number >= self.warm_up or epoch.converged
                if ended:  # the second part begins with these weights
                    start = epoch.result()
                again = (None, (start, None)) if ended else (number, epoch.state)
                yield dataclasses.replace(epoch, converged=False, state=again)
                if ended:
                    break
            inner = None
        elif state is not None:
            start, inner = state[1]
        for epoch in super().epochs(problem, start, inner):
            yield dataclasses.replace(epoch, state=(None, (start, epoch.state)))
