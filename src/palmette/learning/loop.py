"""The training loop of all learners: passes, reports, a dev set, early stopping, callbacks, and Ctrl-C.

A learner is a generator of passes. `run_passes` asks for one after the other, and knows nothing else of it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from palmette.messages import numbers_line

Made = TypeVar("Made")


@dataclass(frozen=True)
class Pass(Generic[Made]):
    """What a learner yields after a pass.

    numbers: by name, such as `loss`; result: a function that computes what was learnt up to now, such as weights;
    converged: there is nothing left to gain; extra: what else the learner made beside the result.
    """

    numbers: Mapping[str, float]
    result: Callable[[], Made]
    converged: bool = False
    extra: object = None


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


Callback = Callable[[Report], None]


@dataclass(frozen=True)
class Outcome(Generic[Made]):
    """How a training ended.

    result: what the kept pass made: the best one with a dev set, otherwise the last one; None if no pass is kept.
    """

    result: Made | None
    kept: Pass[Made] | None
    history: tuple[Report, ...]
    interrupted: bool


def run_passes(
    passes: Iterable[Pass[Made]],
    *,
    limit: int | None = None,
    score: Callable[[Made], float] | None = None,
    least: float = -math.inf,
    patience: int = 0,
    callback: Callback | None = None,
) -> Outcome[Made]:
    """Run passes until they end, converge, reach the limit or lose patience, or until Ctrl-C.

    score: measures what a pass made on a dev set (higher is better), and the best one is kept if its score is
    above `least`. patience: passes without a better score after which training stops; 0: never.
    """
    history: list[Report] = []
    kept: Pass[Made] | None = None
    result: Made | None = None
    since, began, interrupted = 0, time.perf_counter(), False
    try:
        for number, one in enumerate(passes, start=1):
            numbers, better = dict(one.numbers), True
            if score is None:
                kept = one
            else:
                made = one.result()
                numbers["dev"] = score(made)
                better = numbers["dev"] > least
                since = 0 if better else since + 1
                if better:
                    kept, result, least = one, made, numbers["dev"]
            history.append(Report(number, time.perf_counter() - began, numbers, better))
            if callback is not None:
                callback(history[-1])
            if number == limit or one.converged or (patience and since >= patience):
                break
    except KeyboardInterrupt:
        interrupted = True
    if score is None and kept is not None:
        result = kept.result()
    return Outcome(result, kept, tuple(history), interrupted)
