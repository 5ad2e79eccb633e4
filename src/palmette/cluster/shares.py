"""What workers do for a learner: sums over their examples, and passes over them.

A worker finds the problem of a stage by doing the training again up to there (`Replay`): it reads the data and
makes the features itself, so nothing but weights travels. Every worker keeps the whole problem once, and its
shards are ranges of examples.
"""

from __future__ import annotations

import pickle
import threading
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, cast
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from palmette.course import Course, Key, follow
from palmette.learning.learner import Shuffled
from palmette.learning.loglinear import CRF, RunningMean

Floats = NDArray[np.float64]
Sums = tuple[Any, ...]  # numbers and arrays, which are added place by place


class Held:
    """A problem in this process, with the state that its shards share."""

    def __init__(self, problem: Any) -> None:
        self.problem = problem
        self._history: Held | None = None
        self._observed = False
        self._guard = threading.Lock()

    def with_history(self) -> Held:
        """The problem of a MEMM."""
        with self._guard:
            if self._history is None:
                self._history = Held(self.problem.with_history())
            return self._history

    def keep_to_observed(self, observed: bool) -> None:
        """Whether passes move observed weights only."""
        with self._guard:
            if observed != self._observed:
                self.problem.keep_to(self.problem.observed() if observed else None)
                self._observed = observed


_HELD: WeakValueDictionary[str, Held] = WeakValueDictionary()
_LOCKS: dict[str, threading.Lock] = {}
_GUARD = threading.Lock()


@dataclass(frozen=True)
class Replay:
    """How to find the problem of a stage: do the training that is written in a file, up to there."""

    path: str
    stage: Key

    @property
    def key(self) -> str:
        """A name that no other problem has."""
        return f"{self.path} {self.stage}"

    def held(self) -> Held:
        """The problem, found once in a process."""
        with _GUARD:
            lock = _LOCKS.setdefault(self.key, threading.Lock())
        with lock:
            found = _HELD.get(self.key)
            if found is None:
                found = Held(self._found())
                _HELD[self.key] = found
            return found

    def _found(self) -> Any:
        with Path(self.path).open("rb") as file:
            training, finished = pickle.load(file)
        course = Course(finished, spread=_Search(self.stage))
        try:
            with follow(course):
                training()
        except _Found as found:
            return found.problem
        raise RuntimeError("A worker did the training again and did not find its problem there.")


class _Found(BaseException):
    """The problem that a worker looks for; nothing on the way may take it for an error."""

    def __init__(self, problem: Any) -> None:
        super().__init__()
        self.problem = problem


class _Search:
    """Stops a training at a stage."""

    def __init__(self, stage: Key) -> None:
        self._stage = stage

    def problem(self, key: Key, learner: Any, problem: Any) -> Any:
        if key == self._stage:
            raise _Found(problem)
        return problem


def hold(replay: Replay, problem: Any) -> Held:
    """Let the workers of this process have a problem that is here already; the caller keeps what is returned."""
    with _GUARD:
        held = Held(problem)
        _HELD[replay.key] = held
        return held


