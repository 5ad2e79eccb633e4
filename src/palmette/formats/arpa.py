"""ARPA files, the text form of backoff language models that all toolkits read and write.

Reading checks every line; what is wrong is said with its number. Numbers are written with as many digits as give
them again, so that a model that was written and read is the same.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from palmette._native import NgramPlain
from palmette.errors import FormatError
from palmette.formats.files import Source, display_name, is_standard, read_bytes, write_atomically

_LINES = 1 << 17  # written at a time


def read_arpa(source: Source) -> NgramPlain:
    """The model in an ARPA file, gzipped or not; FormatError says where it is wrong, and what is.

    A model without <unk> gives unknown words no probability. N-grams whose first or last words are not in the file
    as an n-gram of their own get that one, with the probability that it has anyway.
    """
    name = display_name(source)
    plain, line, fault = NgramPlain.from_arpa(_content(source))
    if fault:
        raise FormatError(fault, path=name, line=line)
    return plain


def write_arpa(model: NgramPlain, target: Source) -> None:
    """Write an ARPA file, beside the target first; gzipped for *.gz."""
    with write_atomically(target) as file:
        for piece in arpa_pieces(model):
            file.write(piece)


def arpa_pieces(model: NgramPlain) -> Iterator[bytes]:
    """An ARPA file piece by piece."""
    yield model.arpa_head().encode()
    for level, size in enumerate(model.sizes):
        yield f"\n\\{level + 1}-grams:\n".encode()
        for first in range(0, size, _LINES):
            yield model.arpa_lines(level, first, min(first + _LINES, size))
    yield b"\n\\end\\\n"


def _content(source: Source) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    """The bytes of the file: mapped if they are stored as they are."""
    if not is_standard(source):
        with Path(source).open("rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
            if not packed and file.seek(0, 2):
                return np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)
    return np.frombuffer(read_bytes(source), np.uint8)
