"""A table of strings as two arrays: all the text in UTF-8, and where each string begins.

String i is `utf8[offsets[i]:offsets[i + 1]]`, so a table of n strings has n + 1 offsets. A table read
from a model stays in the file: a string is decoded when it is asked for, and native code can take the two
arrays as they are.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import overload

import numpy as np

from palmette.formats.model.safetensors import Array

_CHUNK = 1 << 20  # bytes of text checked at a time


class StringTable(Sequence[str]):
    """An immutable sequence of strings; ValueError if the arrays are not one.

    >>> table = StringTable.of(["Zeit", "fließt"])
    >>> table[1], len(table), table.offsets.tolist()
    ('fließt', 2, [0, 4, 11])

    Checking costs one pass over the text; after that a string costs its own length.
    """

    def __init__(self, utf8: Array, offsets: Array) -> None:
        _check(utf8, offsets)
        self.utf8 = utf8
        self.offsets = offsets

    @classmethod
    def of(cls, strings: Iterable[str]) -> StringTable:
        """The table of the given strings, in their order."""
        encoded = [_encode(string) for string in strings]
        utf8 = np.frombuffer(b"".join(encoded), np.uint8)
        return cls(utf8, np.fromiter(accumulate(map(len, encoded), initial=0), "<i8"))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        i = range(len(self))[index]
        return self.utf8[self.offsets[i] : self.offsets[i + 1]].tobytes().decode()

    def __iter__(self) -> Iterator[str]:
        text = self.utf8.tobytes()
        for begin, end in pairwise(self.offsets.tolist()):
            yield text[begin:end].decode()

    def __repr__(self) -> str:
        return f"<StringTable of {len(self):,} strings>"


def _encode(string: str) -> bytes:
    try:
        return string.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"the string {string!r} is not valid Unicode") from error


def _check(utf8: Array, offsets: Array) -> None:
    if utf8.dtype != np.uint8 or utf8.ndim != 1 or offsets.dtype != np.dtype("<i8") or offsets.ndim != 1:
        raise ValueError("a string table is one row of bytes and one row of 64-bit offsets")
    if not len(offsets) or offsets[0] != 0 or offsets[-1] != len(utf8) or (offsets[1:] < offsets[:-1]).any():
        raise ValueError(f"the offsets do not cut the {len(utf8):,} bytes of text into strings")
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for begin in range(0, len(utf8), _CHUNK):
            decoder.decode(utf8[begin : begin + _CHUNK].data)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        raise ValueError("the text is not valid UTF-8") from error
    # Text that is valid as a whole is valid in parts if no part begins inside a character.
    begins = offsets[offsets < len(utf8)]
    if ((utf8[begins] & 0xC0) == 0x80).any():
        raise ValueError("a string begins inside a character")
