"""Counting within a given memory: parts of the text are counted one after another, and their counts, sorted, wait
on disk until they are merged. The files have no names, so that nothing is left of them however the process ends.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from typing import IO, Any

import numpy as np

from palmette._native import NgramCounts, NgramText
from palmette.formats.model.safetensors import Array

# What a model needs while it is made, measured: plain arrays, packed ones, and the table of the hashed layout.
BYTES_PER_NGRAM = {"trie": 40, "hashed": 66}
_ALWAYS = 80 << 20  # of the interpreter, NumPy and this package
_BYTES_PER_TOKEN = 60  # of counting a part, besides its n-grams
_NGRAMS_PER_TOKEN = 0.6  # of each order, at most, in texts of some length
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?", re.IGNORECASE)


def bytes_of(size: int | str) -> int:
    """A number of bytes as people write it.

    >>> bytes_of("500M"), bytes_of("1.5g"), bytes_of(1000)
    (500000000, 1500000000, 1000)
    """
    if isinstance(size, str):
        found = _SIZE.fullmatch(size.strip())
        if not found:
            raise ValueError(f"memory must be a number of bytes, as in 500M or 2G, not {size!r}")
        size = int(float(found[1]) * 1000 ** " kmgt".index(found[2].lower() or " "))
    if size < 1:
        raise ValueError(f"memory must be at least one byte, not {size}")
    return size


def check_memory(n_ngrams: int, bytes_per_ngram: int, memory: int) -> None:
    """MemoryError unless a model of this many n-grams can be made in this memory."""
    need = n_ngrams * bytes_per_ngram + _ALWAYS
    if need > memory:
        raise MemoryError(
            f"for {n_ngrams:,} n-grams: about {need / 1e6:,.0f} MB are needed, "
            f"{memory / 1e6:,.0f} MB are allowed; allow more, take a lower order, or the smaller trie layout"
        )


def count_in_parts(text: NgramText, order: int, memory: int | None, n_jobs: int = 1) -> NgramCounts:
    """The counts of a whole text, which is forgotten. Parts are as large as the memory lets them be."""
    n = text.n_tokens
    per_token = _BYTES_PER_TOKEN + 24 * _NGRAMS_PER_TOKEN * order
    room = n if memory is None else max(int((memory - _ALWAYS - 4 * n) / per_token), min(n, 10_000))
    if room >= n:
        counts = text.count(order, 0, n, n_jobs)
        text.clear()
        return counts
    runs: list[IO[bytes]] = []
    try:
        for first, last in _parts(text, n, room):
            file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  (closed below, all together)
            runs.append(file)
            _write(file, text.count(order, first, last, n_jobs))
        utf8, offsets = text.words()
        text.clear()
        counts = _read(runs.pop(0), utf8, offsets)
        while runs:
            counts.merge(_read(runs.pop(0), utf8, offsets), n_jobs)
        return counts
    finally:
        for run in runs:
            run.close()


def _parts(text: NgramText, n: int, room: int) -> Iterator[tuple[int, int]]:
    first = 0
    while first < n:
        last = text.sentence_end(min(first + room, n) - 1)
        yield first, last
        first = last


def _write(file: IO[bytes], counts: NgramCounts) -> None:
    for level in counts.arrays():
        for array in level:
            file.write(len(array).to_bytes(8, "little"))
            file.write(array.astype("<u4", copy=False).data)
    file.flush()


def _read(file: IO[bytes], utf8: Array, offsets: Array) -> NgramCounts:
    file.seek(0)
    levels: list[Any] = []
    while True:
        parts = []
        for _ in range(3):
            head = file.read(8)
            if not head:
                break
            parts.append(np.fromfile(file, "<u4", int.from_bytes(head, "little")))
        if not parts:
            break
        levels.append(tuple(parts))
    file.close()
    return NgramCounts.from_arrays(utf8, offsets, levels)
