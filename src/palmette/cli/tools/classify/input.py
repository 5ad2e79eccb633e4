"""Examples for a classifier from files: a line each, columns between tabs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from palmette.errors import FormatError, UsageError
from palmette.formats.files import display_name, read_text
from palmette.formats.reading import Reading
from palmette.messages import counted

USUAL = ("label", "text")


@dataclass(frozen=True)
class Lines:
    """The lines of a file, each cut into its columns; path: for messages."""

    path: str
    lines: list[str]
    rows: list[list[str]]


def kinds_of(text: str | None, source: str, lines: Sequence[str]) -> tuple[str, ...]:
    """The columns that --columns names, or those of a file that needs no naming."""
    if text is not None:
        kinds = tuple(kind.strip() for kind in text.split(","))
        if "label" not in kinds:
            raise UsageError(f"--columns {text}: one of them must be label")
        return kinds
    n = max((line.count("\t") for line in lines[:1]), default=0) + 1
    if n > 2:
        raise UsageError(
            f"{display_name(source)} has {counted(n, 'column')}: specify their types, as in --columns label,-,text"
        )
    return USUAL


def read_lines(source: str) -> list[str]:
    """The lines of a file that are not empty at its end."""
    lines = read_text(source).split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def line_batches(source: str, reading: Reading, at_once: int) -> Iterator[tuple[int, list[str]]]:
    """Some lines at a time, with the number of the first; empty lines at the end of the file are left out."""
    empty: list[str] = []
    for lines, first in reading.lines(source):
        given = [line.removesuffix("\r") for line in lines]
        n = len(given)
        while n and not given[n - 1].strip():
            n -= 1
        if n:
            first -= len(empty)
            filled, empty = [*empty, *given[:n]], []
            for at in range(0, len(filled), at_once):
                yield first + at, filled[at : at + at_once]
        empty += given[n:]


def cut(
    lines: Sequence[str], source: str, columns: Sequence[str], *, labelled: bool, first: int = 1
) -> Lines:
    """Return the lines as rows that have a field for every column. first: the number of the first line.

    Where a label may be missing, the field is empty if it is; and so may be the columns that are not looked at. A
    line of label and text may have a space for the tab, but where the label may be missing it is all text.
    """
    path = display_name(source)
    at = columns.index("label") if "label" in columns else None
    used = [i for i, kind in enumerate(columns) if kind not in ("label", "-")]
    rows = []
    for number, line in enumerate(lines, first):
        row = line.split("\t")
        if len(row) == 1 and tuple(columns) == USUAL and labelled:
            row = line.split(None, 1) if len(line.split(None, 1)) == 2 else [line.strip(), ""]
        if len(row) == len(columns) - 1 and at is not None and not labelled:
            row.insert(at, "")
        elif len(row) == len(used) and not labelled:
            fields = dict(zip(used, row))
            row = [fields.get(i, "") for i in range(len(columns))]
        if len(row) != len(columns):
            raise FormatError(
                f"expected {counted(len(columns), 'column')} ({','.join(columns)}), got {len(row)}",
                path=path,
                line=number,
            )
        if labelled and at is not None and not row[at].strip():
            raise FormatError("expected a label; the line has none", path=path, line=number)
        rows.append(row)
    return Lines(path, list(lines), rows)


class LabelWatch:
    """Says so at the end if all lines are without tabs, so all text, and seem to begin with their labels."""

    def __init__(self, columns: Sequence[str], classes: Sequence[str]) -> None:
        self._known = set(classes)
        self._suspect = tuple(columns) == USUAL
        self._seen = False

    def look(self, lines: Sequence[str]) -> None:
        """Look at some more lines."""
        self._seen = self._seen or bool(lines)
        self._suspect = self._suspect and all(
            "\t" not in line and self._known.intersection(line.split(None, 1)[:1]) for line in lines
        )

    def tell(self, warn: Callable[[str], None]) -> None:
        """Warn if it is so."""
        if self._seen and self._suspect:
            warn("every line begins with a label; without a tab after it, it is read as a word of the text")
