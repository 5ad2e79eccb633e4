"""The training of every tool on an engine: batch learners by sums over shards, online learners by mixtures.

    batch learners     the gradient (or the plane) is a sum over the shards of the examples
    EM, counting       counts are sums, or sorted merges
    online learners    every shard makes a pass of its own from common weights; then the weights are mixed, all
                       alike or by the mistakes made (iterative parameter mixing, McDonald, Hall and Mann 2010)

The examples are cut into the same shards for every number of workers, and sums have a fixed order, so that the
result is the same bytes on every engine.
"""

from __future__ import annotations

import itertools
import pickle
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from palmette.cluster.address import connect
from palmette.cluster.engine import Engine, Function
from palmette.cluster.recipe import Stored, forget
from palmette.cluster.shares import (
    CountJob,
    Held,
    MixJob,
    Replay,
    Share,
    SumJob,
    add_sums,
    counts_of,
    hold,
    mixture_of,
    sums_of,
)
from palmette.cluster.threads import Threads
from palmette.cluster.tree import Add
from palmette.course import Course, Key, follow
from palmette.errors import UsageError
from palmette.learning.em import EM, SummedCountProblem, WeightedCountProblem
from palmette.learning.learner import Epoch, Learner
from palmette.learning.loglinear import CRF

SHARDS = 16  # of what is summed up
MIXED = 4  # of online learners, which learn the slower the more weights are mixed
# The mean of n passes gives the last one the weight LATER / n, about, since the first ones are far off.
LATER = 3
MIXINGS = ("uniform", "mistakes")

Made = TypeVar("Made")


class SharedProblem:
    """A problem whose work the workers share; learners see it like any other."""

    def __init__(self, spread: Spread, replay: Replay, held: Held) -> None:
        self._spread, self._replay, self._held = spread, replay, held
        self._problem = held.problem
        self._history = False
        self._observed = False
        self._places: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self._problem)

    def __getattr__(self, name: str) -> Any:
        if name in ("n_weights", "n_shared", "offers", "observed", "total_loss"):
            return getattr(self._problem, name)
        raise AttributeError(f"{type(self._problem).__name__} has no {name!r} on a cluster")

    def with_history(self) -> SharedProblem:
        """The problem of a MEMM, shared too."""
        found = SharedProblem(self._spread, self._replay, self._held.with_history())
        found._history = True
        return found

    def keep_to(self, free: NDArray[np.uint8] | None) -> None:
        """Move no weight from now on but the observed ones; None: all."""
        self._observed = free is not None

    def move_only(self, places: NDArray[np.int64] | None) -> None:
        """Ask for the gradient at these places alone."""
        self._places = places

    def gradient(self, w: Any, gradient: Any, risk: bool, n_jobs: int) -> float:
        """Fill `gradient`, and return the loss; as of the problem itself."""
        loss, _ = self._sums(SumJob("gradient", w, risk, self._places), gradient)
        return loss

    def curvature(self, w: Any, diagonal: Any, n_jobs: int) -> None:
        """Fill `diagonal`; as of the problem itself."""
        self._sums(SumJob("curvature", w, False, self._places), diagonal)

    def hinge(self, w: Any, gradient: Any, n_jobs: int) -> tuple[float, float]:
        """Fill `gradient` if there is one, and return the hinge loss and the loss; as of the problem itself."""
        return self._sums(SumJob("hinge", w), gradient)

    def _sums(self, job: SumJob, out: Any) -> tuple[float, float]:
        first, second, total = self._spread.engine.reduce(sums_of, self._shares(), job, add=add_sums)
        if out is not None and job.places is None:
            out[:] = total
        elif out is not None:
            out[:] = 0
            out[job.places] = total
        return float(first), float(second)

    def mixed(self, learner: Any, start: Any, state: Any) -> Iterator[Epoch]:
        """Passes over all shards at once, each followed by a mixture of their weights.

        The mean of an averaging learner is that of the mixtures of the means of every pass.
        """
        if isinstance(learner, CRF) and state is None:
            learner = replace(learner, eta0=learner.first_step(self._problem, start))
        first = 1 if isinstance(learner, CRF) else 0  # pass that counts for the mean
        w, mean, number, learner, before = state or (start, np.zeros(len(start)), 0, learner, np.inf)
        while True:
            by_mistakes = self._spread.mixing == "mistakes"
            job = MixJob(learner, w, number, by_mistakes, self._observed, len(self))
            share, last, of_pass, numbers = self._spread.engine.reduce(
                mixture_of, self._mixed_shares(), job, add=add_sums
            )
            if share:
                w = (last / share).astype(np.float32)
            if number >= first:
                mean = mean + ((of_pass / share if share else w) - mean) * (LATER / (number - first + LATER))
            number += 1
            result = mean.astype(np.float32) if learner.average and number > first else w
            loss = numbers.get("loss", 0.0)
            if isinstance(learner, CRF):
                converged = abs(before - loss) <= learner.tol * abs(loss)
            else:
                converged = not next(iter(numbers.values()))
            before = loss
            yield Epoch(numbers, _copied(result), converged, state=(w, mean, number, learner, before))

    def _shares(self) -> list[Share]:
        n = self._spread.shards
        return [Share(self._replay, k, n, self._history) for k in range(n)]

    def _mixed_shares(self) -> list[Share]:
        n = self._spread.mixed
        return [Share(self._replay, k, n, self._history) for k in range(n)]


