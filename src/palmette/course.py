"""Where a training is: its stages, what the finished ones made, and the state of those that are under way.

A stage is one call of `run_passes`; a stage whose passes train something else has stages of its own. The stages of
a training are numbered in the order in which they begin, which is the same whenever the same training is done
again. So a training goes on where it was by being done again: finished stages return what they made, and a stage
that was under way goes on from the state after its last pass. The same numbers let workers of a cluster find the
problem of a stage. What has no learner, such as counting, asks for the workers themselves.

Without a course (`follow`) nothing is kept, and nothing costs anything.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

Key = tuple[int, ...]


@dataclass(frozen=True)
class Kept:
    """A stage after a pass, or at its end.

    history: the reports up to then. result: what the kept pass made, and its numbers, whether it converged, and
    what else it made. since: passes without a better score. state: what the learner goes on from; None at the end.
    children: how many stages of its own have begun.
    """

    history: tuple[Any, ...]
    result: Any
    numbers: dict[str, float] | None
    converged: bool
    extra: Any
    since: int = 0
    least: float = 0.0
    state: Any = None
    children: int = 0


class Spread(Protocol):
    """Who shares out the work of learners; see `palmette.cluster.training`."""

    def problem(self, key: Key, learner: Any, problem: Any) -> Any:
        """A problem in the place of another, whose work workers share."""
        ...


class Workers(Protocol):
    """Workers of a cluster, for counting: its two verbs. shards: into how many parts data are cut."""

    shards: int

    def map(self, function: Callable[[Any, Any], Any], shards: Sequence[Any], value: Any = None) -> list[Any]:
        """Return function(content, value) for every shard, in their order."""
        ...

    def reduce(
        self,
        function: Callable[[Any, Any], Any],
        shards: Sequence[Any],
        value: Any = None,
        *,
        add: Callable[[Any, Any], Any] | None = None,
    ) -> Any:
        """Return the sum of function(content, value) over the shards, in a fixed order.

        add: adds two results, and leaves them as they are; None: these are tuples of numbers and arrays.
        """
        ...

    def stored(self, contents: Iterable[Any]) -> AbstractContextManager[list[Any]]:
        """Shards of these contents, which lie where workers find them as long as the context lasts."""
        ...

    def text(self, pieces: Iterable[bytes]) -> AbstractContextManager[str]:
        """The path of a file with these bytes, which all workers see as long as the context lasts."""
        ...


@dataclass
class Course:
    """A training that can be stopped and go on.

    keep: called after passes and stages; it decides whether to write the course down. spread: shares out work of
    learners. workers: for what only counts.
    """

    finished: dict[Key, Kept] = field(default_factory=dict)
    running: dict[Key, Kept] = field(default_factory=dict)
    keep: Callable[[Course], None] | None = None
    due: Callable[[], bool] | None = None
    spread: Spread | None = None
    workers: Workers | None = None


class Stage:
    """One stage of a course; without a course it does nothing."""

    def __init__(self, place: _Place | None, key: Key) -> None:
        self._place, self.key = place, key
        self._inner = _Place(place.course, key) if place is not None else None
        self._children = 0

    @property
    def finished(self) -> Kept | None:
        """What it made, if it was finished before."""
        return None if self._place is None else self._place.course.finished.get(self.key)

    @property
    def begun(self) -> Kept | None:
        """Where it was when the course was written down."""
        return None if self._place is None else self._place.course.running.get(self.key)

    @property
    def due(self) -> bool:
        """Whether it is time to write the course down."""
        return self._place is not None and self._place.course.due is not None and self._place.course.due()

    @property
    def shared(self) -> bool:
        """Whether workers share the work: they may be lost, and with them the training."""
        return self._place is not None and self._place.course.spread is not None

    def mark(self) -> None:
        """A pass ended: stages that began before belong to it, and those that begin now to the next one."""
        if self._inner is not None:
            self._children = self._inner.count

    def passed(self, kept: Kept) -> None:
        """Keep where it is, after a pass with a state."""
        if self._place is None:
            return
        course = self._place.course
        self._forget_inner(course, self._children)
        course.running[self.key] = replace(kept, children=self._children)
        if course.keep is not None:
            course.keep(course)

    def lost(self, kept: Kept | None) -> None:
        """An error ends the training: keep where it was after its last pass, if there was one with a state."""
        if kept is not None:
            self.passed(kept)
        elif self._place is not None and self._place.course.finished and self._place.course.keep is not None:
            self._place.course.keep(self._place.course)

    def end(self, kept: Callable[[], Kept]) -> None:
        """Keep what it made."""
        if self._place is None or (self._place.course.keep is None and self._place.course.spread is None):
            return
        course = self._place.course
        self._forget_inner(course)
        course.running.pop(self.key, None)
        course.finished[self.key] = kept()
        if course.keep is not None and self.due:
            course.keep(course)

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Stages that begin now are its own."""
        if self._inner is None:
            yield
            return
        begun = self.begun
        self._inner.count = self._children = 0 if begun is None else begun.children
        token = _PLACE.set(self._inner)
        try:
            yield
        finally:
            _PLACE.reset(token)

    def _forget_inner(self, course: Course, below: float = math.inf) -> None:
        """Forget the stages of its own whose numbers are below one."""
        n = len(self.key)
        for stages in (course.finished, course.running):
            for key in [key for key in stages if len(key) > n and key[:n] == self.key and key[n] < below]:
                del stages[key]


@dataclass
class _Place:
    course: Course
    key: Key
    count: int = 0


_PLACE: ContextVar[_Place | None] = ContextVar("palmette-course", default=None)
_ALONE: ContextVar[bool] = ContextVar("palmette-alone", default=False)


@contextmanager
def follow(course: Course | None) -> Iterator[None]:
    """Inside, trainings are stages of this course; None: of none."""
    token = _PLACE.set(None if course is None else _Place(course, ()))
    try:
        yield
    finally:
        _PLACE.reset(token)


def next_stage() -> Stage:
    """The stage that begins now."""
    place = _PLACE.get()
    if place is None:
        return Stage(None, ())
    key = (*place.key, place.count)
    place.count += 1
    return Stage(place, key)


def shared_problem(learner: Any, problem: Any) -> Any:
    """The problem for the next stage: the same one, or one whose work is shared by the workers of a cluster."""
    place = _PLACE.get()
    if place is None or place.course.spread is None or _ALONE.get():
        return problem
    return place.course.spread.problem((*place.key, place.count), learner, problem)


def workers() -> Workers | None:
    """The workers of the cluster that trains; None on one machine, and on the workers themselves."""
    place = _PLACE.get()
    return None if place is None or _ALONE.get() else place.course.workers


@contextmanager
def alone() -> Iterator[None]:
    """Inside, nothing is shared: for small problems in a large training."""
    token = _ALONE.set(True)
    try:
        yield
    finally:
        _ALONE.reset(token)
