"""A large file in pieces: some megabytes at a time, cut where sentences end, so that memory stays bounded.

Token formats are cut at empty lines. Text is cut there too, or, where it has none, behind a line that ends like a
sentence. A piece is at least one sentence, however long that is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

from palmette.formats.files import Source, opened

SIZE = 1 << 24  # bytes of a piece

_NEWLINE = ord("\n")
_EMPTY_LINE = re.compile(rb"\n[ \t\r]*\n")
_SENTENCE_END = re.compile(rb"[.!?\"')\]][ \t\r]*\n")


@dataclass(frozen=True)
class Batch:
    """A piece of a file, and how many lines of the file stand before it."""

    data: bytes
    lines_before: int


def batches(
    source: Source, size: int = SIZE, *, is_text: Callable[[bytes], bool] = lambda start: False
) -> Iterator[Batch]:
    """The pieces of a file, or of standard input for "-"; gzip is unpacked. An empty file gives no piece.

    is_text: says of the beginning of the file whether it is running text, which may have no empty lines.
    """
    with opened(source) as file:
        yield from _cut(file, size, is_text)


def _cut(file: BinaryIO, size: int, is_text: Callable[[bytes], bool]) -> Iterator[Batch]:
    held, lines, searched = b"", 0, 0
    text: bool | None = None
    while True:
        more = file.read(size)
        if not more:
            break
        text = is_text(more) if text is None else text
        held += more
        end = _last_end(held, searched, text)
        searched = max(len(held) - 1, 0)
        if not end:
            size *= 2  # a long sentence: look again when as much has come
            continue
        yield Batch(held[:end], lines)
        lines += int(np.count_nonzero(np.frombuffer(held, np.uint8, end) == _NEWLINE))
        held, searched = held[end:], 0
    if held:
        yield Batch(held, lines)


def _last_end(data: bytes, begin: int, lines_will_do: bool) -> int:
    """Where the last whole sentence ends, 0 if there is none."""
    window = max(begin - 64, 0)  # an end may lie across two readings
    last = 0
    for edge in range(len(data), window, -(1 << 16)):
        low = max(edge - (1 << 16) - 64, window)
        for match in _EMPTY_LINE.finditer(data, low, edge):
            last = match.end()
        if last:
            return last
    if lines_will_do:
        for match in _SENTENCE_END.finditer(data, window):
            last = match.end()
        last = last or data.rfind(b"\n") + 1
    return last
