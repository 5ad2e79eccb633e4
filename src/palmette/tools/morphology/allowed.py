"""Which analyses words may have: those that agree with values that are kept, and with a user's lexicon.

Where none of the model's analyses agrees, all are allowed: a word that is rare must not stop a sentence.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from palmette.formats.corpus import Corpus
from palmette.tools.morphology.analyser import Allowed
from palmette.tools.morphology.analyses import Analysis, AnalysisTable
from palmette.tools.morphology.lexicon import NOTHING, Lexicon


def allowed_labels(
    table: AnalysisTable, corpus: Corpus, keep: Sequence[str], lexicon: Lexicon | None
) -> Allowed:
    """The labels that each word may have; keep: columns of the corpus whose values count.

    "_" in upos and xpos says nothing; in feats it says that the word has none.
    """
    places = [Analysis._fields.index(name) for name in keep]
    columns = [corpus.column(name).values() for name in keep]
    forms = corpus.column("form").values() if lexicon is not None else [""] * corpus.n_words
    found: dict[tuple[str, ...], NDArray[np.int32]] = {}
    lists = []
    for key in zip(forms, *columns):
        if key not in found:
            found[key] = _agreeing(table, key[0], list(zip(places, key[1:])), lexicon)
        lists.append(found[key])
    rows = np.cumsum([0, *map(len, lists)]).astype(np.int64)
    return Allowed(rows, np.concatenate([np.zeros(0, dtype=np.int32), *lists]))


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
    agree = [
        k
        for k, one in enumerate(table.analyses)
        if all(one[place] == value for place, value in values)
        and (
            not entries
            or any(
                entry.upos in (NOTHING, one.upos) and entry.feats in (NOTHING, one.feats) for entry in entries
            )
        )
    ]
    if not agree and len(values) > 1:  # values that never come together: the first of them counts
        return _agreeing(table, form, values[:1], lexicon)
    return np.array([] if len(agree) == len(table) else agree, dtype=np.int32)
