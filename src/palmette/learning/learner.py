"""What all learners share: passes over the data, a dev set, early stopping, callbacks, and Ctrl-C.

A learner is a generator of passes (`epochs`); everything around it stands here, once.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from palmette.learning.capabilities import Capabilities, check_fit
from palmette.learning.divergence import check_moderate, check_options, diverged, is_moderate
from palmette.learning.problem import Order, Problem, Weights
from palmette.messages import numbers_line
from palmette.parameters import Options, option
from palmette.threads import n_threads

SLICE = 2048  # examples between two looks at the keyboard


@dataclass(frozen=True)
class Epoch:
    """What a learner yields after a pass.

    numbers: by name, at least `loss`; weights: a function that computes the weights to be used now;
    converged: there is nothing left to gain; extra: what else the learner made, if weights do not say it all.
    """

    numbers: Mapping[str, float]
    weights: Callable[[], Weights]
    converged: bool = False
    extra: object = None


@dataclass(frozen=True)
class Report:
    """What a callback gets after every pass: `epoch` from 1 on, seconds since the start, numbers by name.

    With a dev set the numbers have `dev`, its score (higher is better), and `best` is true where it rose.
    """

    epoch: int
    seconds: float
    numbers: Mapping[str, float]
    best: bool

    @property
    def summary(self) -> str:
        """The pass in a line, for logs."""
        return numbers_line(self.epoch, self.seconds, self.numbers.items())


@dataclass(frozen=True)
class Learned:
    """The weights kept, the reports of all passes, and whether Ctrl-C ended the training.

    extra: what else the learner made beside these weights (the votes of a voted perceptron), or None.
    """

    weights: Weights
    history: tuple[Report, ...]
    interrupted: bool = False
    extra: object = None


Callback = Callable[[Report], None]
Score = Callable[[Weights], float]


@dataclass(frozen=True, kw_only=True)
class Learner(Options, ABC):
    """How examples become weights. The result is the same for every number of threads."""

    n_iter: int | None = option(None, "most passes over the data; none: the learner's own number", low=1)
    patience: int = option(
        0, "with a dev set, passes without a better score after which training stops; 0: never", low=0
    )
    random_state: int = option(0, "seed of the random numbers", low=0)
    n_jobs: int = option(
        1, "threads, where the learner can use them; -1: all processors", checked_by=n_threads
    )
    probabilistic = False  # do scores by these weights mean log-probabilities?
    local = False  # are the weights for scores that are normalised position by position?
    hidden = 1  # variants of every label

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
    def epochs(self, problem: Problem, start: Weights) -> Iterator[Epoch]:
        """Pass after pass from the weights `start`, which may be changed in place."""

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
        score = _dev_score(dev, self.threads)
        history: list[Report] = []
        best, best_score, since = w, -np.inf, 0
        if score is not None:
            best = w.copy()
            if start is not None:
                best_score = score(best)  # what is there already may be the best
        began, last, kept, interrupted = time.perf_counter(), None, None, False
        try:
            for number, epoch in enumerate(_passes(self, problem, w), start=1):
                last = epoch
                numbers, better = dict(epoch.numbers), True
                if score is not None:
                    weights = epoch.weights()
                    check_moderate(self, weights)
                    numbers["dev"] = score(weights)
                    better = numbers["dev"] > best_score
                    since = 0 if better else since + 1
                    if better:
                        best, best_score, kept = weights, numbers["dev"], epoch
                history.append(Report(number, time.perf_counter() - began, numbers, better))
                if callback is not None:
                    callback(history[-1])
                stalled = score is not None and self.patience and since >= self.patience
                if number >= self.passes or epoch.converged or stalled:
                    break
        except KeyboardInterrupt:
            interrupted = True
        if score is None:
            best, kept = (last.weights() if last is not None else _start(problem, start)), last
        check_moderate(self, best)
        return Learned(best, tuple(history), interrupted, kept.extra if kept is not None else None)


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


def _passes(learner: Learner, problem: Problem, w: Weights) -> Iterator[Epoch]:
    """The passes of a learner; DivergenceError where their numbers run away."""
    passes = learner.epochs(problem, w)
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
