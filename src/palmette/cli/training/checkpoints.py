"""Checkpoints: a training written down beside its model, to go on from after a power cut or kill -9.

A checkpoint has a line that says what it is, a line of JSON about the command and its input, and the finished and
running stages of the training (`palmette.course`). It is written beside and renamed, and removed when the
model is saved. What it holds is pickled; it is read back with nothing but Palmette's and NumPy's own classes.
"""

from __future__ import annotations

import hashlib
import io
import json
import pickle
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from palmette.cli.errors import sentence
from palmette.cli.progress import Progress
from palmette.cli.report import human_size
from palmette.cli.training.memory import MemoryLimitError
from palmette.cluster.engine import EngineError
from palmette.course import Course, Kept, Key
from palmette.errors import FormatError, UsageError
from palmette.formats.files import write_atomically

FIRST, USUAL = 600.0, 300.0  # seconds, where nothing else is said: the first one, and between two
_TITLE = b"palmette checkpoint 1\n"
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}
_BUILTINS = frozenset("set frozenset complex slice range bytearray".split())


def read_interval(text: str | None) -> float | None:
    """Return seconds, such as 300 for 5m; None for never. No text: none are given.

    >>> read_interval("5m"), read_interval("0"), read_interval("1.5h"), read_interval("never")
    (300.0, 0.0, 5400.0, None)
    """
    if text is None or text == "never":
        return None
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", text)
    if found is None:
        raise UsageError(f"--checkpoint-every {text}: expected a time such as 30s, 5m or 2h, or never")
    return float(found[1]) * _UNITS[found[2]]


class Checkpoints:
    """The checkpoints of one training."""

    def __init__(
        self,
        output: Path,
        command: Mapping[str, Any],
        every: str | None,
        progress: Progress,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """output: the model. command: what is trained, with names of files. every: as the option has it."""
        self.path = output.with_name(output.name + ".checkpoint")
        self._command, self._progress = command, progress
        self._every = USUAL if every is None else read_interval(every)
        first = FIRST if every is None else self._every
        self._clock, self._next = clock, clock() + (first or 0.0)
        self._about: bytes | None = None
        self._there = False

    def course(self, *, resume: bool) -> Course:
        """The training as it was written down, or from its start."""
        finished: dict[Key, Kept] = {}
        running: dict[Key, Kept] = {}
        if resume and self.path.exists():
            finished, running = self._read()
            self._there = True
        elif resume:
            self._progress.note(f"{self.path} is not there: training begins at its start")
        elif self.path.exists():
            self._progress.warn(f"{self.path} is of a training that was stopped: --resume goes on from it")
        if self._every is None:
            return Course(finished, running)
        return Course(finished, running, self._write, lambda: self._clock() >= self._next)

    @contextmanager
    def named(self) -> Iterator[None]:
        """Inside, an error that ends the training from outside says how it goes on."""
        try:
            yield
        except (EngineError, MemoryLimitError) as error:
            if not self._there:
                raise
            raise type(error)(f"{error}; with --resume it goes on from {self.path}") from error

    def remove(self) -> None:
        """The model is there: its checkpoint is not needed."""
        if self.path.exists():
            self.path.unlink(missing_ok=True)

    def _write(self, course: Course) -> None:
        try:
            with write_atomically(self.path) as file:
                file.write(_TITLE + self._described())
                pickle.dump([_picklable(course.finished), _picklable(course.running)], file)
        except (OSError, MemoryError) as error:
            self._progress.note(f"no checkpoint could be written ({sentence(error)}); the training goes on")
        else:
            if not self._there:
                size = human_size(self.path.stat().st_size)
                self._progress.note(f"wrote {self.path} ({size}); --resume goes on from it")
            self._there = True
        self._next = self._clock() + (self._every or 0.0)

    def _read(self) -> tuple[dict[Key, Kept], dict[Key, Kept]]:
        with self.path.open("rb") as file:
            if file.readline() != _TITLE:
                raise FormatError("this is not a checkpoint of this version of Palmette", path=str(self.path))
            about = file.readline()
            if about != self._described():
                raise UsageError(
                    f"{self.path} is of another training ({_difference(about, self._described())}): give the same "
                    "command, or leave out --resume to begin again"
                )
            data = file.read()
        try:
            finished, running = _Reader(io.BytesIO(data)).load()
        except Exception as error:
            raise FormatError(
                f"the checkpoint is damaged ({error}): remove it", path=str(self.path)
            ) from error
        return finished, running

    def _described(self) -> bytes:
        """What is trained on what, on a line."""
        if self._about is None:
            files = {path: _fingerprint(Path(path)) for path in files_in(self._command)}
            about = {"command": self._command, "files": files}
            self._about = json.dumps(about, sort_keys=True, default=str).encode() + b"\n"
        return self._about


def _picklable(stages: Mapping[Key, Kept]) -> dict[Key, bytes]:
    """Stages as bytes; what cannot be written down is left out, and done again."""
    found: dict[Key, bytes] = {}
    for key, kept in stages.items():
        try:
            found[key] = pickle.dumps(kept)
        except (pickle.PicklingError, TypeError, AttributeError):
            continue
    return found


class _Reader(pickle.Unpickler):
    """Reads plain values, arrays, and objects of Palmette."""

    def find_class(self, module: str, name: str) -> Any:
        root = module.partition(".")[0]
        if (root in ("palmette", "numpy") and "." not in name) or (
            module == "builtins" and name in _BUILTINS
        ):
            return super().find_class(module, name)
        if (module, name) == ("collections", "deque"):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name} does not belong into a checkpoint")

    def load(self) -> Any:
        finished, running = super().load()
        return [
            {key: _Stage(io.BytesIO(data)).load() for key, data in one.items()} for one in (finished, running)
        ]


class _Stage(_Reader):
    """Reads one stage."""

    def load(self) -> Any:
        return pickle.Unpickler.load(self)


def files_in(value: object) -> Iterable[str]:
    """The names of files among the values of a command."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for one in value:
            yield from files_in(one)
    elif isinstance(value, str | Path):
        try:
            if Path(value).is_file():
                yield str(value)
        except (OSError, ValueError):
            pass


def _fingerprint(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:24]


def _difference(old: bytes, new: bytes) -> str:
    """What differs between two descriptions, in words."""
    try:
        before, after = json.loads(old), json.loads(new)
        for name in sorted({*before["files"], *after["files"]}):
            if (
                name in before["files"]
                and name in after["files"]
                and before["files"][name] != after["files"][name]
            ):
                return f"{name} has changed"
        a, b = _flat(before["command"]), _flat(after["command"])
        name = next(name for name in sorted({*a, *b}) if a.get(name) != b.get(name))
        return f"{name} was {a.get(name)!s:.60}, and is {b.get(name)!s:.60}"
    except (ValueError, KeyError, TypeError, StopIteration):
        return "other options or another version"


def _flat(command: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in command.items():
        found |= value if isinstance(value, Mapping) else {name: value}
    return found
