"""What callers hand in, made into something that can be counted and looped over again.

Every verb of every tool, and every writer, begins here. Lists and tuples stay as they are; iterators, generators,
arrays of objects, columns of data frames and other iterables become lists. Refused is what has no order (sets,
mappings) and what is one item (a string).
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np

from palmette.errors import FormatError
from palmette.formats.files import Content, Source, display_name, is_standard


def is_path(given: Any) -> TypeGuard[Source]:
    """Whether the input is the path of a file."""
    return isinstance(given, (str, os.PathLike))


def existing(path: Source, instead: str) -> Source:
    """Return the path of a file that is there; FileNotFoundError if it is not.

    instead: how to give the input without a file, for those who meant the string itself.
    """
    if not isinstance(path, Content) and not is_standard(path) and not Path(path).exists():
        raise FileNotFoundError(errno.ENOENT, f"No such file (a string names a file; {instead})", str(path))
    return path


def listed(given: Any, noun: str) -> Sequence[Any]:
    """Return the input as a sequence; TypeError if it is not many items in an order.

    noun: what the items are, for the message.

    >>> listed((word for word in ["a", "b"]), "Words")
    ['a', 'b']
    """
    if isinstance(given, (list, tuple)):
        return given
    check_many(given, noun)
    if isinstance(given, np.ndarray):
        return given.tolist() if given.dtype.kind in "OUST" else list(given)
    return given if isinstance(given, Sequence) else list(given)


def check_many(given: Any, noun: str) -> None:
    """Raise TypeError if the input is not many items in an order."""
    if hasattr(given, "iloc") and hasattr(given, "columns"):
        raise TypeError(f"{noun} must be one column of a data frame. Got the whole {type(given).__name__}.")
    refused = isinstance(given, (str, bytes, bytearray, Mapping, set, frozenset))
    if refused or not isinstance(given, Iterable) or getattr(given, "shape", None) == ():
        raise TypeError(
            f"{noun} must be a list or another iterable with an order. Got {type(given).__name__}."
        )


def listed_rows(given: Any, noun: str) -> Sequence[Any]:
    """Return the input as a sequence of rows (sentences, labels of sentences), iterators among these as lists."""
    rows = listed(given, noun)
    if any(_is_fleeting(row) for row in rows):
        return [_kept(row) for row in rows]
    return rows


def listed_labels(y: Any) -> Sequence[Any] | None:
    """Return the labels of sentences as a sequence; None stays None."""
    return None if y is None else listed_rows(y, "Labels")


@contextmanager
def naming(given: Any) -> Iterator[None]:
    """Inside, a FormatError about input that was given as a path names that file."""
    try:
        yield
    except FormatError as error:
        if error.path is not None or not is_path(given):
            raise
        raise FormatError(error.message, path=display_name(given), line=error.line) from error


def _is_fleeting(row: Any) -> bool:
    """Whether a row can be read only once, or is an array of strings, whose items are not plain strings."""
    if isinstance(row, (list, tuple, str)):
        return False
    return isinstance(row, Iterator) or (isinstance(row, np.ndarray) and row.dtype.kind in "OUST")


def _kept(row: Any) -> Any:
    if not _is_fleeting(row):
        return row
    return row.tolist() if isinstance(row, np.ndarray) else list(row)
