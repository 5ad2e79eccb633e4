"""A user's lexicon of words: `form TAB lemma TAB upos TAB feats` on each line.

A form may have several lines, one for each of its analyses. "_" is a value that is not known; the last columns
may be left out. Empty lines, and lines that begin with "#" and have no tab, are skipped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from palmette.errors import FormatError
from palmette.formats.column import Column
from palmette.formats.files import Source, display_name, read_text
from palmette.formats.given import is_path
from palmette.formats.model import ModelFile
from palmette.tools.morphology.features import normalized

NOTHING = "_"
LIMITS = "limits"  # the name in a file of a lexicon that came after training
_COLUMNS = ("form", "lemma", "upos", "feats")


class Entry(NamedTuple):
    """What is known of one form; "_" stands for what is not."""

    form: str
    lemma: str = NOTHING
    upos: str = NOTHING
    feats: str = NOTHING


class Lexicon:
    """Analyses of forms, in the order in which they were given.

    >>> lexicon = Lexicon([Entry("flies", "fly", "NOUN"), Entry("flies", "fly", "VERB")])
    >>> [entry.upos for entry in lexicon.of("flies")], len(lexicon)
    (['NOUN', 'VERB'], 2)
    """

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._of: dict[str, list[Entry]] = {}
        for entry in dict.fromkeys(entries):
            self._of.setdefault(entry.form, []).append(entry)

    @classmethod
    def read(cls, source: Source) -> Lexicon:
        """The lexicon of a file; FormatError for a line with no form, or with more than four columns."""
        path, found = display_name(source), []
        for number, line in enumerate(read_text(source).split("\n"), 1):
            if not line.strip() or (line.startswith("#") and "\t" not in line):
                continue
            fields = [field.strip() or NOTHING for field in line.rstrip("\r").split("\t")]
            if fields[0] == NOTHING or not 2 <= len(fields) <= len(_COLUMNS):
                raise FormatError(
                    "expected form, lemma, upos and feats on each line, with tabs between them",
                    path=path,
                    line=number,
                )
            found.append(Entry(*fields[:3], *map(normalized, fields[3:])))
        if not found:
            raise FormatError("expected a lexicon; the file has no entries", path=path)
        return cls(found)

    @classmethod
    def given(cls, lexicon: Lexicon | Source | Iterable[Sequence[str]] | None) -> Lexicon | None:
        """A lexicon as callers give it: one, the path of a file, or rows of form, lemma, upos and feats."""
        if lexicon is None or isinstance(lexicon, Lexicon):
            return lexicon
        if is_path(lexicon):
            return cls.read(lexicon)
        rows = [tuple(row) for row in lexicon if not isinstance(row, str)]  # type: ignore[union-attr]
        good = all(
            1 <= len(row) <= len(_COLUMNS) and all(isinstance(one, str) for one in row) for row in rows
        )
        if not good or len(rows) != len(list(lexicon)):  # type: ignore[arg-type]
            raise TypeError("A lexicon must be a file, or rows of form, lemma, upos and feats as strings.")
        return cls(Entry(*row[:3], *map(normalized, row[3:])) for row in rows)

    def of(self, form: str) -> Sequence[Entry]:
        """The analyses of a form; those of the form in lower case if it has none itself."""
        return self._of.get(form) or self._of.get(form.lower()) or ()

    def __iter__(self) -> Iterator[Entry]:
        return (entry for entries in self._of.values() for entry in entries)

    def __len__(self) -> int:
        return sum(map(len, self._of.values()))

    def __repr__(self) -> str:
        return f"<Lexicon: {len(self)} analyses of {len(self._of)} forms>"

    def before(self, other: Lexicon) -> Lexicon:
        """This lexicon, and of another one the forms that are not in it."""
        return Lexicon([*self, *(entry for entry in other if entry.form not in self._of)])

    def tables(self, name: str = "lexicon") -> dict[str, Sequence[str]]:
        """The tables of strings of a model file that keep it under a name."""
        return {f"{name}.{column}": [entry[k] for entry in self] for k, column in enumerate(_COLUMNS)}

    @classmethod
    def of_file(cls, file: ModelFile, name: str = "lexicon") -> Lexicon | None:
        """The lexicon of that name in a model file, if it has one; FormatError if it is damaged."""
        if f"{name}.form" not in file.strings:
            return None
        n = len(file.table(f"{name}.form"))
        return cls(map(Entry, *(file.table(f"{name}.{column}", n) for column in _COLUMNS)))


def tags_of(entries: Sequence[Entry]) -> str:
    """The parts of speech of some analyses as one value of a feature, in order; "" where none is known."""
    return "+".join(sorted({entry.upos for entry in entries if entry.upos != NOTHING}))


def said_by(lexicon: Lexicon, forms: Column, name: str, values: Column) -> Column:
    """The values of words, but what a lexicon says where all its analyses of a form have the same value."""
    place, said = _COLUMNS.index(name), {}
    for k, form in enumerate(forms.strings):
        found = {entry[place] for entry in lexicon.of(form)}
        if len(found) == 1 and found != {NOTHING}:
            said[k] = found.pop()
    if not said:
        return values
    strings = [*values.strings, *said.values()]
    new = np.full(len(forms.strings), -1, dtype=np.int32)
    new[list(said)] = np.arange(len(values.strings), len(strings))
    there = new[forms.ids]
    return Column(np.where(there >= 0, there, values.ids).astype(np.int32), strings)


Given = Lexicon | Source | Iterable[Sequence[str]] | None
