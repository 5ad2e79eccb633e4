"""Parquet files of a job: every row is an input of its own, and its answer is a column beside the others.

A shard is a run of rows. What is written has the columns of the input and `prediction`, in the order of the rows.
It needs pyarrow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from palmette.errors import FormatError, UsageError
from palmette.formats.batches import TEXT_SIZE, Batch, Made, Unit, cut
from palmette.formats.files import Source, as_bytes, display_name
from palmette.formats.reading import Reading
from palmette.optional import optional_module

TEXT, ANSWER = "text", "prediction"


class Rows(NamedTuple):
    """Rows of a file from `begin` to before `end`; size: about how many bytes they have."""

    begin: int
    end: int
    size: int


def row_parts(path: str, size: int) -> list[Rows]:
    """The rows of a file in runs of about `size` bytes; FormatError if it is damaged."""
    with _opened(path) as file:
        about = file.metadata
        n = about.num_rows
        whole = sum(about.row_group(k).total_byte_size for k in range(about.num_row_groups))
        _column(file.schema_arrow, path)
    step = max(1, n * size // max(whole, 1))
    return [
        Rows(begin, min(begin + step, n), whole * min(step, n - begin) // n) for begin in range(0, n, step)
    ] or [Rows(0, 0, 0)]


def write_answers(
    path: str, rows: Rows, file: BinaryIO, reading: RowReading, answer: Callable[[], Iterator[bytes]]
) -> None:
    """Write the rows with their answers. answer: predicts what `reading` has."""
    pyarrow = _pyarrow()
    table = _read(path, rows)
    texts = table.column(_column(table.schema, path)).to_pylist()
    answers = []
    for number, text in enumerate(texts, rows.begin + 1):
        answers.append(None if text is None else _answer(path, number, as_bytes(text), reading, answer))
    made = table.append_column(ANSWER, pyarrow.array(answers, pyarrow.string()))
    _write(made, file)


def join(parts: Sequence[Path], file: BinaryIO) -> None:
    """Write the rows of all parts one after another."""
    writer: Any = None
    sink = _pyarrow().PythonFile(file, "w")
    for part in parts:
        with _opened(str(part)) as read:
            table = read.read()
        writer = writer or _parquet().ParquetWriter(sink, table.schema)
        writer.write_table(table)
    writer.close()


@dataclass
class RowReading(Reading):
    """A manner of reading that gives the text of a row in the place of a file."""

    path: str = ""
    data: bytes = b""
    asked: bool = False

    def pieces(self, source: Source, size: int | None, unit: Made) -> Iterator[Batch]:
        """The pieces of the text."""
        if display_name(source) != display_name(self.path):
            yield from super().pieces(source, size, unit)
            return
        self.asked = True
        made_of = unit if isinstance(unit, Unit) else unit(self.data[:TEXT_SIZE])
        yield from cut(BytesIO(self.data), size, made_of)


def _answer(
    path: str, number: int, data: bytes, reading: RowReading, answer: Callable[[], Iterator[bytes]]
) -> str:
    reading.data, reading.asked = data, False
    try:
        found = b"".join(answer())
    except FormatError as error:
        where = "" if error.line is None else f", line {error.line}"
        raise FormatError(f"row {number}{where}: {error.message}", path=path) from None
    if not reading.asked:
        raise UsageError(f"{path}: this kind of model reads its files in a way of its own, and no Parquet")
    return found.decode("utf-8")


def _column(schema: Any, path: str) -> str:
    """The column with the text: `text`, or the only one with strings."""
    types = _pyarrow().types

    found = [
        field.name for field in schema if types.is_string(field.type) or types.is_large_string(field.type)
    ]
    if ANSWER in schema.names:
        raise FormatError(f"has a column {ANSWER!r} already: rename it", path=path)
    if TEXT in found or len(found) == 1:
        return TEXT if TEXT in found else found[0]
    held = ", ".join(found) if found else "none"
    raise FormatError(
        f"expected a column {TEXT!r} of strings, or one column of strings; those with strings: {held}",
        path=path,
    )


def _read(path: str, rows: Rows) -> Any:
    """The rows as a table; only the row groups that have them are read."""
    with _opened(path) as file:
        first = 0
        groups: list[int] = []
        before = rows.begin
        for k in range(file.metadata.num_row_groups):
            n = file.metadata.row_group(k).num_rows
            if first < rows.end and first + n > rows.begin:
                if not groups:
                    before = rows.begin - first
                groups.append(k)
            first += n
        table = file.read_row_groups(groups)
    return table.slice(before, rows.end - rows.begin)


def _write(table: Any, file: BinaryIO) -> None:
    sink = _pyarrow().BufferOutputStream()
    _parquet().write_table(table, sink)
    file.write(sink.getvalue())


def _opened(path: str) -> Any:
    pyarrow = _pyarrow()
    try:
        return _parquet().ParquetFile(path)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowException) as error:
        raise FormatError(f"not a Parquet file ({str(error).splitlines()[0]})", path=path) from None


def _pyarrow() -> Any:
    return optional_module("pyarrow", extra="parquet")


def _parquet() -> Any:
    _pyarrow()
    return optional_module("pyarrow.parquet", extra="parquet")
