"""The training loop of all learners: passes, reports, a dev set, early stopping, callbacks, and Ctrl-C.

A learner is a generator of passes. `run_passes` asks for one after the other, and knows nothing else of it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from palmette.course import Kept, Stage, next_stage
from palmette.messages import numbers_line

if TYPE_CHECKING:
    from palmette.drawing.curves import Point
    from palmette.drawing.panels import Panels

Made = TypeVar("Made")

_whole: ContextVar[bool] = ContextVar("whole", default=False)


@contextmanager
def whole() -> Iterator[None]:
    """Inside, Ctrl-C raises: no training ends early and keeps its best pass, since others would go on from it."""
    before = _whole.set(True)
    try:
        yield
    finally:
        _whole.reset(before)


@dataclass(frozen=True)
class Pass(Generic[Made]):
    """What a learner yields after a pass.

    numbers: by name, such as `loss`; result: a function that computes what was learnt up to now, such as weights;
    converged: there is nothing left to gain; extra: what else the learner made beside the result; state: what the
    learner goes on from after this pass, which can be pickled; None: it can only begin again.
    """

    numbers: Mapping[str, float]
    result: Callable[[], Made]
    converged: bool = False
    extra: object = None
    state: object = None


@dataclass(frozen=True)
class Report:
    """What a callback gets after every pass: `epoch` from 1 on, seconds since the start, numbers by name.

    With a dev set the numbers have `dev`, its score (higher is better), and `best` is true where it rose. where:
    what the pass is of, where several things are trained, as {"direction": "forth", "model": "hmm"}.
    """

    epoch: int
    seconds: float
    numbers: Mapping[str, float]
    best: bool
    where: Mapping[str, str] = field(default_factory=dict)

    @property
    def summary(self) -> str:
        """The pass in a line, for logs."""
        before = f"{' '.join(self.where.values())}, " if self.where else ""
        return before + numbers_line(self.epoch, self.seconds, self.numbers.items())


class History(tuple[Report, ...]):
    """The reports of a training; a notebook draws them as curves."""

    def plot(self) -> Panels:
        """Return a plot for every number, pass by pass."""
        from palmette.drawing.panels import passes_panels

        curves: dict[str, dict[str, list[Point]]] = {}
        for report in self:
            where = " ".join(report.where.values())
            for name, value in report.numbers.items():
                if math.isfinite(value):
                    curves.setdefault(name, {}).setdefault(where, []).append((report.epoch, value))
        return passes_panels(curves)

    def _repr_svg_(self) -> str | None:
        return (
            self.plot().svg() if any(math.isfinite(v) for one in self for v in one.numbers.values()) else None
        )


Callback = Callable[[Report], None]


@dataclass(frozen=True)
class Outcome(Generic[Made]):
    """How a training ended.

    result: what the kept pass made: the best one with a dev set, otherwise the last one; None if no pass is kept.
    """

    result: Made | None
    kept: Pass[Made] | None
    history: History
    interrupted: bool


def run_passes(
    passes: Iterable[Pass[Made]] | Callable[[Any], Iterable[Pass[Made]]],
    *,
    limit: int | None = None,
    score: Callable[[Made], float] | None = None,
    least: float = -math.inf,
    patience: int = 0,
    callback: Callback | None = None,
) -> Outcome[Made]:
    """Run passes until they end, converge, reach the limit or lose patience, or until Ctrl-C.

    passes: the passes, or a function that makes them from the state that a pass had (None: from the start), so
    that a training that was stopped goes on. score: measures what a pass made on a dev set (higher is better), and
    the best one is kept if its score is above `least`. patience: passes without a better score after which
    training stops; 0: never.
    """
    stage = next_stage()
    if callable(passes) and (ended := stage.finished) is not None:
        return _returned(ended, callback)
    run = _Run(passes, limit, score, least, patience, callback, stage)
    with stage.inside():
        outcome = run.run()
    if callable(passes) and not outcome.interrupted:  # others may have changed what is around them
        stage.end(run.kept)
    return outcome


class _Run(Generic[Made]):
    """The passes of one stage."""

    def __init__(
        self,
        passes: Iterable[Pass[Made]] | Callable[[Any], Iterable[Pass[Made]]],
        limit: int | None,
        score: Callable[[Made], float] | None,
        least: float,
        patience: int,
        callback: Callback | None,
        stage: Stage,
    ) -> None:
        self._limit, self._score, self._patience, self._callback = limit, score, patience, callback
        self._stage = stage
        begun = stage.begun if callable(passes) else None
        self._history: list[Report] = []
        self._one: Pass[Made] | None = None
        self._result: Made | None = None
        self._since, self._least, before = 0, least, 0.0
        self._last: Kept | None = deepcopy(begun) if stage.shared else None
        if begun is not None:
            self._history, self._result = list(begun.history), begun.result
            self._one = _kept_pass(begun)
            self._since, self._least = begun.since, begun.least
            before = self._history[-1].seconds
            for report in self._history:
                if callback is not None:
                    callback(report)
        self._passes = passes(None if begun is None else begun.state) if callable(passes) else passes
        self._began = time.perf_counter() - before

    def run(self) -> Outcome[Made]:
        interrupted = False
        try:
            for number, one in enumerate(self._passes, start=len(self._history) + 1):
                self._take(number, one)
                self._stage.mark()
                if (
                    number == self._limit
                    or one.converged
                    or (self._patience and self._since >= self._patience)
                ):
                    break
                if one.state is None:
                    continue
                if self._stage.due:
                    self._stage.passed(replace(self.kept(), state=one.state))
                if self._stage.shared:  # a copy, since the next pass changes the state before it is lost
                    self._last = deepcopy(replace(self.kept(), state=one.state))
        except KeyboardInterrupt:
            if _whole.get():
                raise
            interrupted = True
        except OSError:
            if self._stage.shared:
                self._stage.lost(self._last)
            raise
        if self._score is None and self._one is not None:
            self._result = self._one.result()
        return Outcome(self._result, self._one, History(self._history), interrupted)

    def _take(self, number: int, one: Pass[Made]) -> None:
        numbers, better = dict(one.numbers), True
        if self._score is None:
            self._one = one
        else:
            made = one.result()
            numbers["dev"] = self._score(made)
            better = numbers["dev"] > self._least
            self._since = 0 if better else self._since + 1
            if better:
                self._one, self._result, self._least = one, made, numbers["dev"]
        self._history.append(Report(number, time.perf_counter() - self._began, numbers, better))
        if self._callback is not None:
            self._callback(self._history[-1])

    def kept(self) -> Kept:
        """Return what the stage remembers."""
        one = self._one
        result = one.result() if self._score is None and one is not None else self._result
        return Kept(
            tuple(self._history),
            result,
            None if one is None else dict(one.numbers),
            one is not None and one.converged,
            None if one is None else one.extra,
            self._since,
            self._least,
        )


def _kept_pass(kept: Kept) -> Pass[Any] | None:
    if kept.numbers is None:
        return None
    return Pass(kept.numbers, lambda: kept.result, kept.converged, kept.extra)


def _returned(kept: Kept, callback: Callback | None) -> Outcome[Any]:
    """The outcome of a stage that was finished before; its reports are told again."""
    for report in kept.history:
        if callback is not None:
            callback(report)
    return Outcome(kept.result, _kept_pass(kept), History(kept.history), False)
