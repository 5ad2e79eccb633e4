"""Phrase tables and reordering tables in the text form of Moses.

    source words ||| target words ||| probabilities ||| links 0-0 1-1 ||| counts of target, source, both ||| |||
    source words ||| target words ||| probabilities of orientations

Every line is checked; what is wrong is said with its number. Probabilities are written with as many digits as give
the same logarithm again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from palmette._native import MosesTable, MosesWriter
from palmette.errors import FormatError
from palmette.formats.files import Source, display_name, read_bytes, write_atomically

_PHRASES = 20_000  # source phrases written at a time
_SHOWN = 1 << 16  # bytes that show what kind of table it is
_LABELLED = re.compile(r"\S.*\s\[([^\s\[\]]+)\]")
_LABEL = re.compile(r"\[[^\s\[\],]+\]")


def read_moses_tables(source: Source, reordering: Source | None = None) -> MosesTable:
    """Return the content of a phrase table and of its reordering table, gzipped or not."""
    table = MosesTable()
    for path, read in ((source, table.read), (reordering, table.read_reordering)):
        if path is None:
            continue
        data = read_bytes(path)
        if path is source and _has_rules(data):
            raise FormatError(
                "expected phrase pairs, got rules of a grammar: they are for a method of rules, such as 'hiero'",
                path=display_name(path),
                line=1,
            )
        line, fault = read(np.frombuffer(data, np.uint8))
        if line:
            raise FormatError(fault, path=display_name(path), line=line)
    return table


def _has_rules(data: bytes) -> bool:
    """Whether every line of the beginning is a rule of a synchronous grammar, as Moses, Joshua or cdec write it.

    A phrase may end in a word such as [X], so one line with such words does not make a table of rules.
    """
    lines = data[:_SHOWN].decode(errors="replace").splitlines()
    if len(data) > _SHOWN:
        del lines[-1:]  # which may be cut
    rows = [[field.strip() for field in line.split("|||")] for line in lines if line.strip()]
    if not rows or min(map(len, rows)) < 3:
        return False
    labels_first = all(len(row) > 3 and _LABEL.fullmatch(row[0]) for row in rows)
    return all(map(_is_rule, rows)) or (labels_first and not all(_is_scores(row[2]) for row in rows))


def _is_rule(fields: list[str]) -> bool:
    found = [_LABELLED.fullmatch(field) for field in fields[:2]]
    labels = {one[1] for one in found if one}
    return all(found) and (len(labels) == 1 or "X" in labels)


def _is_scores(field: str) -> bool:
    try:
        return bool([float(one) for one in field.split()])
    except ValueError:
        return False


def write_moses_table(writer: MosesWriter, target: Source, *, reordering: bool = False) -> None:
    """Write a phrase table, or its reordering table, beside the target first; gzipped for *.gz."""
    with write_atomically(target) as file:
        for piece in moses_lines(writer, reordering=reordering):
            file.write(piece)


def moses_lines(writer: MosesWriter, *, reordering: bool = False) -> Iterator[bytes]:
    """Yield the lines of a table, those of some thousand source phrases at a time."""
    for begin in range(0, writer.size, _PHRASES):
        yield writer.lines(begin, min(begin + _PHRASES, writer.size), reordering)
