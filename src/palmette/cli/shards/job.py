"""A job of prediction: what is done already, what is missing, and what went wrong.

    OUT/NAME                 the answers to the input NAME, in the order of the input
    OUT/.palmette/job.json   the model, the options, and the size and time of every input
    OUT/.palmette/NAME/3     the answers to the fourth shard of NAME, until all of them are there

Every file is written beside and renamed, so a shard is done or not done, and never half done; a job that is
started again does what is missing. An input that changed is done again.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from palmette.cli.progress import Progress
from palmette.cli.shards.inputs import WHOLE, Input, parts_of
from palmette.cli.shards.options import is_parquet
from palmette.cli.shards.work import Job, Shard, joined, predicted
from palmette.cluster.engine import Engine, EngineError, Outcome
from palmette.errors import FormatError, UsageError
from palmette.formats.files import write_atomically
from palmette.formats.reading import Errors
from palmette.messages import counted

FOLDER = ".palmette"
_ALL = 1 << 62  # bytes, more than any file has
ATTEMPTS = 2  # of a shard whose worker raises an error


@dataclass
class _File:
    """An input with its shards."""

    given: Input
    shards: list[Shard]
    missing: set[int] = field(default_factory=set)


class PredictionJob:
    """The files of a job, in a folder of output that it has for itself."""

    def __init__(
        self, job: Job, inputs: Sequence[Input], folder: Path, size: int, progress: Progress
    ) -> None:
        """size: the number of bytes of a shard. UsageError if the folder is of another job."""
        self._job, self._folder, self._size, self._progress = job, folder, size, progress
        self._record = folder / FOLDER / "job.json"
        folder.mkdir(parents=True, exist_ok=True)
        old = self._read()
        stamps = {one.name: _stamp(one.path) for one in inputs}
        mine: dict[str, list[int]] = old.get("inputs", {})
        for one in inputs:
            if mine.get(one.name) != stamps[one.name]:
                if one.name in mine:  # it changed
                    self._remove(one)
                elif (folder / one.name).exists():
                    raise UsageError(
                        f"{folder / one.name} is there already, and not of this job: name another folder"
                    )
        self._write(stamps | {name: stamp for name, stamp in mine.items() if name not in stamps})
        self._files = [self._file(one) for one in inputs]

    def run(self, engine: Engine) -> None:
        """Do what is missing; the error of the first shard that fails again is raised when all others are done."""
        todo = [(file, k) for file in self._files for k in sorted(file.missing)]
        n = sum(len(file.shards) for file in self._files)
        left = f"{counted(len(todo), 'shard')} of {n:,} to do" if todo else "nothing to do"
        self._progress.note(f"{counted(len(self._files), 'file')}, {counted(n, 'shard')}: {left}")
        task = self._progress.task("Predicting", sum(file.shards[k].size for file, k in todo), size=True)
        failed: list[tuple[_File, int, Exception]] = []
        for attempt in range(ATTEMPTS):
            failed = []
            for outcome in engine.outcomes(predicted, [file.shards[k] for file, k in todo], self._job):
                file, k = todo[outcome.shard]
                if outcome.error is not None:
                    failed.append((file, k, outcome.error))
                else:
                    self._done(file, k, outcome)
                    task.advance(file.shards[k].size)
            todo = [(file, k) for file, k, _ in failed if attempt + 1 < ATTEMPTS]
            if not todo:
                break
        if failed:
            raise self._failure(failed)

    def _done(self, file: _File, k: int, outcome: Outcome) -> None:
        file.missing.discard(k)
        if outcome.result is not None:
            self._progress.warn(outcome.result, file.given.path)
        if not file.missing and len(file.shards) > 1:
            joined([Path(shard.target) for shard in file.shards], self._folder / file.given.name)

    def _failure(self, failed: list[tuple[_File, int, Exception]]) -> Exception:
        failed.sort(key=lambda one: (self._files.index(one[0]), one[1]))
        file, k, error = failed[0]
        n = sum(len(one.shards) for one in self._files)
        advice = (
            f"{counted(len(failed), 'shard')} of {n:,} failed, the others are done: mend the input and give the "
            "same command again, which does what is missing"
        )
        if isinstance(error, FormatError):
            return FormatError(f"{error.message} ({advice})", path=error.path, line=error.line)
        part = f" (shard {k + 1} of {len(file.shards)})" if len(file.shards) > 1 else ""
        kind = EngineError if isinstance(error, EngineError) else ValueError
        return kind(f"{file.given.path}{part}: {error} ({advice})")

    def _file(self, given: Input) -> _File:
        target = self._folder / given.name
        if target.exists():
            return _File(given, [Shard(given.path, WHOLE, str(target))])
        size = self._size if self._job.piecewise or is_parquet(given.path) else _ALL
        parts = parts_of(given.path, size, lambda reading: self._job.answers(reading, given.path))
        where = self._folder / FOLDER / given.name
        targets = [target] if len(parts) == 1 else [where / str(k) for k in range(len(parts))]
        shards = [Shard(given.path, part, str(one)) for part, one in zip(parts, targets, strict=True)]
        file = _File(given, shards, {k for k, one in enumerate(targets) if not one.exists()})
        if not file.missing:  # it was stopped before they were put together
            joined(targets, target)
        return file

    def _remove(self, given: Input) -> None:
        (self._folder / given.name).unlink(missing_ok=True)
        shutil.rmtree(self._folder / FOLDER / given.name, ignore_errors=True)

    def _read(self) -> dict[str, Any]:
        if not self._record.exists():
            return {}
        try:
            old: dict[str, Any] = json.loads(self._record.read_text("utf-8"))
        except ValueError as error:
            raise FormatError(
                "this is not the record of a job: remove its folder", path=str(self._record)
            ) from error
        now = self._described()
        # answers to clean input are the same, whatever is done with bytes that are not text
        stricter = {**now, "errors": Errors.strict.value}
        if old.get("job") not in (now, stricter):
            raise UsageError(
                f"{self._folder} has answers of another model or with other options: name another "
                "folder, or remove it"
            )
        return old

    def _write(self, stamps: dict[str, list[int]]) -> None:
        self._record.parent.mkdir(exist_ok=True)
        text = json.dumps({"job": self._described(), "inputs": stamps}, indent=1)
        with write_atomically(self._record) as file:
            file.write(text.encode() + b"\n")

    def _described(self) -> dict[str, Any]:
        job = self._job
        options = {name: str(value) for name, value in job.options.items() if name != job.source}
        return {
            "model": job.model.fingerprint,
            "options": options,
            "errors": job.errors.value,
            "jsonl": job.jsonl,
            "shard_size": self._size,
        }


def _stamp(path: str) -> list[int]:
    found = Path(path).stat()
    return [found.st_size, found.st_mtime_ns]
