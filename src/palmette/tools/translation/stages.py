"""The stages of a training, one after another: reports of their passes and ends, notes, signals."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from palmette.learning.loop import Callback, Report
from palmette.messages import LOGGER

Made = TypeVar("Made")


@dataclass
class Record:
    """What the stages so far have done: reports, notes, and whether a signal came."""

    callback: Callback | None = None
    history: list[Report] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    interrupted: bool = False
    began: float = field(default_factory=time.perf_counter)

    def tell(self, report: Report) -> None:
        """Add a report, and hand it on."""
        self.history.append(report)
        if self.callback is not None:
            self.callback(report)

    def passes(self, stage: str) -> Callback:
        """Return a callback for the passes of a stage, which get its name."""
        return lambda report: self.tell(replace(report, where={"stage": stage, **report.where}))

    def run(self, stage: str, work: Callable[[], Made], numbers: Callable[[Made], dict[str, Any]]) -> Made:
        """Do the work of a stage without passes, and report its numbers."""
        with self._noting():
            made = work()
        seconds = time.perf_counter() - self.began
        report = Report(1, seconds, numbers(made), True, {"stage": stage})
        LOGGER.info("%s", report.summary)  # what has passes logs them itself
        self.tell(report)
        return made

    @contextmanager
    def _noting(self) -> Iterator[None]:
        """Inside, warnings become notes."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
        for one in caught:
            text = str(one.message)
            if text not in self.notes:
                self.notes.append(text)
