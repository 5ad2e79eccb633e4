"""A large file in pieces, cut where its units end, so that memory stays bounded.

Token formats are cut at empty lines, files with an item on each line at line ends, trees in brackets behind a
tree. Text is cut at a line end, or at a space where a line is very long: a tokenizer joins sentences across pieces
again. A piece is at least one unit, however long that is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from typing import BinaryIO, TypeAlias

from palmette.formats.files import Source, opened

SIZE = 1 << 20  # bytes of a piece
TEXT_SIZE = 1 << 18  # of text, whose tokens take more room than those of a token format

_LINE_END = re.compile(rb"\n")
_EMPTY_LINE = re.compile(rb"\n[ \t\r]*\n")


class Unit(Enum):
    """What a piece of a file is made of; the value is the name of one."""

    sentence = "sentence"  # lines up to an empty one
    text = "line of text"
    line = "line"
    tree = "tree"  # balanced brackets
    whole = "file"  # cannot be cut


Made: TypeAlias = Unit | Callable[[bytes], Unit]


@dataclass(frozen=True)
class Batch:
    """A piece of a file, and the number of lines of the file before it."""

    data: bytes
    lines_before: int


def batches(
    source: Source,
    size: int | None = None,
    *,
    unit: Made = Unit.sentence,
    each: bool = False,
) -> Iterator[Batch]:
    """The pieces of a file, or of standard input for "-"; gzip is unpacked. An empty file gives no piece.

    size: the number of bytes of a piece, by default one that suits the unit. unit: what the file is made of, or a
    function that tells this from the beginning of the file. each: give every unit as soon as it is complete,
    instead of large pieces.
    """
    with opened(source) as file:
        yield from each_unit(file, unit) if each else cut(file, size, unit)


def cut(file: BinaryIO, size: int | None, unit: Made) -> Iterator[Batch]:
    """The pieces of an open file."""
    held, lines, searched = b"", 0, 0
    made_of = unit if isinstance(unit, Unit) else None
    usual = step = size or (SIZE if made_of else TEXT_SIZE)
    while more := file.read(step):
        if made_of is None:
            made_of = _told(unit, more)
            usual = step = size or (TEXT_SIZE if made_of is Unit.text else SIZE)
        held += more
        end = _last_end(held, searched, made_of)
        searched = max(len(held) - 1, 0)
        if not end:
            step *= 2  # a long unit: look again when as much has come
            continue
        yield Batch(held[:end], lines)
        lines += held.count(b"\n", 0, end)
        held, searched, step = held[end:], 0, usual
    if held:
        yield Batch(held, lines)


def each_unit(file: BinaryIO, unit: Made) -> Iterator[Batch]:
    """The units of an open file, each as soon as its last line has come.

    A first line without tabs that is not a comment is taken for what the whole file is like.
    """
    held, lines = b"", 0
    made_of = unit if isinstance(unit, Unit) else None
    while line := file.readline():
        held += line
        if made_of is None and (not line.strip() or not (b"\t" in line or line.startswith(b"#"))):
            made_of = _told(unit, held)
        if made_of is None or not _is_complete(held, line, made_of):
            continue
        yield Batch(held, lines)
        lines += held.count(b"\n")
        held = b""
    if held:
        if made_of is None:
            _told(unit, held)
        yield Batch(held, lines)


def units(data: bytes, made_of: Unit) -> list[bytes]:
    """The units of a piece; together they are the piece."""
    if made_of is Unit.sentence:
        ends = [match.end() for match in _EMPTY_LINE.finditer(data)]
    elif made_of is Unit.tree:
        ends = _tree_ends(data)
    elif made_of is Unit.whole:
        ends = []
    else:
        ends = [match.end() for match in _LINE_END.finditer(data)]
    bounds = [0, *ends, len(data)]
    return [data[a:b] for a, b in pairwise(bounds) if a < b]


def _told(unit: Made, start: bytes) -> Unit:
    return unit if isinstance(unit, Unit) else unit(start)


def _is_complete(held: bytes, line: bytes, made_of: Unit) -> bool:
    if made_of is Unit.sentence:
        return not line.strip()
    if made_of is Unit.tree:
        return bool(held.strip()) and held.count(b"(") <= held.count(b")")
    return made_of is not Unit.whole


def _last_end(data: bytes, begin: int, made_of: Unit) -> int:
    """Where the last whole unit ends, 0 if there is none."""
    if made_of is Unit.whole:
        return 0
    if made_of is Unit.line:
        return data.rfind(b"\n") + 1
    if made_of is Unit.tree:
        ends = _tree_ends(data)
        return ends[-1] if ends else 0
    if made_of is Unit.text:
        return data.rfind(b"\n") + 1 or data.rfind(b" ") + 1
    window = max(begin - 64, 0)  # an end may lie across two readings
    last = 0
    for edge in range(len(data), window, -(1 << 16)):
        low = max(edge - (1 << 16) - 64, window)
        for match in _EMPTY_LINE.finditer(data, low, edge):
            last = match.end()
        if last:
            break
    return last


def _tree_ends(data: bytes) -> list[int]:
    """Behind every bracket that closes a tree."""
    import numpy as np  # here, since help needs none

    found = np.frombuffer(data, np.uint8)
    at = np.flatnonzero((found == ord("(")) | (found == ord(")")))
    depth = np.cumsum(np.where(found[at] == ord("("), 1, -1))
    ends: list[int] = (at[depth == 0] + 1).tolist()
    return ends
