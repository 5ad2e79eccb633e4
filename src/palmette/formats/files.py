"""Files in and out: gzip and standard streams are transparent, and nothing is ever left half written."""

from __future__ import annotations

import gzip
import os
import stat
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TypeAlias

from palmette.formats.errors import FormatError

Source: TypeAlias = str | os.PathLike[str]  # a path, or "-" for the standard stream

_GZIP_MAGIC = b"\x1f\x8b"


def read_bytes(source: Source) -> bytes:
    """The whole content of a file, or of standard input for "-"; unpacked if it is gzipped."""
    data = standard_input().read() if is_standard(source) else Path(source).read_bytes()
    if not data.startswith(_GZIP_MAGIC):
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise FormatError(f"damaged gzip file ({error})", path=display_name(source)) from error


def read_text(source: Source) -> str:
    """The content as text, which must be UTF-8."""
    data = read_bytes(source)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"byte {error.start} of the file is not UTF-8"
        raise FormatError(message, path=display_name(source), line=line) from None


def as_bytes(text: str | bytes) -> bytes:
    """Text as the parsers take it; what is no character in it they find, and name its line."""
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text


@contextmanager
def write_atomically(target: Source) -> Iterator[BinaryIO]:
    """A binary file that takes the place of `target` only when the block ends well; gzipped for `*.gz`.

    It is written beside `target` and renamed, so a reader sees the old file or the new one, never a part.
    """
    if is_standard(target):
        output = _standard_output()
        yield output
        output.flush()
        return
    if Path(target).exists() and not Path(target).is_file():
        # A device or a pipe cannot be replaced; a directory says so itself.
        with Path(target).open("wb") as file:
            yield file
        return
    path = Path(os.path.realpath(target))  # a link stays a link; what it points to is replaced
    try:
        descriptor, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    except OSError as error:
        error.filename = str(target)  # the name the user knows
        raise
    try:
        with os.fdopen(descriptor, "wb") as raw:
            if Path(target).suffix == ".gz":
                # No name and no time in the header: the same content gives the same bytes.
                with gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0) as packed:
                    yield packed  # type: ignore[misc]
            else:
                yield raw
            raw.flush()
            os.fsync(raw.fileno())
        Path(beside).chmod(stat.S_IMODE(path.stat().st_mode) if path.exists() else _mode_of_new_files())
        Path(beside).replace(path)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


def is_standard(source: Source) -> bool:
    """Whether a source names the standard stream."""
    return source == "-"


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


def _mode_of_new_files() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