class SharedCounts:
    """A problem of EM whose counts the workers share out."""

    def __init__(self, spread: Spread, replay: Replay, held: Held) -> None:
        self._spread, self._replay, self._problem = spread, replay, held.problem

    def __len__(self) -> int:
        return len(self._problem)

    @property
    def groups(self) -> Any:
        """The distribution of every parameter."""
        return self._problem.groups

    @property
    def memory(self) -> Any:
        """What the problem learns beside the weights."""
        return getattr(self._problem, "memory", None)

    @memory.setter
    def memory(self, memory: Any) -> None:
        self._problem.memory = memory

    def expected_counts(self, log_weights: Any) -> Any:
        """The log-likelihood and the expected counts; as of the problem itself."""
        return self._counts(log_weights)

    def _counts(self, weights: Any) -> Any:
        job = CountJob(weights, self.memory)
        return self._problem.taken(self._spread.engine.reduce(counts_of, self._shares(), job, add=add_sums))

    def _shares(self) -> list[Share]:
        return [Share(self._replay, k, self._spread.shards) for k in range(self._spread.shards)]


class SharedWeightedCounts(SharedCounts):
    """The same of a problem that does without logarithms."""

    def expected_counts(self, log_weights: Any) -> Any:
        """The log-likelihood and the expected counts; as of the problem itself."""
        return self._counts(np.exp(log_weights))

    def expected_counts_at(self, weights: Any) -> Any:
        """The same of the weights themselves."""
        return self._counts(weights)


def _copied(w: NDArray[np.float32]) -> Callable[[], NDArray[np.float32]]:
    return lambda: w.copy()


class Spread:
    """Gives the problems of a training to the workers of an engine."""

    def __init__(
        self, engine: Engine, folder: Path, *, shards: int | None = None, mixing: str = "uniform"
    ) -> None:
        """folder: where workers find what they do again; they must see it. shards: into which examples are cut."""
        self.engine, self.mixing = engine, mixing
        self.shards, self.mixed = (SHARDS, MIXED) if shards is None else (shards, shards)
        self.used = False
        self._folder = folder
        self._numbers = itertools.count()
        self._course: Course | None = None
        self._training: Callable[[], Any] | None = None
        self._last: SharedProblem | SharedCounts | None = None
        self._held: Held | None = None
        self._keys: list[str] = []

    def begin(self, training: Callable[[], Any], course: Course) -> None:
        """Say what is trained: workers call `training`, which can be pickled, to find their problems."""
        self._training, self._course = training, course
        course.spread = course.workers = self

    def problem(self, key: Key, learner: Any, problem: Any) -> Any:
        """A problem that the workers share."""
        counts = isinstance(learner, EM) and isinstance(problem, SummedCountProblem)
        if not counts and not (isinstance(learner, Learner) and learner.spreads):
            raise UsageError(f"{_name(learner)} cannot learn on a cluster: {_ADVICE}")
        if hasattr(problem, "explore"):
            raise UsageError(
                "transitions cannot be learnt on a cluster, since their right answers follow the weights: take "
                "--method graph"
            )
        self.used = True
        self._let_go()
        replay = Replay(str(self._folder / f"stage-{'-'.join(map(str, key))}"), key)
        if not isinstance(self.engine, Threads):
            assert self._course is not None
            data = pickle.dumps((self._training, self._course.finished))
            Path(replay.path).write_bytes(data)
        held = hold(replay, problem)
        self._held = held
        if counts:
            weighted = isinstance(problem, WeightedCountProblem)
            self._last = (SharedWeightedCounts if weighted else SharedCounts)(self, replay, held)
        else:
            self._last = SharedProblem(self, replay, held)
        self._keys = [share.key for share in self._last._shares()]
        if isinstance(self._last, SharedProblem):
            self._keys += [share.key for share in self._last._mixed_shares()]
        return self._last

    # For what only counts

    def map(self, function: Function, shards: Sequence[Any], value: Any = None) -> list[Any]:
        """Return function(content, value) for every shard, in their order."""
        self.used = True
        return self.engine.map(function, shards, value)

    def reduce(
        self, function: Function, shards: Sequence[Any], value: Any = None, *, add: Add | None = None
    ) -> Any:
        """Return the sum over the shards, added up as a tree in a fixed order."""
        self.used = True
        return self.engine.reduce(function, shards, value, add=add_sums if add is None else add)

    @contextmanager
    def stored(self, contents: Iterable[Any]) -> Iterator[list[Stored]]:
        """Inside, shards of these contents, which lie in the folder that all workers see."""
        shards: list[Stored] = []
        try:
            for content in contents:
                path = self._folder / f"shard-{next(self._numbers)}"
                shards.append(Stored(str(path)))
                path.write_bytes(pickle.dumps(content, protocol=pickle.HIGHEST_PROTOCOL))
            yield shards
        finally:
            forget(shard.key for shard in shards)
            for shard in shards:
                Path(shard.path).unlink(missing_ok=True)

    @contextmanager
    def text(self, pieces: Iterable[bytes]) -> Iterator[str]:
        """Inside, the path of a file with these bytes, which all workers see."""
        path = self._folder / f"text-{next(self._numbers)}"
        try:
            with path.open("wb") as file:
                file.writelines(pieces)
            yield str(path)
        finally:
            path.unlink(missing_ok=True)

    def _let_go(self) -> None:
        """Forget the problem of the last stage."""
        forget(self._keys)
        self._last = self._held = None


