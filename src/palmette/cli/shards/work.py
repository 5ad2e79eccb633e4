"""What a worker does: it loads the model once, and writes the answers to a shard beside the others."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from palmette.cli import run as runs
from palmette.cli.progress import Progress
from palmette.cli.run import Run
from palmette.cli.shards import parquet
from palmette.cli.shards.inputs import Part, PartReading
from palmette.cli.shards.options import input_name, is_parquet
from palmette.cli.shards.parquet import RowReading, Rows
from palmette.cluster.recipe import content_of
from palmette.errors import UsageError
from palmette.formats.files import write_atomically
from palmette.formats.model import ModelFile
from palmette.formats.reading import Errors, Reading
from palmette.tools.registry import tool_for

# Options with which an answer follows from a part of the file alone: no page around it, no numbers.
PIECEWISE = frozenset(
    "append column format keep keep_heads keep_labels language lines minimum_risk probabilities retag "
    "search".split()
)


class Shard(NamedTuple):
    """A part of an input, and the file to write the answers to."""

    path: str
    part: Part | Rows
    target: str

    @property
    def size(self) -> int:
        """The number of bytes to read."""
        if isinstance(self.part, Rows):
            return self.part.size
        end = Path(self.path).stat().st_size if self.part.end is None else self.part.end
        return end - self.part.begin


@dataclass(frozen=True)
class Model:
    """A recipe: load the model file at a path, whose content has this fingerprint, and keep what is made of it."""

    path: str
    fingerprint: str

    @property
    def key(self) -> str:
        """A name that no other model has."""
        return f"model {self.fingerprint} {self.path}"

    def make(self) -> ModelFile:
        """Load it."""
        model = ModelFile.load(self.path)
        runs.keep(model)
        return model


@dataclass(frozen=True)
class Job:
    """What is done with every shard: a model, and the options of `palmette predict`."""

    model: Model
    options: Mapping[str, Any] = field(default_factory=dict)
    errors: Errors = Errors.strict
    jsonl: bool = False
    n_jobs: int = 1

    @property
    def piecewise(self) -> bool:
        """Whether the answers to the parts of a file, one after another, are the answer to the file."""
        usual = {
            name: parameter.default
            for name, parameter in inspect.signature(self._work(None)).parameters.items()
        }
        changed = {name for name, value in self.options.items() if name in usual and value != usual[name]}
        return not self.jsonl and changed <= PIECEWISE | {self.source}

    @cached_property
    def source(self) -> str:
        """The name of the argument that is the input; UsageError if the tool has none."""
        name = input_name(self._work(None))
        if name is not None:
            return name
        raise UsageError("--output-dir is for models that read one file of input; this kind does not")

    def answers(self, reading: Reading, path: str) -> Iterator[bytes]:
        """What the tool answers to a file."""
        model: ModelFile = content_of(self.model)
        run = Run(n_jobs=self.n_jobs, progress=Progress(quiet=True), reading=reading, jsonl=self.jsonl)
        return iter(self._work(model)(model, run, **{**self.options, self.source: path}))

    def _work(self, model: ModelFile | None) -> Callable[..., Any]:
        file = content_of(self.model) if model is None else model
        tool = tool_for(file.kind)
        work = tool.command("predict") if tool else None
        if work is None:
            raise UsageError(f"{self.model.path}: there is no tool that predicts with this kind of model")
        return work


def predicted(shard: Shard, job: Job) -> str | None:
    """Write the answers to a shard, and return a remark about what was read, if any."""
    Path(shard.target).parent.mkdir(parents=True, exist_ok=True)
    if isinstance(shard.part, Rows):
        rows = RowReading(job.errors, path=shard.path)
        with write_atomically(shard.target) as file:
            parquet.write_answers(shard.path, shard.part, file, rows, lambda: job.answers(rows, shard.path))
        return rows.summary()
    reading = PartReading(job.errors, path=shard.path, part=shard.part)
    with write_atomically(shard.target) as file:
        for piece in job.answers(reading, shard.path):
            file.write(piece)
    return reading.summary()


def joined(parts: list[Path], target: Path) -> None:
    """Write the parts one after another, and remove them."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with write_atomically(target) as file:
        if is_parquet(target):
            parquet.join(parts, file)
        else:
            for part in parts:
                with part.open("rb") as read:
                    while data := read.read(1 << 20):
                        file.write(data)
    for part in parts:
        part.unlink()
    with suppress(OSError):  # other files may have parts there
        parts[0].parent.rmdir()
