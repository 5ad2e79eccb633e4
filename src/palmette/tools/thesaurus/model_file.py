"""Thesauri in model files.

options   options: see `ThesaurusOptions`; training
strings   words, relations; tellers: where opposites are from
arrays    counts of words; contexts: relation and word of each; starts, columns, values: the table; vectors, if
          there are some; opposites: two words, a number in tellers, a count
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from palmette.formats.model import ModelFile
from palmette.tools.thesaurus.information import InformationTable
from palmette.tools.thesaurus.model import ThesaurusModel
from palmette.tools.thesaurus.options import ThesaurusOptions

KIND = "thesaurus"


def thesaurus_file(model: ThesaurusModel, training: Mapping[str, Any], fingerprint: str) -> ModelFile:
    """Return the content of a model file."""
    table = model.table
    tellers = sorted({teller for teller, _ in model.opposites.values()})
    rows = [(a, b, tellers.index(teller), n) for (a, b), (teller, n) in sorted(model.opposites.items())]
    arrays = {
        "counts": table.counts.astype("<i8"),
        "contexts": np.stack([table.context_relations, table.context_words], axis=1).astype("<i4"),
        "starts": table.starts.astype("<i8"),
        "columns": table.columns.astype("<i4"),
        "values": table.values.astype("<f4"),
        "opposites": np.array(rows, dtype="<i4").reshape(len(rows), 4),
    }
    if model.vectors is not None:
        arrays["vectors"] = model.vectors.astype("<f4")
    options: dict[str, Any] = {"options": model.options.to_dict(), "training": dict(training)}
    strings = {"words": list(table.words), "relations": list(table.relations), "tellers": tellers}
    return ModelFile(KIND, options, arrays, strings, fingerprint)


def load_thesaurus(file: ModelFile) -> tuple[ThesaurusModel, dict[str, Any]]:
    """Return the model of a file, and what it says of its training; FormatError if it is damaged."""
    file.require_kind(KIND)
    given, training = file.options.get("options"), file.options.get("training")
    if not isinstance(given, dict) or not isinstance(training, dict):
        raise file.damaged("it has no options, or nothing is known of its training")
    words, relations, tellers = (
        list(file.table("words")),
        list(file.table("relations")),
        file.table("tellers"),
    )
    counts = file.array("counts", "<i8", [len(words)])
    contexts = file.array("contexts", "<i4", [None, 2])
    starts = file.array("starts", "<i8", [None])
    columns = file.array("columns", "<i4", [None])
    values = file.array("values", "<f4", [len(columns)])
    opposites = file.array("opposites", "<i4", [None, 4])
    if not 1 <= len(starts) <= len(words) + 1:
        raise file.damaged("it has more rows than words")
    limits = np.array([[len(relations), len(words)]])
    if len(contexts) and not ((contexts >= 0) & (contexts < limits)).all():
        raise file.damaged("a context has a relation or a word that is not there")
    limits = np.array([[len(words), len(words), len(tellers), 1 << 31]])
    if len(opposites) and not ((opposites >= 0) & (opposites < limits)).all():
        raise file.damaged("opposites are words that are not there")
    vectors = None
    if "vectors" in file.arrays:
        vectors = file.array("vectors", "<f4", [len(starts) - 1, None])
        if not np.isfinite(vectors).all():
            raise file.damaged("a vector has a value that is not a finite number")
    with file.restoring():
        table = InformationTable(
            words,
            counts,
            relations,
            np.ascontiguousarray(contexts[:, 0]),
            np.ascontiguousarray(contexts[:, 1]),
            starts,
            columns,
            values,
        )
        _ = table.index  # the native index checks the table
        options = ThesaurusOptions.of(given, "A thesaurus")
        pairs = {(int(a), int(b)): (str(tellers[int(t)]), int(n)) for a, b, t, n in opposites}
        return ThesaurusModel(table, vectors, pairs, options), training
