"""The files of a job and the shards that they are cut into.

A file that a tool reads piece by piece is cut where its units end, so that the answers to the shards, one after
another, are the answer to the file. Running text is not cut, since its sentences are numbered, nor any file with
--jsonl or options of like effect, nor gzipped files, which cannot be read from the middle: each is one shard.
Parquet files are cut into runs of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from palmette.cli.shards.options import is_parquet
from palmette.cli.shards.parquet import Rows, row_parts
from palmette.errors import UsageError
from palmette.formats.batches import SIZE, TEXT_SIZE, Batch, Made, Unit, cut
from palmette.formats.files import Source, display_name
from palmette.formats.reading import Reading

HEADED = b"# global.columns"  # a first line that all parts of a file need


class Input(NamedTuple):
    """A file to read, and the name of what is written for it, below the folder of the output."""

    path: str
    name: str


class Part(NamedTuple):
    """Bytes of a file, and the number of lines before them; no end: to the end of the file."""

    begin: int = 0
    end: int | None = None
    lines_before: int = 0


WHOLE = Part()


def inputs_of(given: Sequence[str], suffix: str = "") -> list[Input]:
    """The files that are named, and those in folders that are named, in the order of their names.

    Files whose names begin with a dot are left out. suffix: added to the names of what is written.
    """
    found: dict[str, str] = {}
    for one in given:
        path = Path(one)
        if one == "-":
            raise UsageError("--output-dir takes files and folders, not standard input")
        if path.is_dir():
            files = {str(file.relative_to(path)): str(file) for file in _files_below(path)}
        else:
            files = {path.name: one}
            path.stat()  # FileNotFoundError names the file
        for name, file in files.items():
            if name in found:
                raise UsageError(
                    f"{file} and {found[name]} would both be written as {name}: give their folder instead"
                )
            found[name] = file
    if not found:
        raise UsageError(f"there are no files in {', '.join(given)}")
    return [Input(path, _named(name, suffix)) for name, path in found.items()]


def _files_below(folder: Path) -> list[Path]:
    def shown(path: Path) -> bool:
        return not any(part.startswith(".") for part in path.relative_to(folder).parts)

    return sorted(path for path in folder.rglob("*") if path.is_file() and shown(path))


def _named(name: str, suffix: str) -> str:
    if not suffix or is_parquet(name):  # answers to rows are a column
        return name
    plain = name.removesuffix(".gz")
    return f"{plain}{suffix}{name[len(plain) :]}"


def parts_of(path: str, size: int, answer: Callable[[Reading], Iterator[bytes]]) -> Sequence[Part | Rows]:
    """The parts of a file, of about `size` bytes or one unit each.

    answer: what predicts the file with a manner of reading; it is asked only how it would cut the file.
    """
    if is_parquet(path):
        return row_parts(path, size)
    if Path(path).stat().st_size <= size:
        return [WHOLE]
    with Path(path).open("rb") as file:
        start = file.read(TEXT_SIZE)
    if start.startswith((b"\x1f\x8b", HEADED)):
        return [WHOLE]
    asked = _Asked(path)
    try:
        next(iter(answer(asked)), None)
    except _Told as told:
        if told.unit in (Unit.text, Unit.whole):
            return [WHOLE]
        with Path(path).open("rb") as file:
            return list(_cut(file, size, told.unit))
    return [WHOLE]  # the tool reads the file in a way of its own


def _cut(file: BinaryIO, size: int, unit: Unit) -> Iterator[Part]:
    begin = end = before = lines = 0
    for batch in cut(file, min(size, SIZE), unit):
        end += len(batch.data)
        lines += batch.data.count(b"\n")
        if end - begin >= size:
            yield Part(begin, end, before)
            begin, before = end, lines
    if end > begin:
        yield Part(begin, end, before)


class _Told(Exception):  # noqa: N818 - it is an answer
    """What a file is made of, told by the tool that would read it."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit


class _Asked(Reading):
    """A manner of reading that only finds out what the tool takes a file to be made of."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self._path = path

    def pieces(self, source: Source, size: int | None, unit: Made) -> Iterator[Batch]:
        if display_name(source) != display_name(self._path):
            yield from super().pieces(source, size, unit)
            return
        raise _Told(_unit_of(source, unit))


@dataclass
class PartReading(Reading):
    """A manner of reading that gives one part of a file as if it were the file; its lines keep their numbers."""

    path: str = ""
    part: Part = WHOLE

    def pieces(self, source: Source, size: int | None, unit: Made) -> Iterator[Batch]:
        """The pieces of the part."""
        if display_name(source) != display_name(self.path) or self.part == WHOLE:
            yield from super().pieces(source, size, unit)
            return
        made_of = _unit_of(source, unit)  # by the start of the file, not of the part
        with Path(source).open("rb") as file:
            file.seek(self.part.begin)
            limited: Any = _Limited(file, (self.part.end or 0) - self.part.begin)
            for batch in cut(limited, size, made_of):
                yield Batch(batch.data, batch.lines_before + self.part.lines_before)


class _Limited:
    """The next bytes of a file."""

    def __init__(self, file: BinaryIO, n: int) -> None:
        self._file, self._left = file, n

    def read(self, n: int) -> bytes:
        data = self._file.read(min(n, self._left))
        self._left -= len(data)
        return data


def _unit_of(source: Source, unit: Made) -> Unit:
    if isinstance(unit, Unit):
        return unit
    with Path(source).open("rb") as file:
        return unit(file.read(TEXT_SIZE))
