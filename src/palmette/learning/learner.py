"""What all learners of weights share: options, the start of training, and random orders of the examples.

A learner is a generator of passes (`epochs`); the loop around it is that of `learning/loop.py`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from palmette.course import shared_problem
from palmette.learning.capabilities import AnyLearner, Capabilities, check_fit
from palmette.learning.divergence import check_moderate, check_options, diverged, is_moderate
from palmette.learning.loop import Callback as Callback
from palmette.learning.loop import Pass, run_passes
from palmette.learning.loop import Report as Report
from palmette.learning.problem import Order, Problem, Weights
from palmette.parameters import option
from palmette.threads import n_threads

SLICE = 2048  # examples between two looks at the keyboard


Epoch = Pass[Weights]
State = Any  # of a learner between two passes: what its `epochs` put into the pass


@dataclass(frozen=True)
class Learned:
    """The weights kept, the reports of all passes, and whether Ctrl-C ended the training.

    extra: what else the learner made beside these weights (the votes of a voted perceptron), or None.
    """

    weights: Weights
    history: tuple[Report, ...]
    interrupted: bool = False
    extra: object = None


Score = Callable[[Weights], float]


@dataclass(frozen=True, kw_only=True)
class Learner(AnyLearner, ABC):
    """How examples become weights. The result is the same for every number of threads."""

    family = "linear"
    takes = frozenset({"sample_weight", "dev"})

    n_iter: int | None = option(None, "most passes over the data; none: the learner's own number", low=1)
    patience: int = option(
        0, "with a dev set, passes without a better score after which training stops; 0: never", low=0
    )
    random_state: int = option(0, "seed of the random numbers", low=0)
    n_jobs: int = option(
        1, "threads, where the learner can use them; -1: all processors", checked_by=n_threads
    )
    local = False  # are the weights for scores that are normalised position by position?
    hidden = 1  # variants of every label
    spreads = False  # are its passes sums over examples, or mixtures, that a cluster can share out?
    dual = ""  # the rule by which it learns in dual form (`tools/reranking/dual_steps.py`), if there is one

    @property
    def needs(self) -> Capabilities:
        """What a problem must offer: names of `capabilities.MEANINGS`."""
        return frozenset({"best"})

    @property
    def threads(self) -> int:
        """How many threads there are."""
        return n_threads(self.n_jobs)

    @property
    def passes(self) -> int:
        """How many passes there are at most."""
        return 10 if self.n_iter is None else self.n_iter

    @abstractmethod
    def epochs(self, problem: Problem, start: Weights, state: State = None) -> Iterator[Epoch]:
        """Pass after pass from the weights `start`, which may be changed in place.

        state: that of an earlier pass, with which the learner goes on as if it had never stopped.
        """

    def learn(
        self,
        problem: Problem,
        *,
        dev: Problem | Score | None = None,
        start: Weights | None = None,
        callback: Callback | None = None,
    ) -> Learned:
        """Train from `start`, or from zero.

        dev: a second problem with the same features, or a function that scores weights (higher is better); the
        weights with the best score are kept. Ctrl-C ends the training and keeps the best so far.
        """
        check_fit(self, problem.offers, f"a {type(problem).__name__}")
        check_options(self)
        if not len(problem):
            raise ValueError("There are no examples to learn from.")
        w = _start(problem, start)
        measure = _dev_score(dev, self.threads)

        def score(weights: Weights) -> float:
            assert measure is not None
            check_moderate(self, weights)
            return measure(weights)

        shared = shared_problem(self, problem)
        # What is there already may be the best.
        least = -np.inf if measure is None or start is None else measure(w)
        found = run_passes(
            lambda state: _passes(self, shared, w, state),
            limit=self.passes,
            score=None if measure is None else score,
            least=least,
            patience=self.patience,
            callback=callback,
        )
        weights = _start(problem, start) if found.result is None else found.result
        check_moderate(self, weights)
        extra = None if found.kept is None else found.kept.extra
        return Learned(weights, found.history, found.interrupted, extra)


def mixed_passes(learner: Learner, problem: Problem, start: Weights, state: State) -> Iterator[Epoch] | None:
    """Return the passes of an online learner where a cluster makes them, or None."""
    mixed = getattr(problem, "mixed", None)
    return None if mixed is None else mixed(learner, start, state)


@dataclass
class Shuffled:
    """Random orders of the examples, new for every pass, in slices short enough for Ctrl-C."""

    n: int
    random_state: int
    rng: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.random_state)

    def slices(self) -> Iterator[Order]:
        """The next pass: slices of one permutation."""
        order = self.rng.permutation(self.n).astype(np.int64)
        return self._cut(order)

    def draws(self) -> Iterator[Order]:
        """As many examples as a pass has, drawn with replacement."""
        return self._cut(self.rng.integers(self.n, size=self.n))

    def _cut(self, order: Order) -> Iterator[Order]:
        return (order[begin : begin + SLICE] for begin in range(0, self.n, SLICE))


def _passes(learner: Learner, problem: Problem, w: Weights, state: State) -> Iterator[Epoch]:
    """The passes of a learner; DivergenceError where their numbers run away."""
    passes = learner.epochs(problem, w) if state is None else learner.epochs(problem, w, state)
    while True:
        try:
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                epoch = next(passes, None)
        except OverflowError as error:
            raise diverged(learner) from error
        except ValueError as error:
            if is_moderate(w):
                raise
            raise diverged(learner) from error  # the problem found no output among such scores
        if epoch is None:
            return
        check_moderate(
            learner, *(epoch.numbers[name] for name in ("loss", "objective") if name in epoch.numbers)
        )
        yield epoch


def _start(problem: Problem, start: Weights | None) -> Weights:
    if start is None:
        return np.zeros(problem.n_weights, dtype=np.float32)
    if start.shape != (problem.n_weights,):
        raise ValueError(f"A warm start needs {problem.n_weights:,} weights. Got {start.size:,}.")
    if not np.isfinite(start).all():
        raise ValueError("A warm start needs finite weights.")
    return start.astype(np.float32, copy=True)


def _dev_score(dev: Problem | Score | None, n_jobs: int) -> Score | None:
    if dev is None or callable(dev):
        return dev
    problem = dev
    return lambda w: -problem.total_loss(w, n_jobs)
