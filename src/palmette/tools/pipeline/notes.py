"""What CoNLL-U has no column for, in MISC: entities as `Entity=B-PER`, probabilities as `UposProb=0.98`."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from palmette.formats.column import Column
from palmette.formats.corpus import Corpus

ENTITY = "entity"  # the column of a corpus
MISC = "misc"
_NOTHING = "_"
_KEY = "Entity"
_SILENT = ("O", _NOTHING)


def for_conllu(corpus: Corpus, probabilities: Mapping[str, NDArray[np.float32]]) -> Corpus:
    """The corpus as CoNLL-U can hold it."""
    if ENTITY in corpus.names:
        corpus = with_note(corpus, _KEY, corpus.column(ENTITY))
        columns = {name: column for name, column in corpus.columns.items() if name != ENTITY}
        corpus = _with_only(corpus, columns)
    for name, p in probabilities.items():
        used, ids = np.unique(np.round(p.astype(np.float64), 4), return_inverse=True)
        values = Column(ids.reshape(-1).astype(np.int32), [f"{one:.4f}" for one in used.tolist()])
        corpus = with_note(corpus, f"{name.capitalize()}Prob", values)
    return corpus


def with_entities_of_misc(corpus: Corpus) -> Corpus:
    """The corpus with a column of the entities that its MISC has, if there are any."""
    misc = corpus.columns.get(MISC)
    if misc is None or ENTITY in corpus.names or not any(f"{_KEY}=" in text for text in misc.strings):
        return corpus
    return corpus.with_column(ENTITY, Column(misc.ids, [_entity(text) for text in misc.strings]))


def with_note(corpus: Corpus, key: str, values: Column) -> Corpus:
    """The corpus with `key=value` in MISC, in the place of what had this key; nothing where there is no value."""
    misc = corpus.columns.get(MISC) or Column(np.zeros(len(values), np.int32), [_NOTHING])
    n = max(len(values.strings), 1)
    used, ids = np.unique(misc.ids.astype(np.int64) * n + values.ids, return_inverse=True)
    strings = [_noted(misc.strings[code // n], key, values.strings[code % n]) for code in used.tolist()]
    return corpus.with_column(MISC, Column(ids.reshape(-1).astype(np.int32), strings))


def _noted(misc: str, key: str, value: str) -> str:
    kept = [note for note in misc.split("|") if note != _NOTHING and not note.startswith(f"{key}=")]
    return "|".join(kept if value in _SILENT else [*kept, f"{key}={value}"]) or _NOTHING


def _entity(misc: str) -> str:
    return next((note[len(_KEY) + 1 :] for note in misc.split("|") if note.startswith(f"{_KEY}=")), "O")


def _with_only(corpus: Corpus, columns: Mapping[str, Column]) -> Corpus:
    return Corpus(
        columns,
        corpus.offsets,
        heads=corpus.heads,
        comments=corpus.comments,
        extras=corpus.extras,
        extra_after=corpus.extra_after,
        lines=corpus.lines,
    )