@dataclass(frozen=True)
class Share:
    """A shard: the k-th of n ranges of the examples of a problem. history: of the problem of a MEMM."""

    replay: Replay
    k: int
    n: int
    history: bool = False

    @property
    def key(self) -> str:
        """A name that no other shard has."""
        return f"{self.replay.key} {self.k}/{self.n} {self.history}"

    def make(self) -> Part:
        """Find the problem, and take the range."""
        held = self.replay.held()
        held = held.with_history() if self.history else held
        size = len(held.problem)
        return Part(held, size * self.k // self.n, size * (self.k + 1) // self.n, self.k)


class Part:
    """Some examples of a problem, as learners see them that make passes over them."""

    def __init__(self, held: Held, begin: int, end: int, number: int = 0) -> None:
        self.held, self.problem = held, held.problem
        self.begin, self.end, self.number = begin, end, number

    def __len__(self) -> int:
        return self.end - self.begin

    @property
    def n_weights(self) -> int:
        """The number of weights of the problem."""
        return int(self.problem.n_weights)

    @property
    def offers(self) -> frozenset[str]:
        """What learners may ask of it: no margins of all examples."""
        return frozenset(self.problem.offers) - {"kbest"}

    def perceptron_epoch(self, w: Any, memory: Any, order: Any) -> Any:
        """Perceptron updates."""
        return self.problem.perceptron_epoch(w, memory, order + self.begin)

    def mira_epoch(self, w: Any, memory: Any, order: Any, *options: Any) -> Any:
        """Margin updates."""
        return self.problem.mira_epoch(w, memory, order + self.begin, *options)

    def sgd_epoch(self, v: Any, scale: float, t: int, order: Any, *options: Any) -> Any:
        """Steps of stochastic gradient descent."""
        return self.problem.sgd_epoch(v, scale, t, order + self.begin, *options)

    def sums(self, job: SumJob) -> Sums:
        """The sums of a batch learner over these examples."""
        w, p, n = job.w, self.problem, len(self)
        if not n:
            size = p.n_weights if job.places is None else len(job.places)
            return 0.0, 0.0, np.zeros(size)
        g = np.empty_like(w)
        first, second = 0.0, 0.0
        if job.kind == "gradient":
            first = p.gradient(w, g, job.risk, 1, self.begin, self.end)
        elif job.kind == "curvature":
            p.curvature(w, g, 1, self.begin, self.end)
        else:
            first, second = p.hinge(w, g, 1, self.begin, self.end)
        return first, second, (g if job.places is None else g[job.places]).astype(np.float64)

    def mix(self, job: MixJob) -> Sums:
        """A pass over these examples: the weights after it, and their mean, both times their share."""
        if not len(self):
            return 0.0, np.zeros(len(job.w)), np.zeros(len(job.w)), {}
        last, mean, numbers = _pass(self, job)
        share = float(next(iter(numbers.values()))) if job.by_mistakes else 1.0
        return share, share * last.astype(np.float64), share * mean.astype(np.float64), numbers


class SumJob(NamedTuple):
    """What a batch learner asks: `gradient`, `curvature` or `hinge` at w; places: the only ones that it needs."""

    kind: str
    w: NDArray[np.float32]
    risk: bool = False
    places: NDArray[np.int64] | None = None


class MixJob(NamedTuple):
    """A pass of an online learner over every shard, from the weights w; number: of the pass, from 0."""

    learner: Any
    w: NDArray[np.float32]
    number: int
    by_mistakes: bool
    observed: bool
    n_examples: int


def sums_of(part: Part, job: SumJob) -> Sums:
    """The sums over a shard."""
    part.held.keep_to_observed(False)
    return part.sums(job)


class CountJob(NamedTuple):
    """What EM asks: expected counts at weights; memory: what the problem learnt beside them."""

    weights: Floats
    memory: Any


def counts_of(part: Part, job: CountJob) -> Sums:
    """What a shard adds to the expected counts."""
    if job.memory is not None:
        part.problem.memory = job.memory
    return part.problem.sums_of(job.weights, part.begin, part.end)  # type: ignore[no-any-return]


def mixture_of(part: Part, job: MixJob) -> Sums:
    """A pass over a shard."""
    part.held.keep_to_observed(job.observed)
    return part.mix(job)


def add_sums(a: Sums, b: Sums) -> Sums:
    """Return a + b, place by place; numbers by name too."""
    return tuple(_add(x, y) for x, y in zip(a, b, strict=True))


def _add(x: Any, y: Any) -> Any:
    if isinstance(x, tuple):
        return add_sums(x, y)
    if isinstance(x, dict):
        return {name: x.get(name, 0) + y.get(name, 0) for name in {**x, **y}}
    return x + y


def _pass(part: Part, job: MixJob) -> tuple[Any, Any, dict[str, float]]:
    """The weights at the end of a pass, the mean of those on the way, and the numbers."""
    learner, v = job.learner, job.w.copy()
    seeds = np.random.SeedSequence((learner.random_state, job.number, part.number))
    seed = int(seeds.generate_state(1)[0])
    if isinstance(learner, CRF):
        # The regulariser is shared out; steps go on getting shorter from pass to pass.
        own = replace(learner, l2=learner.l2 * len(part) / job.n_examples, n_jobs=1)
        state = v, 1.0, job.number * len(part), own.eta0, Shuffled(len(part), seed), np.inf, RunningMean()
        epoch = next(own.sgd(cast(Any, part), v, (*state, job.number)))
        scale = cast(Any, epoch.state)[1]
        return v * np.float32(scale), epoch.result(), dict(epoch.numbers)
    epoch = next(replace(learner, random_state=seed, n_jobs=1).epochs(cast(Any, part), v))
    return v, epoch.result(), {name: epoch.numbers[name] for name in list(epoch.numbers)[:2]}
