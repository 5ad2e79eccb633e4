"""Phrase tables and reordering tables in the text form of Moses.

    source words ||| target words ||| probabilities ||| links 0-0 1-1 ||| counts of target, source, both ||| |||
    source words ||| target words ||| probabilities of orientations

Every line is checked; what is wrong is said with its number. Probabilities are written with as many digits as give
the same logarithm again.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from palmette._native import MosesTable, MosesWriter
from palmette.errors import FormatError
from palmette.formats.files import Source, display_name, read_bytes, write_atomically

_PHRASES = 20_000  # source phrases written at a time


def read_moses_tables(source: Source, reordering: Source | None = None) -> MosesTable:
    """Return the content of a phrase table and of its reordering table, gzipped or not."""
    table = MosesTable()
    for path, read in ((source, table.read), (reordering, table.read_reordering)):
        if path is None:
            continue
        line, fault = read(np.frombuffer(read_bytes(path), np.uint8))
        if line:
            raise FormatError(fault, path=display_name(path), line=line)
    return table


def write_moses_table(writer: MosesWriter, target: Source, *, reordering: bool = False) -> None:
    """Write a phrase table, or its reordering table, beside the target first; gzipped for *.gz."""
    with write_atomically(target) as file:
        for piece in moses_lines(writer, reordering=reordering):
            file.write(piece)


def moses_lines(writer: MosesWriter, *, reordering: bool = False) -> Iterator[bytes]:
    """Yield the lines of a table, those of some thousand source phrases at a time."""
    for begin in range(0, writer.size, _PHRASES):
        yield writer.lines(begin, min(begin + _PHRASES, writer.size), reordering)
