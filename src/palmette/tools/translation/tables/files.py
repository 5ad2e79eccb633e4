"""Phrase tables from and to files in the format of Moses (`formats/moses/tables.py`)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from palmette._native import MosesWriter
from palmette.errors import FormatError
from palmette.formats.files import Source, display_name
from palmette.formats.model.strings import StringTable
from palmette.formats.moses.tables import read_moses_tables, write_moses_table
from palmette.messages import counted
from palmette.tools.translation.tables.assembling import RawPairs
from palmette.tools.translation.tables.phrase_table import FROM, ORIENTATIONS, STANDARD, PhraseTable


def read_table(
    path: Source, reordering: Source | None = None, *, columns: Sequence[str] | None = None
) -> PhraseTable:
    """Read a phrase table and, if there is one, its reordering table; FormatError with the line that is wrong.

    columns: the names of the scores; without it, the standard ones and then column_5, column_6, …
    """
    found = read_moses_tables(path, reordering)
    if reordering is not None and found.nodes.size and not found.n_reordering:
        raise FormatError("there are no orientations: the file is empty", path=display_name(reordering))
    width = found.n_columns or len(STANDARD)
    if columns is None:
        standard = STANDARD if width >= len(STANDARD) else ()
        columns = [*standard, *(f"column_{k}" for k in range(len(standard) + 1, width + 1))]
    elif len(columns) != width:
        raise ValueError(
            f"The phrase table has {counted(width, 'column')} of scores. Got {counted(len(columns), 'name')}."
        )
    orientations = {0: (), 3: FROM, 6: ORIENTATIONS}[found.n_reordering]
    n = found.nodes.size
    return RawPairs(
        found.nodes,
        StringTable(*found.source_words()),
        StringTable(*found.target_words()),
        tuple(columns),
        orientations,
        found.scores().reshape(n, width),
        found.reordering().reshape(n, len(orientations)),
        found.link_begin(),
        found.links(),
        found.counts().reshape(-1, 3),
    ).table()


def write_table(table: PhraseTable, path: Source, reordering: Source | None = None) -> None:
    """Write a phrase table and, if asked, its reordering table, both sorted by their bytes; gzipped for *.gz."""
    if reordering is not None and not table.reordering_columns:
        raise ValueError("This phrase table has no orientations to write.")
    # Bars as Moses writes them: a bare one would end the field.
    source, target = (
        StringTable.of(word.replace("|", "&#124;") for word in words)
        for words in (table.source_strings, table.target_strings)
    )
    counts = np.ascontiguousarray(table.counts).ravel()
    writer = MosesWriter(table.native, source.utf8, source.offsets, target.utf8, target.offsets, counts)
    write_moses_table(writer, path)
    if reordering is not None:
        write_moses_table(writer, reordering, reordering=True)
