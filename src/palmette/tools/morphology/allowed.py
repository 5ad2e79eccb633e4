"""Which analyses words may have: those that agree with values that are kept, and with a user's lexicon.

Where none of the model's analyses agrees, all are allowed: a word that is rare must not stop a sentence.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from palmette.features.instances import gather
from palmette.formats.corpus import Corpus
from palmette.tools.morphology.analyser import Allowed
from palmette.tools.morphology.analyses import Analysis, AnalysisTable
from palmette.tools.morphology.lexicon import NOTHING, Entry, Lexicon
from palmette.tools.morphology.words import combinations

Known = dict[tuple[str, ...], NDArray[np.int32]]


def allowed_labels(
    table: AnalysisTable,
    corpus: Corpus,
    keep: Sequence[str],
    lexicon: Lexicon | None,
    known: Known | None = None,
) -> Allowed:
    """The labels that each word may have; keep: columns of the corpus whose values count.

    "_" in upos and xpos says nothing; in feats it says that the word has none. known: labels that were found for
    other words of the same model and lexicon, which grows.
    """
    found: Known = {} if known is None else known
    places = [Analysis._fields.index(name) for name in keep]
    columns = [corpus.column(name) for name in (*(("form",) if lexicon is not None else ()), *keep)]
    first, which = combinations(columns)
    lists = []
    for row in first.tolist():
        values = tuple(column[row] for column in columns)
        if values not in found:
            form, own = (values[0], values[1:]) if lexicon is not None else ("", values)
            found[values] = _agreeing(table, form, list(zip(places, own)), lexicon)
        lists.append(found[values])
    starts = np.cumsum([0, *map(len, lists)]).astype(np.int64)
    rows, items = gather(starts, which)
    return Allowed(rows, np.concatenate([np.zeros(0, dtype=np.int32), *lists])[items])


def _agreeing(
    table: AnalysisTable, form: str, kept: list[tuple[int, str]], lexicon: Lexicon | None
) -> NDArray[np.int32]:
    values = [
        (place, value) for place, value in kept if value != NOTHING or Analysis._fields[place] == "feats"
    ]
    entries = (
        []
        if lexicon is None
        else [entry for entry in lexicon.of(form) if (entry.upos, entry.feats) != (NOTHING,) * 2]
    )
    agree = np.arange(len(table), dtype=np.int32)
    for value in values:
        agree = np.intersect1d(agree, table.having.get(value, agree[:0]), assume_unique=True)
    if entries:
        analyses = table.analyses
        fitting = [k for k in agree.tolist() if any(_fits(entry, analyses[k]) for entry in entries)]
        if not fitting:  # features that the model does not know: the part of speech counts
            fitting = [k for k in agree.tolist() if analyses[k].upos in {entry.upos for entry in entries}]
        agree = np.array(fitting, dtype=np.int32)
    if not len(agree) and len(values) > 1:  # values that never come together: the first of them counts
        return _agreeing(table, form, values[:1], lexicon)
    return agree[:0] if len(agree) == len(table) else agree


def _fits(entry: Entry, one: Analysis) -> bool:
    return entry.upos in (NOTHING, one.upos) and entry.feats in (NOTHING, one.feats)