_ADVICE = (
    "take crf, memm or latent (method=sgd or lbfgs), perceptron (not voted), mira, pa, or svm with "
    "method=cutting-plane"
)


def _name(learner: Any) -> str:
    method = getattr(learner, "method", None)
    return type(learner).__name__ + (f" with the method {method!r}" if method else "")


@contextmanager
def spread_over(
    engine: Engine,
    training: Callable[[], Any],
    course: Course | None = None,
    *,
    folder: Path | None = None,
    shards: int | None = None,
    mixing: str = "uniform",
) -> Iterator[Spread]:
    """Inside, what learners learn is shared by the workers of an engine.

    training: what is done inside, for workers to do again; it can be pickled. folder: one that all workers see.
    """
    if mixing not in MIXINGS:
        raise UsageError(f"mixing must be one of {', '.join(MIXINGS)}. Got {mixing!r}.")
    if shards is not None and shards < 1:
        raise UsageError(f"shards must be 1 or more. Got {shards}.")
    course = Course() if course is None else course
    with tempfile.TemporaryDirectory(prefix=".palmette-", dir=folder, ignore_cleanup_errors=True) as made:
        spread = Spread(engine, Path(made).resolve(), shards=shards, mixing=mixing)
        spread.begin(training, course)
        with follow(course):
            try:
                yield spread
            finally:
                spread._let_go()


class _Fit:
    """A call of `fit`, for workers."""

    def __init__(self, tool: Any, args: tuple[Any, ...], named: dict[str, Any]) -> None:
        self.tool, self.args, self.named = tool, args, named

    def __call__(self) -> Any:
        return self.tool.fit(*self.args, **self.named)


def fit_on(
    cluster: Engine | str,
    tool: Made,
    *args: Any,
    shards: int | None = None,
    mixing: str = "uniform",
    **named: Any,
) -> Made:
    """Return tool.fit(*args, **named), with the work of its learners shared by an engine or that at an address.

    args: sentences, or better the path of a file, which every worker reads. shards: into which the examples are
    cut, by default 16, or 4 where weights are mixed; with the same number the result is the same bytes on every
    engine. mixing: "uniform", or by "mistakes".

        fit_on("processes:4", Tagger(CRF(method="lbfgs")), "train.conllu")
    """
    engine = connect(cluster) if isinstance(cluster, str) else cluster
    again = {name: value for name, value in named.items() if name != "callback"}
    try:
        with spread_over(engine, _Fit(tool, args, again), shards=shards, mixing=mixing) as spread:
            fitted: Made = tool.fit(*args, **named)  # type: ignore[attr-defined]
        if not spread.used:
            raise UsageError(f"{type(tool).__name__} has nothing that a cluster could share")
        return fitted
    finally:
        if isinstance(cluster, str):
            engine.close()
