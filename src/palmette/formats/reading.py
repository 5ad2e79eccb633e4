"""How input is read for prediction: what becomes of bytes that are not text, how much at a time, who follows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple, TypeAlias

from palmette.errors import FormatError
from palmette.formats.batches import Batch, Made, Unit, batches, units
from palmette.formats.files import Source, display_name

_UNKNOWN = "\ufffd".encode()


class Errors(StrEnum):
    """What to do with input that has a NUL or bytes that are not UTF-8."""

    strict = "strict"
    replaced = "replace"
    skip = "skip"


Follow: TypeAlias = Callable[[int | None], Callable[[float], None]]


class Lines(NamedTuple):
    """Some lines of a file without their ends, and the number of the first, from 1."""

    lines: list[str]
    first: int


@dataclass
class Reading:
    """The manner of reading, and a count of what was replaced or skipped.

    errors: strict refuses a NUL, and leaves bytes that are not UTF-8 to the parsers, which refuse them; replace
    puts U+FFFD in the place of each; skip leaves out the sentence, line or tree that has one. line_buffered: give
    every unit as soon as it is complete. follow: called with the size of a file, or None, gives a function to call
    with every number of bytes that was read. longest: the most words of a sentence, None for any.
    """

    errors: Errors = Errors.strict
    line_buffered: bool = False
    follow: Follow | None = None
    longest: int | None = None
    replaced: int = 0
    skipped: dict[str, int] = field(default_factory=dict)

    def batches(self, source: Source, size: int | None = None, *, unit: Made) -> Iterator[Batch]:
        """The pieces of a file, as `palmette.formats.batches.batches` gives them, without bad bytes."""
        made_of = unit if isinstance(unit, Unit) else Unit.sentence

        def told(start: bytes) -> Unit:
            nonlocal made_of
            made_of = unit if isinstance(unit, Unit) else unit(start)
            return made_of

        path = display_name(source)
        advance = None if self.follow is None else self.follow(_size(source))
        for batch in self.pieces(source, size, unit if isinstance(unit, Unit) else told):
            self.check(batch.data, path, batch.lines_before)
            yield from self._cleaned(batch, made_of)
            if advance is not None:
                advance(len(batch.data))

    def pieces(self, source: Source, size: int | None, unit: Made) -> Iterator[Batch]:
        """The pieces of a file as they are."""
        return batches(source, size, unit=unit, each=self.line_buffered)

    def lines(self, source: Source, size: int | None = None) -> Iterator[Lines]:
        """The lines of a file, some at a time; FormatError for what is not UTF-8."""
        path = display_name(source)
        for batch in self.batches(source, size, unit=Unit.line):
            text = decoded(batch.data, path, batch.lines_before)
            if self.longest is not None:
                for line in text.split("\n"):
                    self.check_length(len(line.split()))
            yield Lines(text.removesuffix("\n").split("\n"), batch.lines_before + 1)

    def check(self, data: bytes, path: str, lines_before: int = 0) -> None:
        """Raise FormatError with the line of the first NUL, if errors are strict.

        Bytes before it that are not UTF-8 are left to the parsers, which say more about them: such as that the
        file is UTF-16.
        """
        if self.errors is not Errors.strict or (at := data.find(b"\0")) < 0 or not _is_text(data[:at]):
            return
        line = data.count(b"\n", 0, at) + 1 + lines_before
        message = "NUL byte in text: remove it, or predict with --errors replace or --errors skip"
        raise FormatError(message, path=path, line=line)

    def check_length(self, words: int) -> None:
        """Raise ValueError if a sentence has more words than it may have."""
        if self.longest is not None and words > self.longest:
            raise ValueError(f"a sentence has {words:,} words; at most {self.longest:,} are allowed")

    def is_bad(self, data: bytes) -> bool:
        """Whether there are bytes that have to be replaced or skipped; never if errors are left to the parsers."""
        return self.errors is not Errors.strict and not _is_text(data)

    def replace(self, data: bytes) -> bytes:
        """Return the bytes with U+FFFD in the place of what is not text."""
        before = data.count(_UNKNOWN)
        clean = data.decode("utf-8", "replace").replace("\0", "\ufffd").encode()
        self.replaced += clean.count(_UNKNOWN) - before
        return clean

    def skip(self, noun: str) -> None:
        """Count one thing that is left out."""
        self.skipped[noun] = self.skipped.get(noun, 0) + 1

    def summary(self) -> str | None:
        """What was replaced and skipped, in a sentence."""
        found = [
            f"skipped {n:,} {noun if n == 1 else noun + 's'} with bytes that are not UTF-8 text"
            for noun, n in self.skipped.items()
        ]
        if self.replaced:
            places = "place" if self.replaced == 1 else "places"
            found.append(f"put U+FFFD into {self.replaced:,} {places} where bytes are not UTF-8 text")
        return "; ".join(found) or None

    def _cleaned(self, batch: Batch, made_of: Unit) -> Iterator[Batch]:
        if not self.is_bad(batch.data):
            yield batch
            return
        if self.errors is Errors.replaced:
            yield Batch(self.replace(batch.data), batch.lines_before)
            return
        good, lines = [], batch.lines_before
        begin = lines  # of what is good
        for data in units(batch.data, made_of):
            after = lines + data.count(b"\n")
            if _is_text(data):
                good.append(data)
            else:
                self.skip("line" if made_of is Unit.text else made_of.value)
                if good:
                    yield Batch(b"".join(good), begin)
                good, begin = [], after
            lines = after
        if good:
            yield Batch(b"".join(good), begin)


def decoded(data: bytes, path: str, lines_before: int = 0) -> str:
    """The text of a piece of a file; FormatError with the line of the first byte that is not UTF-8."""
    try:
        return data.decode("utf-8-sig" if not lines_before else "utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1 + lines_before
        message = f"byte 0x{data[error.start]:02x} is not UTF-8: save the file as UTF-8"
        raise FormatError(f"{message}, or predict with --errors replace", path=path, line=line) from None


def _is_text(data: bytes) -> bool:
    if b"\0" in data:
        return False
    if data.isascii():
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _size(source: Source) -> int | None:
    path = Path(source)
    return path.stat().st_size if path.is_file() and path.suffix != ".gz" else None
