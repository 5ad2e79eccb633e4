"""Documents and sentences from files: a line for every sentence, or for every document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from palmette.errors import FormatError
from palmette.formats.files import display_name
from palmette.formats.reading import Reading
from palmette.messages import counted


@dataclass(frozen=True)
class Given:
    """The documents of a file: names, labels (None if it has none), texts or lists of sentences."""

    names: list[str]
    labels: list[str] | None
    documents: list[str | list[str]]


def read_documents(source: str, *, labelled: bool, reading: Reading | None = None) -> Given:
    """Return the documents of a file; FormatError where a line has too few columns.

    The first line says how many columns there are: 4 or 3 for sentences, with label or without, 2 or 1 for texts.
    reading: what to do with bytes that are not UTF-8.
    """
    path, lines = display_name(source), _lines(source, reading or Reading())
    if not lines:
        if labelled:
            raise FormatError("expected documents; the file has none", path=path)
        return Given([], None, [])
    n = lines[0][1].count("\t") + 1
    if n > 4 or (labelled and n not in (2, 4)):
        wanted = "2 columns (label, text) or 4 (label, document, number, sentence)"
        also = "" if labelled else ", or these without the label"
        raise FormatError(f"expected {wanted}{also}; got {n}", path=path, line=lines[0][0])
    rows = []
    for number, line in lines:
        row = line.split("\t")
        if len(row) != n:
            raise FormatError(
                f"expected {counted(n, 'column')}, as in the first line; got {len(row)}",
                path=path,
                line=number,
            )
        if n in (2, 4) and labelled and not row[0].strip():
            raise FormatError("expected a label; the line has none", path=path, line=number)
        rows.append(row)
    return _sentences(rows, lines, path) if n > 2 else _texts(rows)


def _texts(rows: Sequence[Sequence[str]]) -> Given:
    labels = [row[0] for row in rows] if len(rows[0]) == 2 else None
    return Given([str(i) for i in range(1, len(rows) + 1)], labels, [row[-1] for row in rows])


def _sentences(rows: Sequence[Sequence[str]], lines: Sequence[tuple[int, str]], path: str) -> Given:
    """Lines of the same document follow each other."""
    with_labels = len(rows[0]) == 4
    found = Given([], [] if with_labels else None, [])
    seen: set[str] = set()
    last = None
    for row, (number, _) in zip(rows, lines):
        name, sentence = row[-3], row[-1]
        label = row[0] if with_labels else ""
        key = f"{label}\t{name}"  # some collections number the documents of each label
        if key != last:
            if key in seen:
                raise FormatError(f"document {name!r} begins a second time", path=path, line=number)
            seen.add(key)
            last = key
            found.names.append(name)
            found.documents.append([])
            if found.labels is not None:
                found.labels.append(label)
        document = found.documents[-1]
        assert isinstance(document, list)
        document.append(sentence)
    return found


def read_labelled_sentences(source: str) -> tuple[list[str], list[str]]:
    """Return sentences and their labels."""
    path = display_name(source)
    sentences, labels = [], []
    for number, line in _lines(source, Reading()):
        label, tab, sentence = line.partition("\t")
        if not tab or not label.strip():
            raise FormatError("expected a label, a tab and a sentence", path=path, line=number)
        labels.append(label)
        sentences.append(sentence)
    if not sentences:
        raise FormatError("expected sentences; the file has none", path=path)
    return sentences, labels


def _lines(source: str, reading: Reading) -> list[tuple[int, str]]:
    """The lines that are not empty, with their numbers."""
    return [
        (i, line.removesuffix("\r"))
        for lines, first in reading.lines(source)
        for i, line in enumerate(lines, first)
        if line.strip()
    ]
