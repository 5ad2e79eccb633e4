"""Progress bars on standard error; nothing at all with --quiet, or when no one is looking.

with Progress(quiet) as progress:
    for sentence in progress.track(sentences, "Reading"):
        ...
    task = progress.task("Epoch 1", total=len(sentences))
    task.advance(100)
    progress.note("epoch 1: accuracy 0.942 on the development data")
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sized
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

T = TypeVar("T")


class Task:
    """One bar."""

    def __init__(self, bars: Bars | None, name: str, total: float | None) -> None:
        self._bars = bars
        self._id: TaskID | None = bars.add_task(name, total=total) if bars else None

    def advance(self, steps: float = 1) -> None:
        """Move the bar on."""
        if self._bars and self._id is not None:
            self._bars.advance(self._id, steps)


class Progress:
    """A place for bars and notes, live only inside its `with` and only on a terminal."""

    def __init__(self, quiet: bool = False) -> None:
        self._bars: Bars | None = None
        if not quiet and sys.stderr is not None and sys.stderr.isatty():
            self._bars = _bars()

    @property
    def live(self) -> bool:
        """Whether anything is shown."""
        return self._bars is not None

    def __enter__(self) -> Progress:
        if self._bars:
            self._bars.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._bars:
            self._bars.stop()

    def task(self, name: str, total: float | None = None) -> Task:
        """A new bar; without a total it only shows that something goes on."""
        return Task(self._bars, name, total)

    def track(self, items: Iterable[T], name: str, total: float | None = None) -> Iterator[T]:
        """The items, with a bar that follows them."""
        if total is None and isinstance(items, Sized):
            total = len(items)
        task = self.task(name, total)
        for item in items:
            yield item
            task.advance()

    def note(self, text: str) -> None:
        """A line above the bars, which stays."""
        if self._bars:
            self._bars.console.print(text, markup=False, highlight=False)


def _bars() -> Bars:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
    return Bars(*columns, TimeRemainingColumn(elapsed_when_finished=True), console=Console(stderr=True))
