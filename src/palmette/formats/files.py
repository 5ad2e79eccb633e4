"""Files in and out: gzip and standard streams are transparent, and nothing is ever left half written."""

from __future__ import annotations

import errno
import gzip
import io
import os
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from palmette.errors import FormatError
from palmette.formats.replacement import NamedFile, Replacement, named

Source: TypeAlias = str | os.PathLike[str]  # a path, or "-" for the standard stream

_GZIP_MAGIC = b"\x1f\x8b"


class Content(os.PathLike[str]):
    """Bytes that are read like a file, for input that was never one. They are taken as they are, not unpacked.

    Its path is a name that no system can open, so that nothing but these bytes is ever read.
    """

    def __init__(self, data: bytes, name: str = "the input") -> None:
        self.data, self.name = data, name

    def __fspath__(self) -> str:
        return "\0"

    def __str__(self) -> str:
        return self.name


def read_bytes(source: Source) -> bytes:
    """The whole content of a file, or of standard input for "-"; unpacked if it is gzipped."""
    if isinstance(source, Content):
        return source.data
    data = standard_input().read() if is_standard(source) else Path(source).read_bytes()
    if not data.startswith(_GZIP_MAGIC):
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise _damaged(error, display_name(source)) from error


def read_text(source: Source) -> str:
    """The content as text, which must be UTF-8."""
    data = read_bytes(source)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"byte {error.start} of the file is not UTF-8"
        raise FormatError(message, path=display_name(source), line=line) from None


def read_lines(source: Source) -> list[str]:
    """The lines of a text without their ends; a line ends with a line feed, after a carriage return or not."""
    lines = read_text(source).split("\n")
    if not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def as_bytes(text: str | bytes) -> bytes:
    """Return text as the parsers take it; they find what is not a character in it, and name its line."""
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text


@contextmanager
def opened(source: Source) -> Iterator[BinaryIO]:
    """The bytes of a file, or of standard input for "-", as they come; unpacked if the file is gzipped."""
    if isinstance(source, Content):
        yield io.BytesIO(source.data)
        return
    given: Any
    with nullcontext(standard_input()) if is_standard(source) else Path(source).open("rb") as given:
        raw = given if hasattr(given, "peek") else io.BufferedReader(given)
        if raw.peek(2)[:2] == _GZIP_MAGIC:
            with io.BufferedReader(_Unpacked(raw, display_name(source)), 1 << 17) as unpacked:
                yield unpacked
        else:
            yield raw


class _Unpacked(io.RawIOBase):
    """The content of a gzipped stream; FormatError where it is damaged or ends too soon."""

    def __init__(self, packed: BinaryIO, path: str) -> None:
        self._content = gzip.GzipFile(fileobj=packed, mode="rb")
        self._path = path

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            return self._content.readinto(buffer)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise _damaged(error, self._path) from error


def _damaged(error: Exception, path: str) -> FormatError:
    return FormatError(f"damaged gzip file ({error})", path=path)


@contextmanager
def write_atomically(target: Source) -> Iterator[BinaryIO]:
    """A binary file that takes the place of `target` only when the block ends well; gzipped for `*.gz`.

    It is written out of sight and put in place in one step, so a reader sees the old file or the new one, never
    a part. A file without permission to write stays as it is (PermissionError).
    """
    if is_standard(target):
        output = _standard_output()
        yield output
        output.flush()
        return
    if Path(target).exists() and not Path(target).is_file():
        # A device or a pipe cannot be replaced; a directory says so itself.
        with io.BufferedWriter(NamedFile(str(target), str(target))) as file:
            yield file
        return
    check_writable(target)
    new = Replacement(_followed(target), str(target))
    try:
        if Path(target).suffix == ".gz":
            # No name and no time in the header: the same content gives the same bytes.
            with gzip.GzipFile(filename="", fileobj=new.file, mode="wb", mtime=0) as packed:
                yield packed  # type: ignore[misc]
        else:
            yield new.file
        new.commit()
    except BaseException:
        new.discard()
        raise


def _followed(target: Source) -> Path:
    """Where a link leads: it stays a link, and what it points to is replaced."""
    try:
        return Path(os.path.realpath(target))
    except OSError as error:  # the working directory is gone
        raise named(error, str(target)) from None


def check_writable(target: Source) -> None:
    """Raise OSError if `write_atomically` could not write there; better before long work than after it."""
    if is_standard(target):
        return
    path, beside = Path(target), _followed(target).parent
    if path.is_dir():
        fault = errno.EISDIR
    elif not beside.is_dir():
        fault = errno.ENOTDIR if beside.exists() else errno.ENOENT
    elif path.is_file() and (not path.stat().st_mode & 0o222 or not os.access(path, os.W_OK)):
        reason = "this file is read-only and is not replaced: make it writable (chmod u+w), or name another"
        raise PermissionError(errno.EACCES, reason, str(target))
    elif not os.access(beside if path.is_file() or not path.exists() else path, os.W_OK):
        fault = errno.EACCES
    else:
        return
    advice = ": make its folder first" if fault == errno.ENOENT else ""
    raise OSError(fault, os.strerror(fault) + advice, str(target))


def check_not_read(target: Source, inputs: Iterable[object]) -> None:
    """Raise ValueError if `target` is a file among `inputs`: writing would destroy what is read.

    Inputs that are not names of files, or name none, are passed over; lists of names are looked into.
    """
    if is_standard(target) or not Path(target).is_file():
        return
    for given in inputs:
        for one in given if isinstance(given, list | tuple) else [given]:
            if isinstance(one, str | Path) and one != "-" and _is_same(one, target):
                raise ValueError(
                    f"{target}: this file is read, and the output would replace it: name another"
                )


def _is_same(one: Source, other: Source) -> bool:
    try:
        return Path(one).samefile(other)
    except (OSError, ValueError):  # such as the text of a sentence
        return False


def is_standard(source: Source) -> bool:
    """Whether a source names the standard stream."""
    return os.fspath(source) == "-"


def display_name(source: Source) -> str:
    """How messages call a source."""
    return "<standard input>" if is_standard(source) else str(source)


def standard_input() -> BinaryIO:
    """The bytes of standard input; OSError if it is closed."""
    if sys.stdin is None:
        raise OSError("standard input is closed")
    return sys.stdin.buffer


def _standard_output() -> BinaryIO:
    if sys.stdout is None:
        raise OSError("standard output is closed")
    return sys.stdout.buffer
