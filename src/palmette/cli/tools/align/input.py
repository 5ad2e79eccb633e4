"""Sentence pairs of the command line: two files, or one, whole or piece by piece."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import islice
from typing import BinaryIO

from palmette.cli.tools.parallel_text import pair_files
from palmette.errors import FormatError, UsageError
from palmette.formats.batches import Unit
from palmette.formats.files import Source, display_name, opened
from palmette.formats.pharaoh import GoldAlignment, read_pharaoh
from palmette.formats.reading import Errors, Reading
from palmette.messages import counted
from palmette.tools.alignment.text import (
    PairFormat,
    ParallelText,
    check_lengths,
    guess_pair_format,
    parse_pairs,
    parse_side,
    read_pairs,
)

_BYTES_AT_ONCE = 1 << 19


def all_pairs(
    source: str | None, target: str | None, file: str | None, format: PairFormat | None
) -> ParallelText:
    """The pairs of --source and --target, or of one file."""
    first, second = pair_files(source, target, file)
    return read_pairs(first, second, format=format)


def pair_batches(
    source: str | None, target: str | None, file: str | None, format: PairFormat | None, reading: Reading
) -> Iterator[ParallelText]:
    """The same, some at a time, so that a text of any size can be aligned."""
    first, second = pair_files(source, target, file)
    if second is not None and format is not None:
        raise UsageError("--format applies to pairs in one file; two files have one sentence per line")
    return _pieces(first, format, reading) if second is None else _pieces_of_two(first, second, reading)


def _pieces(path: Source, format: PairFormat | None, reading: Reading) -> Iterator[ParallelText]:
    name = display_name(path)
    for batch in reading.batches(path, _BYTES_AT_ONCE, unit=Unit.line):
        if format is None and batch.data.strip():
            format = guess_pair_format(batch.data, path=name)
        yield parse_pairs(batch.data, format, path=name, lines_before=batch.lines_before)


def _pieces_of_two(source: Source, target: Source, reading: Reading) -> Iterator[ParallelText]:
    names, before = (display_name(source), display_name(target)), 0
    with ExitStack() as stack:
        first, second = (stack.enter_context(opened(path)) for path in (source, target))
        while True:
            left = list(islice(first, 1)) if reading.line_buffered else first.readlines(_BYTES_AT_ONCE)
            right = list(islice(second, len(left) or 1))
            if len(left) != len(right):
                n_left, n_right = len(left) + _rest(first), len(right) + _rest(second)
                check_lengths(before + n_left, before + n_right, *names)
            if not left:
                return
            for lines, name in zip((left, right), names):
                reading.check(b"".join(lines), name, before)
            pairs = list(_cleaned(zip(left, right), reading))
            sides = [
                parse_side(b"".join(part), path=name, lines_before=before)
                for part, name in zip(zip(*pairs), names)
            ]
            if sides:
                yield ParallelText(*sides)
            before += len(left)


def _cleaned(pairs: Iterable[tuple[bytes, bytes]], reading: Reading) -> Iterator[tuple[bytes, bytes]]:
    """The lines of both files without those bytes that are to be replaced, or without pairs that have some."""
    for left, right in pairs:
        if not (reading.is_bad(left) or reading.is_bad(right)):
            yield left, right
        elif reading.errors is Errors.replaced:
            yield reading.replace(left), reading.replace(right)
        else:
            reading.skip("pair")


def _rest(file: BinaryIO) -> int:
    return sum(1 for _ in file)


def gold_of(path: Source, text: ParallelText) -> list[GoldAlignment]:
    """The right links of a file for a text; FormatError if they do not fit it."""
    gold = read_pharaoh(path)
    if len(gold) != len(text):
        raise FormatError(
            f"expected {counted(len(text), 'alignment')}, one for each sentence pair; got {len(gold):,}",
            path=display_name(path),
        )
    for number, (links, (source, target)) in enumerate(zip(gold, text), 1):
        for i, j in sorted(links.possible):
            if i >= len(source) or j >= len(target):
                raise FormatError(
                    f"the link {i}-{j} in a pair of {len(source)} and {len(target)} words; links "
                    "count from 0",
                    path=display_name(path),
                    line=number,
                )
    return gold
