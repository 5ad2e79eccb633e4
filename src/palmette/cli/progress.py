"""Progress on standard error: bars on a terminal, plain lines elsewhere, and warnings.

with Progress(quiet) as progress:
    for sentence in progress.track(sentences, "Reading"):
        ...
    task = progress.task("Epoch 1", total=len(sentences))
    task.advance(100)
    progress.note("epoch 1: accuracy 0.942 on the development data")
    progress.warn("no tree of the grammar covers the sentence", "sentence 17")
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator, Sized
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from palmette.cli.report import human_size, printable
from palmette.messages import counted

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

T = TypeVar("T")

_SECONDS = 10.0  # between plain lines about one task
_MOST_WARNINGS = 20  # different ones


class Task:
    """One bar, or a plain line now and then."""

    def __init__(self, bars: Bars | None, name: str, total: float | None, *, plain: bool, size: bool) -> None:
        self._bars = bars
        self._id: TaskID | None = bars.add_task(name, total=total, size=size) if bars else None
        self._plain = plain
        self._name, self._total, self._size = name, total, size
        self._done, self._told = 0.0, time.monotonic()

    def advance(self, steps: float = 1) -> None:
        """Move the bar on."""
        self._done += steps
        if self._bars and self._id is not None:
            self._bars.advance(self._id, steps)
        elif self._plain and time.monotonic() - self._told >= _SECONDS:
            self._told = time.monotonic()
            _log(f"{self._name}: {amount(self._done, self._total, size=self._size)}")


class Progress:
    """A place for bars, lines and warnings, live only inside its `with`.

    quiet: show nothing. plain: if standard error is not a terminal, print notes and the state of tasks as lines;
    without it, print only warnings there. bars: whether a terminal gets bars. `interrupted` is set when a signal
    ended the work.
    """

    def __init__(self, quiet: bool = False, *, plain: bool = False, bars: bool = True) -> None:
        self._quiet = quiet
        self._bars: Bars | None = None
        terminal = not quiet and sys.stderr is not None and sys.stderr.isatty()
        if terminal and bars:
            self._bars = _bars()
        self._plain = plain and not quiet and not terminal
        self._warnings: dict[str, tuple[str | None, int]] = {}
        self._other_warnings = 0
        self.interrupted = False

    @property
    def live(self) -> bool:
        """Whether there are bars."""
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
        self._tell_warnings()

    def task(self, name: str, total: float | None = None, *, size: bool = False) -> Task:
        """A new bar; without a total it only shows that something goes on. size: what is counted is bytes."""
        return Task(self._bars, name, total, plain=self._plain, size=size)

    def track(self, items: Iterable[T], name: str, total: float | None = None) -> Iterator[T]:
        """The items, with a bar that follows them."""
        if total is None and isinstance(items, Sized):
            total = len(items)
        task = self.task(name, total)
        for item in items:
            yield item
            task.advance()

    def note(self, text: str) -> None:
        """A line above the bars, or a plain one."""
        if self._bars:
            self._bars.console.print(text, markup=False, highlight=False)
        elif self._plain:
            _log(text)

    def warn(self, text: str, where: str | None = None) -> None:
        """Keep a warning for the end, where each is told once with its number and with the first place."""
        if text not in self._warnings and len(self._warnings) == _MOST_WARNINGS:
            self._other_warnings += 1
            return
        first, n = self._warnings.get(text, (where, 0))
        self._warnings[text] = (first, n + 1)

    def interrupt(self, text: str) -> None:
        """Say that a signal ended the work and what is kept of it, also when quiet."""
        self.interrupted = True
        if self._bars:
            self._bars.console.print(f"palmette: {text}", markup=False, highlight=False)
        else:
            _print(f"palmette: {text}")

    def _tell_warnings(self) -> None:
        found, self._warnings = self._warnings, {}
        if self._quiet:
            return
        for text, (where, n) in found.items():
            if where is None:
                _print(f"palmette: {text}" + (f" ({counted(n, 'time')})" if n > 1 else ""))
            else:
                _print(f"palmette: {where}: {text}" + (f" (and {n - 1:,} more like it)" if n > 1 else ""))
        if self._other_warnings:
            _print(f"palmette: {counted(self._other_warnings, 'other warning')} are not shown")


def amount(done: float, total: float | None, *, size: bool) -> str:
    """How much is done, in words.

    >>> amount(3, 12, size=False), amount(1_500_000, None, size=True)
    ('3 of 12 (25 %)', '1.5 MB')
    """
    shown = human_size(int(done)) if size else f"{done:,.0f}"
    if not total:
        return shown
    whole = human_size(int(total)) if size else f"{total:,.0f}"
    return f"{shown} of {whole} ({min(done / total, 1):.0%})".replace("%", " %")


def _log(text: str) -> None:
    """Print a line about progress, as logs of batch systems have them."""
    _print(text)


def _print(text: str) -> None:
    print(printable(text), file=sys.stderr, flush=True)


def _bars() -> Bars:
    from rich.console import Console
    from rich.progress import BarColumn, ProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars
    from rich.text import Text

    class Amount(ProgressColumn):
        def render(self, task: Any) -> Text:
            return Text(amount(task.completed, task.total, size=bool(task.fields.get("size"))))

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), Amount())
    return Bars(*columns, TimeRemainingColumn(elapsed_when_finished=True), console=Console(stderr=True))
